"""A visitor who follows a streamed answer, and what came when."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx

from eval.benchmark.turns import ANSWERS
from eval.metrics.timing import percentiles

TIMEOUT_S = 60.0
ROUTINGS = frozenset(routing.value for routing in ANSWERS)


class StreamFailed(Exception):
    """A stream that did not come to its outcome; the text says how it ended."""


@dataclass(frozen=True, slots=True)
class Followed:
    """Milliseconds from sending the question."""

    first_event: float
    first_text: float | None
    """The first words of an answer; None where there were none."""
    first_claim: float | None
    """The end of the answer's first statement."""
    complete: float
    routing: str
    provider: str


async def follow(client: httpx.AsyncClient, question: str) -> Followed:
    """Ask and read the stream to its end. Raises StreamFailed, or httpx.HTTPError when the connection breaks."""
    start = time.perf_counter()
    seen: dict[str, float] = {}
    outcome: dict[str, Any] | None = None
    async with client.stream("POST", "/chat/stream", json={"question": question}) as response:
        if response.status_code != 200:
            raise StreamFailed(f"HTTP {response.status_code}")
        async for line in response.aiter_lines():
            if not line.startswith("data: {"):
                continue
            part = json.loads(line[6:])
            passed = (time.perf_counter() - start) * 1000
            seen.setdefault("event", passed)
            seen.setdefault(part["type"], passed)
            if part["type"] == "data-outcome":
                outcome = part["data"]
            elif part["type"] == "error":
                raise StreamFailed("error part")
    if outcome is None:
        raise StreamFailed("no outcome")
    complete = (time.perf_counter() - start) * 1000
    provider = str(outcome["meta"]["provider"])
    return Followed(
        seen["event"], seen.get("text-delta"), seen.get("text-end"), complete, str(outcome["routing"]), provider
    )


@dataclass(slots=True)
class Streams:
    """Streams one after another; readable at any time, so that an interruption keeps what was measured."""

    followed: list[Followed] = field(default_factory=list)
    """Those of answers: what else there is to say has no first statement."""
    errors: list[str] = field(default_factory=list)

    async def run(
        self, url: str, questions: Sequence[str], enough: int, advance: Callable[[], None], *, warm_up: int = 0
    ) -> None:
        """Until `enough` were answered. The first `warm_up` questions are asked and not counted."""
        async with httpx.AsyncClient(base_url=url, timeout=TIMEOUT_S, trust_env=False) as client:
            for number, question in enumerate(questions):
                if len(self.followed) == enough:
                    return
                try:
                    found = await follow(client, question)
                except (httpx.HTTPError, StreamFailed) as error:
                    self.errors.append(f"{type(error).__name__}: {error}")
                    continue
                if number >= warm_up and found.routing in ROUTINGS and found.first_claim is not None:
                    self.followed.append(found)
                    advance()

    def metrics(self) -> dict[str, Any]:
        return {
            "first_event": percentiles([item.first_event for item in self.followed]),
            "first_sentence": percentiles([item.first_claim for item in self.followed if item.first_claim is not None]),
            "complete": percentiles([item.complete for item in self.followed]),
            "n": len(self.followed),
            "errors": len(self.errors),
        }
