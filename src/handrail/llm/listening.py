"""What is heard of a reply while it streams, and how long is listened."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.messages import (
    AgentStreamEvent,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
)

from handrail.llm import TextListener
from handrail.llm.kinds import Failure, Stalled, because
from handrail.llm.repair import json_so_far
from handrail.llm.repeats import Repeats

CHARS_PER_TOKEN = 16
"""More than any tokenizer puts into one on average: a longer reply pays no heed to its limit."""
WORDLESS, WORDLESS_S = 20, 2.0
"""Tokens in a row without a letter or digit, and the seconds they take, after which no answer is coming: indents and
rules of tables are shorter, and come at once."""


class Listening:
    """Passes on the JSON of the first reply that has any: what a later one says is known when it is complete.

    Raises Stalled when the stream says nothing for `stall_s` seconds, be it silent or not, repeats itself, or does not
    end by `most_tokens`.
    """

    def __init__(self, on_text: TextListener, stall_s: float, most_tokens: int, host: str) -> None:
        self._on_text = on_text
        self._stall_s = stall_s
        self._most_chars = most_tokens * CHARS_PER_TOKEN
        self._host = host
        self.passed_on = False
        self._begun = False

    async def __call__(self, _context: RunContext[Any], events: AsyncIterable[AgentStreamEvent]) -> None:
        silent, text, shown, chars = self.passed_on, "", "", 0
        self._begun = False
        repeats, words = Repeats(), Words(self._stall_s)
        async for event in self._prompt(events):
            piece, reasoning = _piece(event)
            chars += len(piece) + len(reasoning)
            self._begun = chars > 0
            if chars > self._most_chars:
                says = f"{self._host} does not end its reply at llm.max_output_tokens; it was given up"
                raise because(Stalled(says), Failure.ENDLESS)
            if repeats.found(piece or reasoning):
                says = f"{self._host} repeats itself; it was given up"
                raise because(Stalled(says), Failure.ENDLESS)
            if words.missed(piece or reasoning):
                says = f"{self._host} goes on without a word; it was given up"
                raise because(Stalled(says), Failure.ENDLESS)
            if silent or not piece:
                continue
            text += piece
            now = json_so_far(text)
            if now and now != shown:
                self.passed_on, shown = True, now
                await self._on_text(now)

    async def _prompt(self, events: AsyncIterable[AgentStreamEvent]) -> AsyncIterator[AgentStreamEvent]:
        arriving = aiter(events)
        while True:
            try:
                async with asyncio.timeout(self._stall_s):
                    event = await anext(arriving, None)
            except TimeoutError:
                if not self._begun:
                    says = f"{self._host} sent no first token within {self._stall_s:g} s (llm.stall_s)"
                    raise because(Stalled(says), Failure.SLOW_START) from None
                says = f"{self._host} fell silent in the middle of a reply for {self._stall_s:g} s (llm.stall_s)"
                raise because(Stalled(says), Failure.STALLED) from None
            if event is None:
                return
            yield event


class Words:
    """Whether there are still words in what arrives, or only blanks and dots."""

    def __init__(self, stall_s: float) -> None:
        self._stall_s = stall_s
        self._clock = asyncio.get_running_loop().time
        self._heard_at = self._clock()
        self._without = 0

    def missed(self, piece: str) -> bool:
        now = self._clock()
        if any(map(str.isalnum, piece)):
            self._heard_at, self._without = now, 0
            return False
        self._without += bool(piece)
        most = WORDLESS_S if self._without >= WORDLESS else self._stall_s
        return self._without > 0 and now - self._heard_at >= most


def _piece(event: AgentStreamEvent) -> tuple[str, str]:
    """Text, and reasoning that the server tells apart."""
    if isinstance(event, PartStartEvent):
        if isinstance(event.part, TextPart):
            return event.part.content, ""
        return "", event.part.content if isinstance(event.part, ThinkingPart) else ""
    if isinstance(event, PartDeltaEvent):
        if isinstance(event.delta, TextPartDelta):
            return event.delta.content_delta, ""
        return "", (event.delta.content_delta or "") if isinstance(event.delta, ThinkingPartDelta) else ""
    return "", ""
