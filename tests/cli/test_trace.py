"""`handrail trace` and the desk's traces, over a real server: real models, a small index, real records."""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from typer.testing import CliRunner, Result

from api.app import create_app
from handrail.cli.app import app
from handrail.cli.desk import demo_agent
from handrail.errors import PermanentError
from handrail.settings import WELL_KNOWN, load_settings
from tests.passwords import cheap_hashes as cheap_hashes

pytestmark = [pytest.mark.models, pytest.mark.slow]

ARTICLES = {
    "roles": "---\ntitle: Custom roles\n---\nOpen **Settings** and choose **New role** to create a role.",
    "refund": "---\ntitle: Refund a customer\n---\nOpen the order under **Store** and choose **Refund**.",
}
ADDRESS = "ann.lee@example.com"
TALK = "talk-1"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, with two articles indexed and local models only."""
    for name in [name for name in os.environ if name in WELL_KNOWN or name.startswith("HANDRAIL_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HANDRAIL__KNOWLEDGE__KB", "acme")
    monkeypatch.setenv("HANDRAIL__LIMITS__ENABLED", "false")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "articles").mkdir()
    for name, text in ARTICLES.items():
        (tmp_path / "articles" / f"{name}.md").write_text(text)
    assert run("ingest", "articles", "--kb", "acme").exit_code == 0
    return tmp_path


@pytest.fixture
def served(folder: Path) -> Iterator[Any]:
    """The application, ready, over HTTP's own interface."""
    from starlette.testclient import TestClient

    with TestClient(create_app(load_settings())) as client:
        until = time.monotonic() + 120
        while client.get("/ready").status_code != 200:
            assert time.monotonic() < until
            time.sleep(0.05)
        yield client


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(app, arguments)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def data(*arguments: str) -> Any:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def ask(client: Any, question: str, talk: str = TALK) -> dict[str, Any]:
    body = {"question": question, "conversation_id": talk, "turn_id": str(uuid4())}
    answered: httpx.Response = client.post("/ask", json=body)
    assert answered.status_code == 200, answered.text
    found: dict[str, Any] = answered.json()
    return found


def traced(client: Any, turn_id: str) -> dict[str, Any]:
    """The trace of a turn once it is written, as a signed-in lead gets it."""
    until = time.monotonic() + 30
    while (answered := client.get(f"/desk/api/traces/{turn_id}")).status_code == 404:
        assert time.monotonic() < until
        time.sleep(0.02)
    assert answered.status_code == 200, answered.text
    found: dict[str, Any] = answered.json()["trace"]
    return found


def sign_in(client: Any, role: str = "admin") -> None:
    email, password = demo_agent(load_settings())
    if role != "admin":
        with sqlite3.connect("var/handrail.sqlite") as records:
            records.execute("UPDATE users SET role = ?", (role,))
        records.close()
    signed = client.post("/desk/api/sign-in", json={"email": email, "password": password})
    assert signed.status_code == 200, signed.text
    client.headers["X-CSRF-Token"] = signed.json()["csrf"]


def test_turns_are_listed_shown_exported_and_run_again(served: Any, folder: Path) -> None:
    first = ask(served, f"How do I create a custom role? My address is {ADDRESS}.")
    second = ask(served, "And how do I refund a customer?")
    sign_in(served)
    for turn in (first, second):
        traced(served, turn["turn_id"])

    listed = data("trace", "list", "--json")
    assert [one["trace_id"] for one in listed] == [second["trace_id"], first["trace_id"]]
    assert [one["turn_id"] for one in data("trace", "list", "--json", "--limit", "1")] == [second["turn_id"]]
    assert data("trace", "list", "--json", "--routing", "nonsense") == []
    assert data("trace", "list", "--json", "--kb", "other") == []
    assert len(data("trace", "list", "--json", "--since", "1h", "--conversation", TALK)) == 2
    assert data("trace", "list", "--json", "--since", "2999-01-01") == []
    assert second["trace_id"] in run("trace", "list").stdout

    for id_ in (second["trace_id"], second["turn_id"], TALK):
        assert data("trace", "show", id_, "--json") == listed[0]
    shown = run("trace", "show", TALK).stdout
    assert "before: How do I create a custom role?" in shown
    assert all(text in shown for text in ("understand (", "retrieve (", "Refund a customer", second["routing"]))

    assert run("trace", "export", "--out", "traces.jsonl").exit_code == 0
    lines = (folder / "traces.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == listed
    assert ADDRESS not in "".join(lines)
    assert run("trace", "export", "--limit", "1").stdout == lines[0] + "\n"


def test_a_replay_tells_what_differs_or_that_nothing_does(served: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message is read as the conversation keeps it, so that what a trace leaves out makes no difference."""
    turn = ask(served, f"How do I create a custom role? My address is {ADDRESS}.")
    sign_in(served)
    traced(served, turn["turn_id"])
    before = sqlite_rows()

    same = run("trace", "replay", turn["turn_id"])
    assert (same.exit_code, same.stdout.count("Nothing differs")) == (0, 1)

    monkeypatch.setenv("HANDRAIL__GATES__ANSWERED", "1")
    monkeypatch.setenv("HANDRAIL__GATES__CLOSEST", "1")
    told = data("trace", "replay", turn["trace_id"], "--json")
    assert not told["same"]
    assert [one["what"] for one in told["setup"]] == ["settings"]
    routing = next(one for one in told["differences"] if one["what"] == "routing")
    assert (routing["stage"], routing["before"]) == ("outcome", turn["routing"])
    assert routing["after"] == told["after"]["outcome"]["routing"] != turn["routing"]
    assert any(line.strip().startswith("routing: ") for line in run("trace", "replay", TALK).stdout.splitlines())
    assert sqlite_rows() == before


def test_the_desk_shows_a_trace_and_runs_it_again_for_leads(served: Any) -> None:
    turn = ask(served, "How do I create a custom role?")
    path = f"/desk/api/traces/{turn['turn_id']}"
    assert served.get(path).status_code == 401

    sign_in(served, "lead")
    trace = traced(served, turn["turn_id"])
    assert trace["trace_id"] == turn["trace_id"]
    assert trace["kb"] == "acme"
    assert trace["kb_version"]
    (section, *_) = trace["stages"][1]["values"]["requests"][0]["sections"]
    assert section["title"].startswith("Custom roles")
    again = served.post(f"{path}/replay").json()
    assert (again["same"], again["differences"], again["setup"]) == (True, [], [])
    assert again["trace"]["trace_id"] != trace["trace_id"]
    (listed,) = served.get(f"/desk/api/conversations/{TALK}").json()["turns"]
    assert listed["traced"]
    assert served.get("/desk/api/traces/nothing").status_code == 404
    assert served.post(f"{path}/replay", headers={"X-CSRF-Token": "forged"}).status_code == 403


def test_agents_do_not_see_traces_and_visitors_nothing_of_them(served: Any) -> None:
    turn = ask(served, "How do I create a custom role?")
    sign_in(served, "agent")

    path = f"/desk/api/traces/{turn['turn_id']}"
    assert (served.get(path).status_code, served.post(f"{path}/replay").status_code) == (403, 403)
    (listed,) = served.get(f"/desk/api/conversations/{TALK}").json()["turns"]
    assert not listed["traced"]
    told = served.get(f"/conversations/{TALK}").text
    assert not [word for word in ("senses", "signals") if word in told + json.dumps(turn)]


def test_nothing_is_stored_for_no_days(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HANDRAIL__DESK__TRACE_DAYS", "0")
    from starlette.testclient import TestClient

    with TestClient(create_app(load_settings())) as client:
        while client.get("/ready").status_code != 200:
            time.sleep(0.05)
        ask(client, "How do I create a custom role?")

    assert data("trace", "list", "--json") == []
    assert "No traces match" in run("trace", "list").output


def test_what_is_not_there_or_cannot_be_read_is_said_plainly() -> None:
    with pytest.raises(PermanentError, match="no trace of nothing"):
        run("trace", "show", "nothing")
    with pytest.raises(PermanentError, match="--since yesterday"):
        run("trace", "list", "--since", "yesterday")


def sqlite_rows() -> dict[str, int]:
    """How many rows each table has."""
    with sqlite3.connect("var/handrail.sqlite") as records:
        names = [name for (name,) in records.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        counted = {name: records.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in names}  # noqa: S608
    records.close()
    return counted
