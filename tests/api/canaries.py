"""Pages whose words no visitor may read, and a visitor who looks for them in all that comes back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import httpx
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts

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
