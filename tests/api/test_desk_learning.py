"""Reports, gaps, cases and drafts over HTTP, signed in."""

from __future__ import annotations

import asyncio
import csv
import io
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import frontmatter
import numpy as np
import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.desk_access import COOKIE
from handrail.desk.learning.drafts import Drafter, ExtractiveDrafter
from handrail.desk.learning.gaps import Shelf
from handrail.errors import IndexBusy
from handrail.records.database import open_database
from handrail.records.desk_tables import MessageRow, SessionRow, UserRow
from handrail.settings.tenants import OWN as TENANT
from handrail.types import Vectors
from tests.api.scripted import ScriptedAssistant, settings_in
from tests.clock import Clock
from tests.desk.learning.test_clusters import unit
from tests.records.talks import evidence, store, talk, thumb, unanswered

pytestmark = pytest.mark.usefixtures("each_database")

NOW = 1_800_000_000.0
TOKEN = "session-token"
PASSAGE = {"id": "domains:connect/2", "title": "Connect a domain", "url": "https://help.example/connect"}
ANA = "I'm Ana Lopez, why is my domain offline?"
HOSTILE = '=HYPERLINK("https://evil.example","x")'


class Librarian(ScriptedAssistant):
    """With a random vector for each wording in place of an encoder, and an index that is written down."""

    def __init__(self) -> None:
        super().__init__()
        self.learned: list[Path] = []
        self.busy = False

    def embedder_name(self) -> str:
        return "letters"

    async def embed_questions(self, texts: Sequence[str]) -> Vectors:
        return unit([np.random.default_rng(list(text.encode())).normal(size=64) for text in texts])

    def shelf(self) -> Shelf:
        return Shelf(np.zeros((0, 64), dtype=np.float32), [], {}, {}, 0.0)

    async def contradicts(self, reply: str, answer: str) -> bool:
        return "that was wrong" in reply

    async def tags_like(self, texts: Sequence[str]) -> list[str]:
        return ["billing"]

    async def learn(self, folder: Path, gone: Sequence[str] = ()) -> None:
        if self.busy:
            raise IndexBusy("the index is in use")
        self.learned.append(folder)

    def drafter(self) -> Drafter:
        return ExtractiveDrafter()


def doubtful() -> list[object]:
    """One that an agent contradicts, one that is asked again, one that is neither, and one that nobody was sure of."""
    made: list[object] = []
    for n, (talk_id, confidence, routing, after) in enumerate(
        [
            ("told", 0.8, "answered", "Sorry, that was wrong."),
            ("again", 0.9, "answered", None),
            ("fine", 0.9, "answered", "You're welcome."),
            ("unsure", 0.4, "low_confidence", "Sorry, that was wrong."),
        ]
    ):
        turn = evidence(
            talk_id, NOW - 30 + n, routing, confidence=confidence, turn_id=f"t-{talk_id}", question=f"Is it {talk_id}?"
        )
        said = [("assistant", "It is.", turn.turn_id), *([("agent", after, None)] if after else [])]
        made += [talk(talk_id, NOW - 30), turn]
        made += [
            MessageRow(tenant=TENANT, conversation_id=talk_id, seq=seq, id=f"{talk_id}{seq}", author=author, text=text,
                       turn_id=turn_id, kind="message", meta={}, at=NOW)
            for seq, (author, text, turn_id) in enumerate(said, start=1)
        ]  # fmt: skip
    return [*made, evidence("again", NOW - 5, question="Is it again?", turn_id="t-later")]


def rows() -> list[object]:
    asked = evidence("a", NOW - 60, "cannot_answer", refusal_reason="no_relevant_context", question=HOSTILE)
    wrong = evidence(
        "a", NOW - 50, passages=[PASSAGE], question="I'm Ana Lopez, why is my domain offline?", turn_id="wrong"
    )
    poor = evidence("b", NOW - 40, passages=[PASSAGE], question="How do I connect a domain?", turn_id="poor")
    said = [
        ("visitor", "Can I pay by bank transfer?"),
        ("agent", "Yes, on yearly plans.\n1. Open **Billing**.\n2. Choose **Bank transfer**."),
    ]
    messages = [
        MessageRow(tenant=TENANT, conversation_id="done", seq=n, id=f"m{n}", author=author, text=text, kind="message",
                   meta={}, at=NOW)
        for n, (author, text) in enumerate(said, start=1)
    ]  # fmt: skip
    return [
        talk("a", NOW - 60), talk("b", NOW - 40), talk("done", NOW - 30, state="resolved"), *messages,
        asked, unanswered(asked), wrong, thumb(wrong, "down", "wrong"), poor, thumb(poor, "down", "incomplete"),
    ]  # fmt: skip


def people(expires: float = NOW + 1e6) -> list[object]:
    from handrail.accounts.sessions import _hash

    made: list[object] = []
    for role in ("agent", "lead"):
        user = UserRow(tenant=TENANT, id=role, email=f"{role}@x.example", name=role, password_hash="-", role=role,
                       active=True, created_at=NOW)  # fmt: skip
        session = SessionRow(tenant=TENANT, token_hash=_hash(f"{TOKEN}-{role}"), user_id=role, csrf="csrf",
                             expires_at=expires, created_at=NOW)  # fmt: skip
        made += [user, session]
    return made


@pytest.fixture
def librarian() -> Librarian:
    return Librarian()


@pytest.fixture
def client(tmp_path: Path, librarian: Librarian) -> Iterator[TestClient]:
    async def fill() -> None:
        database = await open_database(settings_in(tmp_path).storage)
        await store(database, *rows(), *doubtful(), *people())
        await database.close()

    asyncio.run(fill())
    with TestClient(create_app(settings_in(tmp_path), librarian, Clock(NOW))) as running:
        yield running


def sign_in(client: TestClient, role: str = "lead") -> TestClient:
    client.cookies.set(COOKIE, f"{TOKEN}-{role}")
    client.headers["X-CSRF-Token"] = "csrf"
    return client


@pytest.mark.parametrize(
    "path", ["reports/volume", "reports/volume.csv", "gaps", "cases", "cases.jsonl?format=refusal", "drafts"]
)
def test_nobody_reads_without_signing_in(client: TestClient, path: str) -> None:
    assert client.get(f"/desk/api/{path}").status_code == 401


def test_nothing_is_written_without_the_sessions_token(client: TestClient) -> None:
    sign_in(client).headers["X-CSRF-Token"] = "forged"

    assert client.post("/desk/api/drafts", json={"conversation_id": "done"}).status_code == 403


@pytest.mark.parametrize("name", ["volume", "deflection", "times", "csat", "gaps", "articles", "refusals", "cost"])
def test_every_report_comes_as_json_and_csv_with_the_same_rows(client: TestClient, name: str) -> None:
    sign_in(client, "agent")

    report = client.get(f"/desk/api/reports/{name}").json()
    table = client.get(f"/desk/api/reports/{name}.csv")

    assert report["report"] == name
    assert report["empty"] is (report["n"] == 0)
    assert table.headers["content-disposition"].startswith("attachment")
    lines = list(csv.DictReader(io.StringIO(table.content.decode("utf-8-sig"), newline="")))
    assert len(lines) == len(report["rows"])
    assert all(list(line) == report["columns"] for line in lines)


def test_a_range_that_cannot_be_is_refused_and_an_unknown_report_too(client: TestClient) -> None:
    sign_in(client)

    refused = client.get("/desk/api/reports/volume", params={"from": "2026-02-30"})

    assert refused.status_code == 422
    assert "2026-11-01" in refused.json()["error"]["message"]
    assert client.get("/desk/api/reports/secrets").status_code == 404


def test_a_visitors_words_cannot_run_in_a_spreadsheet(client: TestClient) -> None:
    text = sign_in(client).get("/desk/api/reports/gaps.csv").text

    cells = [cell for row in csv.reader(io.StringIO(text.lstrip("\ufeff"), newline="")) for cell in row]
    assert f"'{HOSTILE}" in cells
    assert not [cell for cell in cells if cell[:1] in "=+-@\t\r" and cell]


def test_answers_that_were_probably_wrong_are_listed_the_gravest_first(client: TestClient) -> None:
    report = sign_in(client).get("/desk/api/reports/doubts").json()

    signs = [(row["conversation"], row["signs"]) for row in report["rows"]]
    assert signs[0] == ("told", "contradicted")
    assert sorted(signs[1:]) == [("a", "thumb_down"), ("again", "repeated"), ("b", "thumb_down")]
    assert signs[-1] == ("again", "repeated")
    assert "Ana" not in str(report["rows"])
    assert report["figures"] == {"answers": 4, "contradicted": 1, "thumb_down": 2, "repeated": 1}


def test_gaps_have_counts_samples_and_a_verdict(client: TestClient) -> None:
    found = sign_in(client).get("/desk/api/gaps").json()

    first = next(gap for gap in found["items"] if HOSTILE in gap["samples"])
    assert (first["count"], first["verdict"], first["languages"]) == (1, "missing", {"en": 1})
    assert not any("Ana" in sample for gap in found["items"] for sample in gap["samples"])


def test_thumbs_become_cases_that_a_person_confirms_or_drops(client: TestClient) -> None:
    sign_in(client, "agent")

    refusal = [json.loads(line) for line in client.get("/desk/api/cases.jsonl?format=refusal").text.splitlines()]
    retrieval = [json.loads(line) for line in client.get("/desk/api/cases.jsonl?format=retrieval").text.splitlines()]

    assert [(row["should_refuse"], row["confirmed"]) for row in refusal] == [(True, False)]
    assert "Ana" not in refusal[0]["question"]
    assert [row["article_ids"] for row in retrieval] == [["domains:connect"]]

    dropped = client.put(f"/desk/api/cases/{retrieval[0]['id']}", json={"status": "dropped"})
    marked = client.post("/desk/api/cases", json={"format": "refusal", "turn_id": "wrong", "should_refuse": False})

    assert (dropped.status_code, marked.status_code) == (200, 201)
    assert client.get("/desk/api/cases.jsonl?format=retrieval").text == ""
    again = [json.loads(line) for line in client.get("/desk/api/cases.jsonl?format=refusal").text.splitlines()]
    assert [(row["should_refuse"], row["confirmed"], row["expected_doc"]) for row in again] == [
        (False, True, "domains:connect")
    ]


@pytest.mark.parametrize(
    "body",
    [
        {"format": "refusal", "question": "x"},
        {"format": "retrieval", "question": "x"},
        {"format": "refusal", "question": " ", "should_refuse": True},
        {"format": "poetry", "question": "x"},
        {"format": "retrieval", "question": "x", "article_ids": [""]},
    ],
)
def test_a_case_no_evaluation_could_run_is_refused(client: TestClient, body: dict[str, Any]) -> None:
    assert sign_in(client).post("/desk/api/cases", json=body).status_code == 422


def test_a_draft_is_indexed_only_after_a_lead_approved_it(
    client: TestClient, librarian: Librarian, tmp_path: Path
) -> None:
    sign_in(client, "agent")
    assert client.post("/desk/api/drafts", json={"conversation_id": "a"}).status_code == 409
    draft = client.post("/desk/api/drafts", json={"conversation_id": "done"}).json()

    assert (draft["title"], draft["machine_made"]) == ("Can I pay by bank transfer?", True)
    assert frontmatter.loads(draft["markdown"])["machine_made"] is True
    assert not list(tmp_path.rglob("*.md"))
    assert client.post(f"/desk/api/drafts/{draft['id']}/approve").status_code == 403

    approved = sign_in(client, "lead").post(f"/desk/api/drafts/{draft['id']}/approve").json()

    assert (approved["status"], approved["indexed"], approved["machine_made"]) == ("approved", True, False)
    (file,) = tmp_path.rglob("*.md")
    assert frontmatter.loads(file.read_text())["machine_made"] is False
    assert librarian.learned == [file.parent.parent]
    assert client.post(f"/desk/api/drafts/{draft['id']}/approve").status_code == 409
    assert client.post(f"/desk/api/drafts/{draft['id']}/reject").status_code == 409


def test_an_edited_draft_is_a_persons_and_a_busy_index_is_said(client: TestClient, librarian: Librarian) -> None:
    sign_in(client)
    draft = client.post("/desk/api/drafts", json={"conversation_id": "done"}).json()
    librarian.busy = True

    edited = client.put(f"/desk/api/drafts/{draft['id']}", json={"title": "Bank transfer", "body": "Open **Billing**."})
    approved = client.post(f"/desk/api/drafts/{draft['id']}/approve").json()

    assert edited.json()["machine_made"] is False
    assert (approved["indexed"], approved["note"]) == (False, "the index is in use")
