"""What articles for agents say reaches no visitor: not through any endpoint, whatever is asked of it."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from random import Random
from typing import Any
from uuid import uuid4

import httpx
import pytest
import uvicorn
from fastapi import FastAPI

from api.app import create_app
from handrail.assembly import Assistant
from handrail.cli.ingest import run
from handrail.knowledge.folder import Folder
from handrail.settings import Settings
from tests.api.canaries import FOR_AGENTS, HELD_BACK, PUBLIC, Visitor, sentences, visitor_routes, without_canaries
from tests.api.live import until
from tests.api.two_sides import Side, add_people, agent_of
from tests.knowledge import documents
from tests.sample import sample_settings

pytestmark = [pytest.mark.anyio, pytest.mark.models]

FOLLOW_UPS = ("why?", "and how much is it at most?", "tell me more", "no, the other one", "what else can you do there?")
FOREIGN = {
    "de": "Wie hoch darf eine Erstattung aus Kulanz sein?",
    "fr": "Comment forcer le transfert d'un domaine avant 60 jours ?",
    "es": "¿Cuánto cuesta forzar la transferencia de un dominio?",
    "ru": "Как вернуть деньги клиенту в порядке исключения?",
}
PDFS = {
    "parking": "Parking at the pier costs 3 euros an hour. Cars of residents park for nothing after 6 pm.",
    "zz-narwhalink-parking": "Agents park at the pier with the quokkajar card, which costs nothing.",
}
FILTERS: Sequence[Mapping[str, str]] = (
    {"audience": "agents"},
    {"audience": "public"},
    {"section": "Quokkajar"},
    {"audience": "agents", "section": "Quokkajar"},
    {"document_id": "zz-narwhalink-goodwill"},
    {"tags": "zebrafinch", "project_key": "okapimoss"},
    {"tier": "canonical", "updated_from": "2026-05-01"},
)


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    folder = tmp_path_factory.mktemp("agents-only")
    pages = folder / "pages"
    pages.mkdir()
    for name, text in {**PUBLIC, **FOR_AGENTS, **HELD_BACK}.items():
        (pages / f"{name}.md").write_text(text, encoding="utf-8")
    for name, said in PDFS.items():
        (pages / f"{name}.pdf").write_bytes(documents.pdf(documents.heading("Parking"), documents.text(said)))
    (pages / "zz-narwhalink-parking.pdf.yaml").write_text("audience: agents", encoding="utf-8")
    made = sample_settings(
        folder / "var",
        LIMITS__ENABLED="false",
        LIMITS__HANDOFF_PER_HOUR="0",
        HOURS__PRESENCE="false",
        SUGGEST__QUIET_S="0",
        SERVER__DEMO_MODE="false",
    )
    run(made, [Folder(pages, "https://help.example", made.knowledge.max_article_bytes)])
    return made


@pytest.fixture(scope="module")
async def served(settings: Settings) -> AsyncIterator[tuple[FastAPI, httpx.AsyncClient]]:
    await add_people(settings.storage, "ada")
    assistant = Assistant(settings)
    app = create_app(settings, assistant)
    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    running = asyncio.create_task(server._serve())
    try:
        await until(lambda: server.started and assistant.ready, 180)
        port = server.servers[0].sockets[0].getsockname()[1]
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=120) as client:
            yield app, client
    finally:
        server.should_exit = True
        with contextlib.suppress(asyncio.CancelledError):
            await running


@pytest.fixture
def visitor(served: tuple[FastAPI, httpx.AsyncClient]) -> Visitor:
    return Visitor(served[1])


async def test_no_question_brings_out_what_is_for_agents(visitor: Visitor) -> None:
    """In the pages' own words, but for the canaries: asked plainly, as questions, streamed, and followed up."""
    for number, text in enumerate(sentences([*FOR_AGENTS.values(), *HELD_BACK.values()])):
        conversation = uuid4().hex
        await visitor.says(without_canaries(text), stream=number % 2 == 0, conversation_id=conversation)
        await visitor.says(FOLLOW_UPS[number % len(FOLLOW_UPS)], conversation_id=conversation)
        if number % 3 == 0:
            await visitor.says(f"How do I {without_canaries(text).lower().rstrip('.')}?", stream=number % 2 == 1)

    assert visitor.leaks == []


async def test_no_filter_and_no_language_brings_it_out(visitor: Visitor) -> None:
    for filters in FILTERS:
        for text in ("How much may be refunded?", "How do I transfer a domain before the 60 days are over?"):
            asked = Visitor(visitor.client)
            await asked.says(text, filters=filters)
            visitor.leaks += asked.leaks
    for lang, text in FOREIGN.items():
        await visitor.says(text, lang=lang)

    assert visitor.leaks == []


@pytest.mark.parametrize("guess", ["zebrafinch", "okapimos", "TW-9191", "zz-narwhalink-goodwill", "quokkajar"])
async def test_who_guesses_a_word_learns_no_other(visitor: Visitor, guess: str) -> None:
    for text in (f"What does {guess} mean?", f"How do I use {guess}?", guess):
        await visitor.says(text)

    assert visitor.leaks == []


async def test_what_is_public_is_still_answered_and_its_chips_are_public(visitor: Visitor) -> None:
    """Follow-up questions are checked in the background; they come with a later answer."""
    chips: list[str] = []
    for _ in range(60):
        response = await visitor.call("POST", "/ask", {"question": "How do I refund a store order?"})
        assert response.json()["routing"] == "answered"
        chips = response.json()["suggestions"]
        if len(chips) >= 2:
            break
        await asyncio.sleep(0.5)
    filtered = await visitor.call(
        "POST", "/ask", {"question": "How do I refund a store order?", "filters": {"audience": "public"}}
    )

    assert chips
    assert filtered.json()["routing"] == "answered"
    assert visitor.leaks == []


async def test_every_endpoint_of_a_visitor_is_silent_about_it(
    served: tuple[FastAPI, httpx.AsyncClient], visitor: Visitor
) -> None:
    """A visit from the first page to the rating; an endpoint that is new fails here until it is part of one."""
    app, _ = served
    for path in ("/openapi.json", "/health", "/ready", "/config", "/docs", "/docs/reference.css"):
        await visitor.call("GET", path)
    for path in ("/widget/v1", "/demo", "/"):
        if ("GET", path) in visitor_routes(app):
            await visitor.call("GET", path)
    token = (await visitor.call("POST", "/visitor", {})).json()["token"]
    visitor.headers = {"Authorization": f"Bearer {token}"}
    conversation = uuid4().hex
    own: dict[str, Any] = {"conversation_id": conversation}
    turn = await visitor.says("How much may agents refund from the fund?", stream=True, **own)
    await visitor.says("How do I force the transfer of a domain?", **own)
    await visitor.call("GET", "/chat/stream/{turn_id}", turn_id=turn)
    await visitor.call("POST", "/chat/stop", {"turn_id": turn})
    await visitor.call("POST", "/feedback", {**own, "turn_id": turn, "rating": "down"})
    await visitor.call("GET", "/pages/{name}", name=f"{'a1' * 10}-1?turn_id={turn}")
    await visitor.call("POST", "/handoff", {**own, "message": "I want to know about the fund"})
    agent = await agent_of(visitor.client)
    one = (await agent.get(f"/desk/api/conversations/{conversation}"))["conversation"]
    await agent.post(f"/desk/api/conversations/{conversation}/take", version=one["version"])
    await visitor.says("How much may be refunded from the fund, and how do I book it?", **own)
    await visitor.call("POST", "/conversations/{conversation_id}/typing", {"on": True}, **own)
    await visitor.call("POST", "/conversations/{conversation_id}/read", {"seq": 1}, **own)
    await _events(visitor, conversation)
    await _drafted(visitor, agent, conversation)
    version = (await agent.get(f"/desk/api/conversations/{conversation}"))["conversation"]["version"]
    await agent.post(f"/desk/api/conversations/{conversation}/resolve", version=version)
    await visitor.call("POST", "/conversations/{conversation_id}/csat", {"score": 1}, **own)
    await visitor.call("POST", "/conversations/{conversation_id}/reopen", {}, **own)
    await visitor.call("GET", "/conversations")
    await visitor.call("GET", "/conversations/{conversation_id}", **own)
    await visitor.call("GET", "/conversations/{conversation_id}/transcript", **own)
    await visitor.call("POST", "/conversations/{conversation_id}/transcript", {"email": "ada@example.com"}, **own)

    assert visitor.called == visitor_routes(app)
    assert visitor.leaks == []


async def test_the_picture_of_a_page_is_given_for_an_answer_that_cites_it_and_none_of_what_is_for_agents(
    settings: Settings, visitor: Visitor
) -> None:
    token = (await visitor.call("POST", "/visitor", {})).json()["token"]
    visitor.headers = {"Authorization": f"Bearer {token}"}
    answer = (await visitor.call("POST", "/ask", {"question": "What does parking at the pier cost?"})).json()
    cited = {
        place["image"]["name"] for one in answer["citations"] for place in one["places"] if place["image"] is not None
    }
    kept = settings.storage.data_dir / "kb" / settings.knowledge.kb / "pages"
    drawn = {f"{page.parent.name}-{page.stem}" for page in kept.glob("*/*.webp")}

    given = {
        name
        for name in drawn
        if (await visitor.call("GET", "/pages/{name}", name=f"{name}?turn_id={answer['turn_id']}")).status_code == 200
    }

    assert len(drawn) == 2
    assert len(cited) == 1
    assert given == cited


SECRETS = [without_canaries(text) for text in sentences([*FOR_AGENTS.values(), *HELD_BACK.values()])]
WORDS = sorted({word for text in SECRETS for word in text.split()})
HIDDEN = (
    "zz-narwhalink-goodwill",
    "zz-narwhalink-transfers",
    "quokkajar",
    "Quokkajar",
    "okapimoss",
    "agents",
    "public",
)


def drawn(draw: Random, schema: Mapping[str, Any], spec: Mapping[str, Any], known: Mapping[str, str]) -> Any:
    """A value of the schema whose texts are what the pages for agents say, or ids that are `known`."""
    if "$ref" in schema:
        schema = spec["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    if choices := schema.get("anyOf"):
        return drawn(draw, draw.choice(choices), spec, known)
    if "enum" in schema:
        return draw.choice(schema["enum"])
    match schema.get("type"), schema.get("format"):
        case "object", _:
            named = schema.get("properties", {})
            chosen = {*schema.get("required", []), *draw.sample(sorted(named), min(3, len(named)))}
            return {name: known.get(name) or drawn(draw, named[name], spec, known) for name in sorted(chosen)}
        case "array", _:
            return [drawn(draw, schema["items"], spec, known) for _ in range(draw.randint(1, 2))]
        case "integer" | "number", _:
            return draw.randint(1, 5)
        case "boolean", _:
            return draw.random() < 0.5
        case "null", _:
            return None
        case _, "uuid":
            return str(uuid4())
        case _, "date":
            return draw.choice(["2026-01-01", "2026-07-01"])
    return draw.choice([draw.choice(SECRETS), draw.choice(HIDDEN), " ".join(draw.choices(WORDS, k=6))])


async def test_no_call_of_any_endpoint_brings_it_out(served: tuple[FastAPI, httpx.AsyncClient]) -> None:
    """Whatever the schema allows, in the words of the pages for agents and with the names of their facets."""
    app, client = served
    spec, draw = app.openapi(), Random(33)  # noqa: S311
    operations = sorted(
        (method, path)
        for path, methods in spec["paths"].items()
        for method in methods
        if not path.startswith("/desk") and not path.endswith("/events")
    )
    asking = [("post", "/ask"), ("post", "/chat/stream")] * 25
    leaks: list[str] = []
    for method, path in operations * 4 + asking:
        visitor = Visitor(client)
        content = spec["paths"][path][method].get("requestBody", {}).get("content", {}).get("application/json")
        known = {"conversation_id": "c-property", "turn_id": str(uuid4())}
        body = drawn(draw, content["schema"], spec, known) if content else None
        place = f"{'a1' * 10}-1?turn_id={known['turn_id']}"
        await visitor.call(method.upper(), path, body, **known, name=place)
        leaks += visitor.leaks

    assert {("post", "/ask"), ("post", "/chat/stream"), ("post", "/handoff")} <= set(operations)
    assert leaks == []


async def _events(visitor: Visitor, conversation: str) -> None:
    path = "/conversations/{conversation_id}/events"
    visitor.called.add(("GET", path))
    side = Side(visitor.client, visitor.headers)
    async with side.following(path.format(conversation_id=conversation)):
        await until(lambda: bool(side.of("message")))
    visitor.look(path, json.dumps(side.received))


async def _drafted(visitor: Visitor, agent: Side, conversation: str) -> None:
    """A draft is sent to the visitor as it is, unless the agent reads it first: it holds nothing of it either."""
    draft = await agent.post(f"/desk/api/conversations/{conversation}/draft")
    assert draft.status_code == 200, draft.text
    visitor.look("draft", draft.text)
