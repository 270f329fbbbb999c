"""Our bytes, read by the parser and the chat transport of the npm package `ai`."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from handrail.turn.watch import TurnWatch
from tests.api.live import serving, until
from tests.api.scripted import ScriptedAssistant

pytestmark = pytest.mark.anyio

FRONTEND = Path(__file__).parents[2] / "frontend"


@pytest.fixture(scope="module")
def node() -> str:
    """Node with the locked packages of `frontend/`, which are installed when they are not there."""
    found, npm = shutil.which("node"), shutil.which("npm")
    if found is None or npm is None:
        pytest.skip("node and npm are not installed")
    if not (FRONTEND / "node_modules" / "ai").is_dir():
        command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
        subprocess.run(command, cwd=FRONTEND, check=True, capture_output=True, timeout=300)
    return found


def read(node: str, recorded: bytes, folder: Path) -> dict[str, Any]:
    path = folder / "stream.txt"
    path.write_bytes(recorded)
    command = [node, "test/ui-message-stream.mjs", str(path)]
    done = subprocess.run(command, cwd=FRONTEND, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    result: dict[str, Any] = json.loads(done.stdout)
    return result


async def told(watch: TurnWatch) -> None:
    await watch.stage("retrieve")
    await watch.claim("c1", "Öffnen Sie **Einstellungen** 😀 [1].", (1,))
    await watch.claim("c2", "\n\n- 域名 [1]", (1,))
    await watch.replaced("c2", "unsupported", None)


async def recorded_turn(folder: Path, assistant: ScriptedAssistant) -> bytes:
    async with serving(folder, assistant) as client:
        return (await client.post("/chat/stream", json={"question": "Wie?", "turn_id": str(uuid4())})).content


async def test_every_part_is_one_the_sdk_knows_however_the_bytes_are_cut(
    tmp_path: Path, assistant: ScriptedAssistant, node: str
) -> None:
    assistant.tells = told

    result = read(node, await recorded_turn(tmp_path, assistant), tmp_path)

    assert result["cuts"] > 1000
    assert [chunk["type"] for chunk in result["chunks"]][:2] == ["start", "data-stage"]
    parts = result["message"]["parts"]
    texts = [part["text"] for part in parts if part["type"] == "text"]
    assert texts == ["Öffnen Sie **Einstellungen** 😀 [1].", "\n\n- 域名 [1]"]
    assert all(part["state"] == "done" for part in parts if part["type"] == "text")
    by_type = {part["type"]: part for part in parts}
    assert by_type["data-outcome"]["data"]["routing"] == "answered"
    assert by_type["data-verification"]["data"]["claims"][0]["replacement"] == ""
    assert "data-stage" not in by_type, "a stage is transient"
    assert result["sent"]["body"] == {"question": "How?"}


async def test_a_stopped_turn_is_understood(tmp_path: Path, assistant: ScriptedAssistant, node: str) -> None:
    assistant.hold = asyncio.Event()
    turn_id = str(uuid4())
    async with serving(tmp_path, assistant) as client:
        asked = client.post("/chat/stream", json={"question": "How?", "turn_id": turn_id})
        following = asyncio.create_task(asked)
        await until(lambda: len(assistant.asked) == 1)
        await client.post("/chat/stop", json={"turn_id": turn_id})
        stopped = (await following).content

    result = read(node, stopped, tmp_path)

    assert [chunk["type"] for chunk in result["chunks"]] == ["start", "abort"]
