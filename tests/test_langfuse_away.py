"""A Langfuse that falls silent, fails or dies while an answer is written: the whole product in a process of its own."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests.api.live import until
from tests.llm_process import model_process
from tests.load.streams import server_in
from tests.observe.langfuse_server import PUBLIC_KEY, SECRET_KEY, LangfuseServer, langfuse_server

pytestmark = [pytest.mark.anyio, pytest.mark.slow, pytest.mark.models]

QUESTION = "How do I set up a waitlist?"
TOKEN = "sk-proj-Zk3nV9qLw8XbT2mRc6Yd"
AT_ONCE = 6
TOLD = "turns go on"
TURN_S = 30


async def parts(client: httpx.AsyncClient) -> AsyncIterator[dict[str, Any]]:
    body = {"question": f"{QUESTION} My key is {TOKEN}.", "conversation_id": uuid4().hex}
    async with client.stream("POST", "/chat/stream", json=body) as response:
        assert response.status_code == 200
        async for line in response.aiter_lines():
            if line.startswith("data: {"):
                yield json.loads(line[6:])


async def outcomes(client: httpx.AsyncClient, many: int) -> list[dict[str, Any]]:
    async def one() -> dict[str, Any]:
        (outcome,) = [part["data"] async for part in parts(client) if part["type"] == "data-outcome"]
        return dict(outcome)

    return list(await asyncio.gather(*(one() for _ in range(many))))


def traces(langfuse: LangfuseServer) -> int:
    return len({span.trace_id for span in langfuse.spans})


@pytest.mark.parametrize("how", ["silent", "failing", "gone"])
async def test_no_turn_notices_and_the_operator_is_told_once(sample_index: Path, tmp_path: Path, how: str) -> None:
    seen: list[dict[str, Any]] = []
    log = tmp_path / "serve.log"
    with ExitStack() as running:
        up = running.enter_context(ExitStack())
        langfuse = up.enter_context(langfuse_server())
        model = running.enter_context(model_process(first_s=0.05, gap_s=0.05))
        changes = {
            "LANGFUSE_PUBLIC_KEY": PUBLIC_KEY,
            "LANGFUSE_SECRET_KEY": SECRET_KEY,
            "LANGFUSE_HOST": langfuse.url,
            "HANDRAIL__OBSERVE__PROMPT_TTL_S": "1",
            "HANDRAIL__SERVER__TURN_DEADLINE_S": str(TURN_S),
            "HANDRAIL__GENERATE__CRITIQUE": "off",
            "HANDRAIL__GENERATE__CACHE_HOURS": "0",
            "HANDRAIL__OBSERVE__LOG_LEVEL": "info",
        }
        url, _ = running.enter_context(server_in(tmp_path, model.url, sample_index, changes))
        async with httpx.AsyncClient(base_url=url, timeout=60, trust_env=False) as client, asyncio.timeout(240):
            await outcomes(client, 1)
            async for part in parts(client):
                if part["type"] == "data-draft" and not any(one["type"] == "data-draft" for one in seen):
                    if how == "silent":
                        langfuse.hang_s = 600
                    elif how == "failing":
                        langfuse.status = 500
                    else:
                        up.close()
                seen.append(part)
            meanwhile = await outcomes(client, AT_ONCE)
            handed = await client.post("/handoff", json={"conversation_id": "c-1", "message": "Help."}, timeout=5)
            await until(lambda: TOLD in log.read_text("utf-8"))
            before = traces(langfuse)
            langfuse.hang_s, langfuse.status = 0.0, 200
            langfuse.stopping.set()
            after = await outcomes(client, 1)
            if how != "gone":
                await until(lambda: traces(langfuse) > before)
    assert "data-draft" in {part["type"] for part in seen}
    during = [part["data"] for part in seen if part["type"] == "data-outcome"]

    for outcome in (*during, *meanwhile, *after):
        assert outcome["routing"] == "answered" and outcome["meta"]["provider"] == "llm"
        assert outcome["meta"]["degraded"] == []
        assert outcome["meta"]["latency_ms"]["total"] < TURN_S * 1000
    assert handed.status_code == 201
    with closing(sqlite3.connect(tmp_path / "load.db")) as records:
        assert records.execute("SELECT count(*) FROM turns").fetchone()[0] >= AT_ONCE + 3
    said = log.read_text("utf-8")
    assert said.count(TOLD) == 1, said
    assert not [word for word in (TOKEN, SECRET_KEY, "Traceback") if word in said]
