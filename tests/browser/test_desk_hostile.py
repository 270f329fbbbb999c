"""Whatever visitors, articles, models and colleagues write, the desk shows text, runs nothing and asks nobody else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import cycle
from typing import Any

import pytest
from playwright.sync_api import Route, expect

from tests.browser.desk import Desk
from tests.browser.desk_records import PASSAGES
from tests.browser.hostile import ADDRESSES, AROUND, RUNS, TEXTS, Watch
from tests.browser.waiting import eventually

CODES = {
    "id", "state", "routing", "label", "lang", "role", "kind", "author", "action", "turn_id", "user_id", "csrf",
    "conversation_id", "support", "rating", "status", "format", "day", "date", "sample", "by", "class", "channel",
    "concern_turn_id", "from", "to", "next", "time_zone", "week", "opens_at", "declared", "band", "secret", "columns",
    "verdict", "audience", "hours", "conversation", "trace_id", "stage", "what",
}  # fmt: skip
"""What the desk looks up rather than shows, or goes by."""
STAGES: list[dict[str, Any]] = [
    {"name": name, "ms": 4.0, "input": "asked", "output": "told", "error": "failed", "stages": [], "values": values}
    for name, values in (
        (
            "understand",
            {"requests": [{"text": "asked", "senses": [{"text": "sense", "label": "answerable", "probability": 0.9,
              "by": "model", "prior": 0.5, "probabilities": {"answerable": 0.9}}]}], "more": ["listed", {"a": "b"}]},
        ),
        (
            "retrieve",
            {"gates": {"answered": 0.5, "closest": 0.2}, "requests": [{"text": "asked", "query": "query",
              "label": "answerable", "band": "answered", "probability": 0.8, "unlisted": ["X-1"],
              "sections": [{**PASSAGES[0], "probability": 0.8, "signals": {"cross": 0.4}}],
              "passages": [{**PASSAGES[1], "final": 0.8, "dense": 0.7, "keyword": 1.0, "fused": 0.8, "late": None}]}]},
        ),
    )
]  # fmt: skip
TRACE: dict[str, Any] = {
    "trace_id": "t", "turn_id": "t1", "conversation_id": "c1", "at": 1_800_000_000.0, "ms": 9.0, "kb": "acme",
    "kb_version": "v1", "settings": "digest", "stages": STAGES,
    "input": {"text": "asked", "history": [{"question": "before", "answer": "told", "routing": "answered"}]},
    "outcome": {"routing": "answered", "label": "answerable", "answer": "said", "degraded": ["part"], "error": "why"},
    "answered_by": {"provider": "llm", "model": "m", "tokens": {"input": 1, "output": 1, "cached": 0}, "cost_usd": 0.0},
}  # fmt: skip
UPLOAD: dict[str, Any] = {"id": "u1", "name": "file.md", "size": 900, "by": "u2", "at": 1_800_000_000.0}
ARTICLE = {
    "id": "a", "title": "title", "url": "https://help.tillwick.example/a", "for_agents": True, "planted": True,
    "sections": [{"heading": "head", "text": "body"}] * 30,
}  # fmt: skip
TOLD = {
    "finished": 1_800_000_000.0, "added": [], "changed": [], "removed": [], "quarantined": ["one", "two"],
    "suspicious": {"a": "why"}, "unread": {"b": "why"}, "error": None,
}  # fmt: skip
SOURCE = {
    "id": "s1", "kind": "site", "where": "where", "locale": "en", "folder": "", "branch": "", "url_base": "",
    "active": True, "declared": "desk", "has_token": False, "articles": 2,
}  # fmt: skip
ANSWERS: dict[str, Any] = {
    "traces/t1": {"trace": TRACE},
    "traces/t1/replay": {
        "same": False,
        "setup": [{"what": "kb_version", "before": "old", "after": "new"}],
        "differences": [{"stage": "retrieve", "what": "sections", "before": ["one"], "after": {"k": "two"}}],
    },
    "uploads": {
        "waiting": [UPLOAD], "max_bytes": 10_000,
        "files": [{**UPLOAD, "version": 2, "versions": [1, 2], "articles": ["a", "b"], "tags": ["tag", "other"]}],
    },
    "uploads/u1": {
        **UPLOAD, "articles": [ARTICLE] * 2, "notes": ["note"], "suggested_tags": ["tag"], "planted": True,
        "replaces": True,
    },
    "sources": {
        "items": [SOURCE, {**SOURCE, "id": "s2", "active": False}], "folders": ["/x"], "every_minutes": 0,
        "running": False, "last": TOLD, "preview": {**TOLD, "source": "s1"},
    },
}  # fmt: skip
"""What the desk's server in these tests does not have."""


class Poison:
    """Puts the next hostile text in the place of every text that an answer of the API holds."""

    def __init__(self) -> None:
        self._texts, self._addresses = cycle(TEXTS), cycle(ADDRESSES)
        self.served: set[str] = set()

    def text(self) -> str:
        text = next(self._texts)
        self.served.add(text)
        return text

    def over(self, value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            codes = {"name"} if {"columns", "stages"} & value.keys() else set()
            return {name: one if name in CODES | codes else self.over(one, name) for name, one in value.items()}
        if isinstance(value, list):
            return [self.over(one, key) for one in value]
        if not isinstance(value, str):
            return value
        return next(self._addresses) if key == "url" else self.text()

    def answer(self, route: Route) -> None:
        path = route.request.url.partition("/desk/api/")[2].partition("?")[0]
        if path.startswith(("events", "sign", "me", "ways", "account")):
            route.fallback()
        elif path in ANSWERS:
            route.fulfill(json=self.over(ANSWERS[path]))
        else:
            given = route.fetch()
            if "json" not in given.headers.get("content-type", ""):
                route.fulfill(response=given)
            else:
                route.fulfill(response=given, json=self.over(given.json()))


@pytest.fixture
def poison(desk: Desk) -> Iterator[Poison]:
    made = Poison()
    desk.page.route("**/desk/api/**", made.answer)
    yield made
    desk.page.unroute_all(behavior="ignoreErrors")


def everything_open(desk: Desk) -> None:
    desk.page.evaluate("() => { for (const one of document.querySelectorAll('main details')) one.open = true }")


def test_every_page_shows_two_hundred_hostile_texts_as_text(desk: Desk, poison: Poison) -> None:
    site, page, watch = desk.site, desk.page, Watch(desk.page)
    for n in range(40):
        site.add(f"c{n}", place=n, concern="high_stakes" if n % 2 else None, csat=1, csat_comment="bad")
    context = {"user": {"name": "n"}, "page": "p", "referrer": "r", "user_agent": "u", "signed": {"plan": "p"}}
    site.conversations["c1"]["visitor"] |= {
        "context": context,
        "other_conversations": [site.conversations["c2"]["item"]],
    }
    site.conversations["c1"]["notes"] = [
        {"id": f"n{n}", "user_id": "u1", "name": "Mira", "text": "note", "at": 1_800_000_000.0} for n in range(5)
    ]
    site.conversations["c1"]["turns"][0]["traced"] = True
    for n in range(60):
        site.say("c1", ("visitor", "assistant", "agent")[n % 3], "text", tell=False, name="name")
    desk.sign_in("#/queue")
    expect(desk.rows.first).to_be_visible()
    ready: dict[str, Callable[[], None]] = {
        "queue/c1": lambda: expect(desk.messages.nth(40)).to_be_attached(),
        "reports": lambda: expect(page.locator("[data-report] table").nth(8)).to_be_attached(),
        "gaps": lambda: expect(page.locator(".samples").first).to_be_attached(),
        "grades": lambda: expect(page.locator("main h1")).to_be_visible(),
        "articles": lambda: expect(page.locator(".rows .chips").nth(2)).to_be_attached(),
        "settings": lambda: expect(page.locator("main h2").nth(4)).to_be_attached(),
        "trace/t1": lambda: expect(page.locator(".stages > li")).to_have_count(2),
    }
    for place, is_there in ready.items():
        page.evaluate("place => { location.hash = '#/' + place }", place)
        is_there()
        page.wait_for_load_state("networkidle") if place == "reports" else None
        everything_open(desk)
        if place == "articles":
            page.get_by_role("button", name="Review").first.click()
            expect(page.get_by_role("dialog").locator(".piece").nth(50)).to_be_attached()
            watch.nothing_happened(site.url)
            page.keyboard.press("Escape")
        if place == "gaps":
            page.get_by_role("button", name="Read").first.click()
            expect(page.get_by_role("dialog")).to_be_visible()
            watch.nothing_happened(site.url)
            page.keyboard.press("Escape")
        if place == "trace/t1":
            page.get_by_role("button", name="Run").first.click()
            expect(page.locator(".differences table")).to_be_visible()
        watch.nothing_happened(site.url)

    assert len(poison.served) == len(TEXTS) >= 200


def test_what_arrives_and_what_is_typed_is_text_too(desk: Desk) -> None:
    site, page, watch = desk.site, desk.page, Watch(desk.page)
    site.add("c1", owner={"id": "u1", "name": "Mira"}, state="person")
    desk.open("c1")

    for at in range(0, len(TEXTS), 12):
        site.say("c1", "visitor", "\n\n".join(TEXTS[at : at + 12]), name=TEXTS[at])
    eventually(page, lambda: desk.messages.count() >= len(TEXTS) // 12, True)
    for text in TEXTS[:: len(AROUND)]:
        desk.composer.fill(text)
        page.keyboard.press("Control+Enter")
        expect(desk.composer).to_have_value("")
    page.evaluate("text => { location.hash = '#/queue/' + encodeURIComponent(text) }", TEXTS[0])
    page.evaluate("() => { location.hash = '#/queue' }")
    page.get_by_role("searchbox").fill(f"<img src=x onerror={RUNS}>")
    page.keyboard.press("Enter")
    page.wait_for_timeout(300)

    watch.nothing_happened(site.url)
