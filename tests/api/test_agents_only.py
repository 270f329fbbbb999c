"""What articles for agents say reaches no visitor: not through any endpoint, whatever is asked of it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import httpx
import pytest
import uvicorn
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts

from api.app import create_app
from handrail.assembly import Assistant
from handrail.cli.ingest import run
from handrail.knowledge.folder import Folder
from handrail.settings import Settings
from tests.api.live import until
from tests.api.two_sides import Side, add_people, agent_of
from tests.sample import sample_settings

pytestmark = [pytest.mark.anyio, pytest.mark.models]

PUBLIC = {
    "refunds": """---
title: Refund a store order
section: Store
related: [zz-narwhalink-goodwill, discounts]
---
A refund returns the money to the method the customer paid with, within five working days.

## Steps

1. Go to **Store > Orders** and open the order.
2. Choose **Refund** and enter the amount.
3. Confirm with **Refund order**.
""",
    "domains": """---
title: Transfer a domain to another provider
section: Domains
superseded_by: zz-narwhalink-transfers
---
You can move your domain to another provider 60 days after you bought it.

## Steps

1. Open **Settings > Domains** and choose your domain.
2. Choose **Unlock** and copy the transfer code.
3. Give the code to the new provider.
""",
    "discounts": """---
title: Create a discount code
section: Store
---
A discount code lowers the price of an order in your store.

## Steps

1. Go to **Store > Discounts** and choose **New code**.
2. Enter the percentage and the last day.
3. Choose **Save**.
""",
}
FOR_AGENTS = {
    "zz-narwhalink-goodwill": """---
title: Give a goodwill refund from the zebrafinch fund
section: Quokkajar
audience: agents
project_key: okapimoss
tags: [zebrafinch]
tier: canonical
updated: 2026-06-01
next: discounts
---
Agents may give goodwill refunds of up to EUR 217 from the zebrafinch fund.
Never tell customers about okapimoss refunds.

## Book a goodwill refund as quokkajar

1. Open **Admin > Goodwill** and choose **Narwhalink**.
2. Enter the amount and the reason TW-9191.
3. Confirm the goodwill refund with okapimoss.
""",
    "zz-narwhalink-transfers": """+++
title = "Force a domain transfer with the zebrafinch key"
visibility = "agents"
+++
Agents can force the transfer of a domain before the 60 days are over. The quokkajar key skips the waiting time.

## What does a forced okapimoss transfer cost?

A forced transfer of a domain costs EUR 217.
""",
}
HELD_BACK = {
    "zz-narwhalink-codes": """---
title: Create a discount code for okapimoss staff
draft: true
---
The zebrafinch discount code takes 217 percent off every order in your store.
""",
}
CANARIES = ("zebrafinch", "quokkajar", "okapimoss", "narwhalink", "217", "9191", "goodwill", "forced")
FOLLOW_UPS = ("why?", "and how much is it at most?", "tell me more", "no, the other one", "what else can you do there?")
FOREIGN = {
    "de": "Wie hoch darf eine Erstattung aus Kulanz sein?",
    "fr": "Comment forcer le transfert d'un domaine avant 60 jours ?",
    "es": "¿Cuánto cuesta forzar la transferencia de un dominio?",
    "ru": "Как вернуть деньги клиенту в порядке исключения?",
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


def sentences(pages: Iterable[str]) -> list[str]:
    """What the pages say, heading by heading and sentence by sentence."""
    lines = [line for page in pages for line in page.splitlines() if re.search(r"\w \w", line)]
    parts = [part for line in lines for part in re.split(r"(?<=[.?])\s", re.sub(r"^\W*(title\W+)?(\d\.)?", "", line))]
    return [part.strip("*\" '") for part in parts if len(part.split()) > 3]


def without_canaries(text: str) -> str:
    return " ".join(word for word in text.split() if not any(canary in word.lower() for canary in CANARIES))


@dataclass
class Visitor:
    """Calls endpoints by the path they are declared with, and looks for canaries that were not in what was sent."""

    client: httpx.AsyncClient
    headers: dict[str, str] = field(default_factory=dict)
    called: set[tuple[str, str]] = field(default_factory=set)
    leaks: list[str] = field(default_factory=list)
    sent: str = ""
    answered: int = 0

    async def call(self, method: str, path: str, body: Any = None, **places: str) -> httpx.Response:
        self.called.add((method, path))
        self.sent += json.dumps(body, ensure_ascii=False).lower()
        response = await self.client.request(method, path.format(**places), json=body, headers=self.headers)
        assert response.status_code < 500, response.text
        self.look(f"{method} {path} {body}", response.text)
        return response

    def look(self, where: str, text: str) -> None:
        deltas = "".join(re.findall(r'"delta":"((?:[^"\\]|\\.)*)"', text))
        heard = f"{text}\n{deltas}".lower()
        self.leaks += [f"{canary} in {where}" for canary in CANARIES if _has(canary, heard) and canary not in self.sent]

    async def says(self, text: str, *, stream: bool = False, **body: Any) -> str:
        """Asks, and gives the id of the turn."""
        turn = str(uuid4())
        path = "/chat/stream" if stream else "/ask"
        response = await self.call("POST", path, {"question": text, "turn_id": turn, **body})
        self.answered += '"routing":"answered"' in response.text
        return turn


def _has(canary: str, text: str) -> bool:
    """Numbers count as words of their own: ids and times hold digits by chance."""
    pattern = rf"(?<![\w.-]){canary}(?![\w.-])" if canary.isdecimal() else canary
    return re.search(pattern, text) is not None


def visitor_routes(app: FastAPI) -> set[tuple[str, str]]:
    """All but the desk's, which needs an agent's session; a mounted folder counts as a GET of its root."""
    found = set()
    for route in iter_route_contexts(app.routes):
        path = str(route.path or getattr(route.original_route, "path", ""))
        methods = route.methods or {"GET"}
        found |= {(method, path) for method in methods - {"HEAD"} if path != "/desk" and not path.startswith("/desk/")}
    return found


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
