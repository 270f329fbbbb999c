"""Whole sections, the closest cards and requests: the same in every way a result is had."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from starlette.testclient import TestClient

from api.drafting import draft_of
from handrail.desk.handoff import views
from handrail.records.desk_tables import EvidenceRow
from handrail.turn import outcome
from handrail.turn.present import response
from handrail.types import Asked, Label, Outcome, Routing, Verdict
from tests.api.live import all_events, data_of, serving
from tests.api.scripted import ScriptedAssistant, turn_of
from tests.api.test_desk import AgentPage, page
from tests.api.test_desk import folder as folder
from tests.api.test_live import ask, signed_in
from tests.sections import ANSWERING, BOTH, CLOSEST, FROST, WATERING
from tests.stages import ask as question

OFFSETS = ("span", "answering")


def test_a_piece_is_found_in_the_answer_and_its_answering_sentence_in_the_piece(
    client: TestClient, assistant: ScriptedAssistant
) -> None:
    assistant.result = BOTH

    body = client.post("/ask", json={"question": "How?"}).json()

    first, second = body["pieces"]
    assert body["answer"][slice(*first["span"])] == f"{WATERING} [1]"
    assert body["answer"][slice(*second["span"])] == f"{FROST} [2]"
    assert first["markdown"][slice(*first["answering"])] == ANSWERING
    assert first["markdown"][first["collapsed_after"] :].startswith("5. ")
    assert {key: value for key, value in first.items() if key not in ("markdown", *OFFSETS)} == {
        "title": "Water the beds",
        "section": "By timer",
        "id": "garden:water/1",
        "article_id": "garden:water",
        "url": "https://help.example/garden:water",
        "collapsed_after": first["collapsed_after"],
        "steps": 6,
        "citation": 1,
    }
    assert (second["section"], second["answering"], second["collapsed_after"]) == ("Hoses › Frost", None, None)
    assert body["requests"] == [
        {"text": "How do I water the beds?", "label": "answerable", "routing": "answered", "citations": [1]}
    ]
    assert body["closest"] == []


def test_closest_cards_name_their_section_and_hold_it(client: TestClient, assistant: ScriptedAssistant) -> None:
    assistant.result = CLOSEST

    body = client.post("/ask", json={"question": "How?"}).json()

    named = [(card["title"], card["section"], card["article_id"], card["open"]) for card in body["closest"]]
    assert named == [
        ("Winter", "Hoses › Frost", "garden:frost", True),
        ("Water the beds", "By timer", "garden:water", False),
    ]
    assert [card["piece"]["markdown"] for card in body["closest"]] == [FROST, WATERING]
    assert [card["piece"]["span"] for card in body["closest"]] == [None, None]
    assert body["disclaimer"] == CLOSEST.disclaimer


def test_the_published_schema_describes_what_is_sent(client: TestClient, assistant: ScriptedAssistant) -> None:
    schemas = client.get("/openapi.json").json()["components"]["schemas"]
    assistant.result = BOTH
    piece = client.post("/ask", json={"question": "How?"}).json()["pieces"][0]
    assistant.result = CLOSEST
    card = client.post("/ask", json={"question": "How?"}).json()["closest"][0]

    assert set(schemas["Piece"]["properties"]) == set(piece)
    assert set(schemas["Card"]["properties"]) == set(card)
    assert {"pieces", "closest", "requests"} <= set(schemas["AskResponse"]["properties"])


@pytest.mark.anyio
@pytest.mark.parametrize("result", [BOTH, CLOSEST], ids=["pieces", "closest"])
async def test_a_stream_and_its_repetition_end_with_what_ask_returns(
    tmp_path: Path, assistant: ScriptedAssistant, result: Outcome
) -> None:
    assistant.result = result
    body = {"question": "How?", "turn_id": str(uuid4()), "conversation_id": "c-1"}

    async with serving(tmp_path, assistant) as client:
        streamed = data_of(await all_events(client, body), "outcome")
        assistant.result = outcome.answered("Another answer.", Verdict.FULLY, (), 0.9)
        again = data_of(await all_events(client, body), "outcome")
        asked = (await client.post("/ask", json=body)).json()

    assert streamed == again == [asked]
    assert len(asked["pieces"]) == len(result.pieces)
    assert len(asked["closest"]) == len(result.closest)
    assert len(asked["requests"]) == len(result.requests)


def test_secrets_in_requests_are_neither_sent_back_nor_kept(client: TestClient, assistant: ScriptedAssistant) -> None:
    spoken = Asked("Why was 4111 1111 1111 1111 charged?", Label.HIGH_STAKES, Routing.HIGH_STAKES)
    assistant.result = Outcome(Routing.HIGH_STAKES, "A person will look at it.", requests=(spoken,))
    ada = signed_in(client)

    body = ask(client, ada).json()

    kept = client.get("/conversations/c-1", headers=ada).json()["turns"][0]["requests"]
    assert body["requests"] == kept
    assert kept[0]["text"] == "Why was [card number removed] charged?"


SAME = ("routing", "disclaimer", "notice", "sources", "pieces", "closest", "requests")


@pytest.fixture
def agent(folder: Path, client: TestClient) -> AgentPage:
    return page(client, "ada")


@pytest.mark.parametrize("result", [BOTH, CLOSEST], ids=["pieces", "closest"])
@pytest.mark.usefixtures("each_database")
def test_a_conversation_on_record_shows_the_same(
    client: TestClient, assistant: ScriptedAssistant, agent: AgentPage, result: Outcome
) -> None:
    assistant.result = result
    ada = signed_in(client)
    body = ask(client, ada).json()

    visitors = client.get("/conversations/c-1", headers=ada).json()
    desk = agent.get("conversations/c-1").json()

    sent = {key: body[key] for key in SAME}
    assert visitors["messages"][1]["text"] == body["answer"]
    assert {key: visitors["turns"][0][key] for key in SAME} == sent
    assert {key: desk["turns"][0][key] for key in SAME} == sent


def test_turns_recorded_before_sections_were_kept_have_none() -> None:
    row = EvidenceRow(turn_id="t-1", routing="answered", passages=[], claims=[], meta={"provider": "extractive"})

    for seen in (views.shown(row), views.turn(row)):
        assert [seen[key] for key in SAME[1:]] == [None, None, [], [], [], []]


def test_a_draft_of_a_serious_reply_holds_its_sections_and_nothing_else() -> None:
    serious = replace(BOTH, routing=Routing.HIGH_STAKES)

    draft: dict[str, Any] = draft_of(response(turn_of(question(), serious)))

    assert "Close the tap." in draft["text"] and "A frozen hose bursts." in draft["text"]
    assert "Happy to help" not in draft["text"] and "Enjoy the garden" not in draft["text"]
