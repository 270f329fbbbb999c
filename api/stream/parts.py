"""A turn told in parts of the AI SDK's UI message stream (v1), with our own as `data-*`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic_ai.ui.vercel_ai.response_types import (
    AbortChunk,
    BaseChunk,
    DataChunk,
    DoneChunk,
    ErrorChunk,
    FinishChunk,
    StartChunk,
    TextDeltaChunk,
    TextEndChunk,
    TextStartChunk,
)

from handrail.conversation.streams.journal import Journal
from handrail.records.turns import Response

SDK_VERSION = 6
DELTA_CHARS = 160
SLICE = re.compile(rf".{{1,{DELTA_CHARS}}}(?=\s|$)|.{{1,{DELTA_CHARS}}}", re.S)
"""A delta ends at a space where there is one, so that half a word is rarely painted."""
NOT_CLAIMS = "reply"
"""Id of the text of a reply that is not made of claims."""


class Narrator:
    """A TurnWatch that writes what it is told into a journal."""

    def __init__(self, journal: Journal, turn_id: str) -> None:
        self._journal = journal
        self._turn_id = turn_id
        self._standing: set[str] = set()
        self._begun = False

    def start(self) -> None:
        self._write(StartChunk(message_id=self._turn_id))

    async def stage(self, name: str) -> None:
        self._write(_data("stage", {"name": name}, transient=True))

    async def draft(self, text: str) -> None:
        self._write(_data("draft", {"text": text}, transient=True))

    async def claim(self, id: str, text: str, indexes: Sequence[int]) -> None:
        self._standing.add(id)
        self._write(*_text(id, text))

    async def replaced(self, id: str, label: str, replacement: str | None) -> None:
        if replacement is None:
            self._standing.discard(id)
        claim = {"id": id, "support": label, "score": None, "replacement": replacement or ""}
        self._write(_data("verification", {"claims": [claim], "factuality": None}))

    def finish(self, response: Response) -> None:
        """What closes a turn: the reply where no claim stands, the labels, and the outcome."""
        if not self._standing:
            self._write(*_text(NOT_CLAIMS, response["answer"]))
        self._write(*closing(response))

    def abort(self) -> None:
        self._write(AbortChunk(reason="stopped"), DoneChunk())

    def fail(self, text: str) -> None:
        self._write(ErrorChunk(error_text=text), DoneChunk())

    def _write(self, *chunks: BaseChunk) -> None:
        for chunk in chunks:
            self._journal.write(chunk.encode(SDK_VERSION))


def replay(response: Response) -> list[str]:
    """A finished turn told again, from what was stored."""
    chunks = [StartChunk(message_id=response["turn_id"]), *_text(NOT_CLAIMS, response["answer"]), *closing(response)]
    return [chunk.encode(SDK_VERSION) for chunk in chunks]


def ending(response: Response) -> list[str]:
    """The end of a finished turn, for whoever has seen its beginning."""
    return [chunk.encode(SDK_VERSION) for chunk in closing(response)]


def failure(text: str) -> list[str]:
    return [chunk.encode(SDK_VERSION) for chunk in (ErrorChunk(error_text=text), DoneChunk())]


def closing(response: Response) -> Iterator[BaseChunk]:
    """Citations, labels, the offer of a person, the outcome, and the end."""
    if response["citations"]:
        yield _data("citations", {"citations": response["citations"]}, id="citations")
    if claims := response["claims"]:
        labels = [{"id": claim["id"], "support": claim["support"], "score": claim["score"]} for claim in claims]
        yield _data("verification", {"claims": labels, "factuality": response["factuality"]})
    yield _data("handoff", response["escalation"], id="handoff")
    yield _data("outcome", response, id="outcome")
    yield FinishChunk(finish_reason="stop")
    yield DoneChunk()


def _text(id: str, text: str) -> Iterator[BaseChunk]:
    yield TextStartChunk(id=id)
    for piece in SLICE.findall(text):
        yield TextDeltaChunk(id=id, delta=piece)
    yield TextEndChunk(id=id)


def _data(name: str, data: Any, *, id: str | None = None, transient: bool | None = None) -> DataChunk:
    return DataChunk(type=f"data-{name}", data=data, id=id, transient=transient)
