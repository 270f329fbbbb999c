"""What visitors and the operator notice of a database that stands still, is full, or can only be read."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from sqlalchemy import text

from handrail.records import database as databases
from tests.api.conftest import Serve
from tests.api.live import serving, until
from tests.api.scripted import ScriptedAssistant
from tests.freezing import frozen
from tests.postgres import new_database, started_postgres

QUESTION = {"question": "How?"}
UNLIMITED = {"enabled": False, "handoff_per_hour": 0}


@pytest.mark.anyio
async def test_a_database_that_freezes_in_the_middle_of_a_turn_holds_nobody_up_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(databases, "SILENCE", {"timeout": 1.0, "command_timeout": 1.0})
    monkeypatch.setattr(databases, "LOOK_S", 1.0)
    assistant = ScriptedAssistant()
    assistant.hold = asyncio.Event()
    with started_postgres() as server:
        storage = {"data_dir": tmp_path, "database_url": new_database(server)}
        postmaster = int((Path(server.pgdata) / "postmaster.pid").read_text().split()[0])
        async with serving(tmp_path, assistant, storage=storage, limits=UNLIMITED) as client:
            asking = asyncio.create_task(client.post("/ask", json=QUESTION))
            await until(lambda: len(assistant.asked) == 1)
            with frozen(postmaster):
                assistant.hold.set()
                answered = await asking
                handed = await client.post("/handoff", json={"conversation_id": "c-1", "message": "Please help."})
                ready = await client.get("/ready")
            back = 503
            async with asyncio.timeout(60):
                while back == 503:
                    sent = await client.post("/handoff", json={"conversation_id": "c-1", "message": "Please help."})
                    back = sent.status_code
                    await asyncio.sleep(0.1)

    assert answered.status_code == 200 and answered.json()["answer"]
    assert (handed.status_code, handed.json()["error"]["code"]) == (503, "records_unavailable")
    assert int(handed.headers["Retry-After"]) > 0
    assert (ready.status_code, ready.json()["status"]) == (200, "degraded")
    assert "records" in {one["part"] for one in ready.json()["degraded"]}
    assert back in (200, 201)


@pytest.mark.parametrize(
    ("pragma", "told"),
    [("PRAGMA max_page_count = 1", "disk is full"), ("PRAGMA query_only = ON", "only be read")],
    ids=["full", "read-only"],
)
def test_a_full_or_read_only_database_is_named_and_takes_nothing_it_cannot_keep(
    serve: Serve, caplog: pytest.LogCaptureFixture, pragma: str, told: str
) -> None:
    client = serve(limits=UNLIMITED)
    assert client.portal is not None
    database = client.app.state.services.database  # type: ignore[attr-defined]

    async def broken() -> None:
        async with database._engine.connect() as connection:
            await connection.execute(text(pragma))
            await connection.commit()

    async def mended() -> None:
        """The next connection knows nothing of it."""
        await database._engine.dispose()

    long = "Please help. " * 300
    first = client.post("/handoff", json={"conversation_id": "c-0", "message": "Please help."})
    client.portal.call(broken)
    sent = [client.post("/handoff", json={"conversation_id": f"c-{n}", "message": long}) for n in range(1, 30)]
    asked = client.post("/ask", json=QUESTION)
    client.portal.call(mended)
    again = [client.post("/handoff", json={"conversation_id": f"c-{n}", "message": long}) for n in range(1, 30)]

    refused = [answer for answer in sent if answer.status_code == 503]
    assert first.status_code == 201
    assert {answer.status_code for answer in sent} <= {201, 503} and refused
    assert {answer.json()["error"]["code"] for answer in refused} == {"records_unavailable"}
    assert told in caplog.text and "Please help" not in caplog.text
    assert asked.status_code == 200, "an answer needs no record"
    kept = {answer.json()["reference"] for answer in sent if answer.status_code == 201}
    assert {answer.status_code for answer in again} <= {200, 201}
    assert kept <= {answer.json()["reference"] for answer in again}
