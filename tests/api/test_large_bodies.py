"""What a visitor may send at most costs the event loop, which everybody waits for, next to nothing."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from tests.api.live import serving
from tests.api.scripted import ScriptedAssistant

MOST = 1_048_576
LOOP_S = 0.5
"""Of the loop's own processor time, so that a busy machine changes nothing; at first such bodies took two."""


def filled(piece: str, begin: str = "", end: str = "") -> str:
    return begin + piece * ((MOST - len(begin) - len(end) - 1) // len(piece)) + end


BODIES = {
    "one text": filled("long ", '{"question": "', '"}'),
    "marks": filled("**[", '{"question": "', '"}'),
    "many keys": "{" + ",".join(f'"key{n}": {n}' for n in range(50_000)) + "}",
    "many items": filled('{"role": "user", "content": "x"},', '{"question": "How?", "history": [', "{}]}"),
    "nested": '{"question": ' + "[" * 400_000 + "]" * 400_000 + "}",
    "context": json.dumps({"question": "How?", "context": {f"k{n}": "v" * 8 for n in range(40_000)}}),
    "numbers": filled("9", '{"question": ', "}"),
    "no JSON": filled("{"),
}


@pytest.mark.anyio
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
@pytest.mark.parametrize("path", ["/ask", "/chat/stream", "/handoff", "/feedback", "/visitor"])
async def test_no_body_holds_the_loop(tmp_path: Path, path: str, body: str) -> None:
    assert len(body) < MOST
    async with serving(tmp_path, ScriptedAssistant()) as client:
        await client.post(path, json={})
        before = time.thread_time()
        answer = await client.post(path, content=body, headers={"Content-Type": "application/json"})
        took = time.thread_time() - before

    assert answer.status_code < 500
    assert took < LOOP_S
