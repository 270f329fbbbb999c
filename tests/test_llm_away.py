"""A language model that dies or falls silent in the middle of an answer: the whole product in a process of its own."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests.freezing import frozen
from tests.llm_process import model_process
from tests.load.streams import server

pytestmark = [pytest.mark.anyio, pytest.mark.slow, pytest.mark.models]

QUESTION = "How do I set up a waitlist?"
KEY = "a-key-of-more-than-16"
QUICK = {
    "HANDRAIL__LLM__RETRIES": "0",
    "HANDRAIL__LLM__STALL_S": "2",
    "HANDRAIL__LLM__BREAKER_AFTER": "1",
    "HANDRAIL__LLM__BREAKER_PAUSE_S": "600",
    "HANDRAIL__GENERATE__CRITIQUE": "off",
    "HANDRAIL__OBSERVE__METRICS_KEY": KEY,
}


async def parts(client: httpx.AsyncClient, conversation: str) -> AsyncIterator[dict[str, Any]]:
    body = {"question": QUESTION, "conversation_id": conversation}
    async with client.stream("POST", "/chat/stream", json=body) as response:
        assert response.status_code == 200
        async for line in response.aiter_lines():
            if line.startswith("data: {"):
                yield json.loads(line[6:])


@pytest.mark.parametrize("how", ["killed", "frozen"])
async def test_the_answer_is_quoted_instead_and_a_person_can_be_reached(sample_index: Path, how: str) -> None:
    conversation = uuid4().hex
    seen: list[dict[str, Any]] = []
    with ExitStack() as running:
        model = running.enter_context(model_process(first_s=0.1, gap_s=0.3))
        url, _ = running.enter_context(server(model.url, sample_index, **QUICK))
        async with httpx.AsyncClient(base_url=url, timeout=60, trust_env=False) as client, asyncio.timeout(120):
            async for part in parts(client, conversation):
                if part["type"] == "data-draft" and not any(one["type"] == "data-draft" for one in seen):
                    if how == "killed":
                        model.process.kill()
                    else:
                        running.enter_context(frozen(model.process.pid))
                seen.append(part)
            handed = await client.post("/handoff", json={"conversation_id": conversation, "message": "Please help."})
            ready = (await client.get("/ready")).json()
            metrics = (await client.get("/metrics", headers={"Authorization": f"Bearer {KEY}"})).text
            told = [part["data"] async for part in parts(client, uuid4().hex) if part["type"] == "data-outcome"]

    kinds = [part["type"] for part in seen]
    outcomes = [part["data"] for part in seen if part["type"] == "data-outcome"] + told
    assert "data-draft" in kinds and "error" not in kinds
    assert [one["meta"]["provider"] for one in outcomes] == ["extractive"] * 2
    assert all(one["citations"] and "answer" in one["meta"]["degraded"] for one in outcomes)
    assert handed.status_code == 201
    assert "answer" in {one["part"] for one in ready["degraded"]}
    assert 'handrail_degraded{part="answer"} 1.0' in metrics
