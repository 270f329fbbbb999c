"""Visitors who ask over HTTP at the same time, each the next question as soon as the last is answered."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence

import httpx

from eval.metrics.timing import percentiles

VISITORS = 20
TURNS_EACH = 5
TIMEOUT_S = 60.0


class Load:
    """What the visitors saw; readable at any time, so that an interruption keeps what was measured."""

    def __init__(self, visitors: int = VISITORS, turns_each: int = TURNS_EACH) -> None:
        self.visitors = visitors
        self.turns_each = turns_each
        self.milliseconds: list[float] = []
        self.errors: list[str] = []
        self.seconds = 0.0

    async def run(self, url: str, questions: Sequence[str], advance: Callable[[], None]) -> None:
        """Anything but a 200 is an error; its duration is not counted."""
        limits = httpx.Limits(max_connections=self.visitors)
        start = time.perf_counter()
        try:
            async with (
                httpx.AsyncClient(base_url=url, timeout=TIMEOUT_S, limits=limits, trust_env=False) as client,
                asyncio.TaskGroup() as group,
            ):
                for visitor in range(self.visitors):
                    group.create_task(self._visit(client, visitor, questions, advance))
        finally:
            self.seconds = time.perf_counter() - start

    async def _visit(
        self, client: httpx.AsyncClient, visitor: int, questions: Sequence[str], advance: Callable[[], None]
    ) -> None:
        conversation: dict[str, str] = {}
        for turn in range(self.turns_each):
            text = questions[(visitor * self.turns_each + turn) % len(questions)]
            start = time.perf_counter()
            try:
                reply = await client.post("/ask", json={"question": text, **conversation})
            except httpx.HTTPError as error:
                self.errors.append(type(error).__name__)
            else:
                if reply.status_code == 200:
                    self.milliseconds.append((time.perf_counter() - start) * 1000)
                    conversation = {"conversation_id": reply.json()["conversation_id"]}
                else:
                    self.errors.append(f"HTTP {reply.status_code}: {reply.text[:200]}")
            advance()

    def metrics(self) -> dict[str, float | int | None]:
        rate = round(len(self.milliseconds) / self.seconds, 2) if self.seconds else None
        return {
            **percentiles(self.milliseconds),
            "errors": len(self.errors),
            "turns": len(self.milliseconds),
            "turns_per_s": rate,
        }
