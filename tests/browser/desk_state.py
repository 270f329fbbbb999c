"""What the desk's pages show in tests, held in memory."""

from __future__ import annotations

import asyncio
import copy
import json
import time
from collections.abc import Callable
from typing import Any

from tests.browser import desk_reports
from tests.browser.desk_records import PEOPLE, Json, conversation


class DeskSite:
    """What is in the desk, what was asked of it, and what a test may change about it."""

    def __init__(self) -> None:
        self.url = ""
        self.loop: asyncio.AbstractEventLoop | None = None
        self.reset()

    def reset(self) -> None:
        self.conversations: dict[str, Json] = {}
        self.canned: list[Json] = [
            {
                "id": "k1",
                "title": "Greeting",
                "text": "Hello {visitor_name}, {agent_name} here. Your case is {reference}.",
            },
            {"id": "k2", "title": "Refund time", "text": "Refunds arrive within five working days."},
        ]
        self.people = copy.deepcopy(PEOPLE)
        self.cases = copy.deepcopy(desk_reports.CASES)
        self.grades = copy.deepcopy(desk_reports.GRADES)
        self.fall: Json | None = None
        self.letters = copy.deepcopy(desk_reports.LETTERS)
        self.visitors = {"eve@example.net": 2}
        self.role = "admin"
        self.ways: Json = {"password": True, "oidc": None}
        self.code = ""
        self.factor_required = False
        """What is asked for after the password; empty without a second factor."""
        self.writes: list[tuple[str, Json]] = []
        self.listeners: list[asyncio.Queue[str | None]] = []
        self.refuse: dict[str, int] = {}
        self.down = False
        self.degraded: list[Json] = []
        self.paused: Json | None = None
        self.csat = 4.6

    def add(self, id_: str, **fields: Any) -> Json:
        made = conversation(id_, **fields)
        self.conversations[id_] = made
        return made

    def tell(self, kind: str, **detail: Any) -> None:
        """An event to every desk that listens. May be called from the test's thread."""
        text = f"event: {kind}\ndata: {json.dumps({'type': kind, **detail})}\n\n"
        self._each(lambda queue: queue.put_nowait(text))

    def cut(self) -> None:
        """Ends every stream, as a server that restarts does."""
        self._each(lambda queue: queue.put_nowait(None))

    def say(self, id_: str, author: str, text: str, *, tell: bool = True, **fields: Any) -> Json:
        """Somebody writes in a conversation."""
        kept = self.conversations[id_]
        made = {
            "id": f"{id_}-{len(kept['messages']) + 1}",
            "seq": len(kept["messages"]) + 1,
            "author": author,
            "name": None,
            "user_id": None,
            "text": text,
            "kind": "message",
            "turn_id": None,
            "at": time.time(),
            **fields,
        }
        kept["messages"].append(made)
        item = kept["item"]
        item |= {"last_text": text, "last_author": author, "updated_at": made["at"]}
        item["unread"] += author == "visitor"
        if tell:
            self.tell("message", conversation_id=id_, message=made)
            self.tell("conversation", item=item)
        return made

    def written(self, path: str) -> list[Json]:
        return [body for asked, body in self.writes if asked.endswith(path)]

    def change(self, id_: str, **fields: Any) -> Json:
        """The conversation changes hands, and everybody is told."""
        item: Json = self.conversations[id_]["item"]
        item |= {"version": item["version"] + 1, "updated_at": time.time(), **fields}
        self.tell("conversation", item=item)
        return item

    def _each(self, work: Callable[[asyncio.Queue[str | None]], None]) -> None:
        if self.loop is not None:
            for queue in list(self.listeners):
                self.loop.call_soon_threadsafe(work, queue)
