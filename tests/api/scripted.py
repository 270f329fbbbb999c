"""An assistant that gives the outcomes it is told to, for states that are rare with a real one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from pydantic_ai.models.decision import DecisionModel

from handrail.errors import RetryableError
from handrail.llm.health import Problem
from handrail.llm.meter import reserve, spend
from handrail.observe.record import TurnRecord
from handrail.observe.recorder import Sink
from handrail.settings import Settings
from handrail.turn import outcome
from handrail.turn.watch import TurnWatch
from handrail.turn.wording import load_wording
from handrail.types import Citation, Classification, Label, Outcome, Passage, Question, Turn, Verdict
from handrail.types.usage import Usage

WORDING = load_wording("Tillwick")
PASSAGE = Passage(
    id="domains:connect/2",
    article_id="domains:connect",
    position=2,
    title="Connect a domain",
    headings=("Steps",),
    text="Open Settings and choose Domains.",
    url="https://help.tillwick.example/domains/connect#steps",
    tokens=8,
)
CITATIONS = (Citation(1, PASSAGE, 0.93, "supported"),)
ANSWERED = outcome.answered("Open **Settings** and choose **Domains** [1].", Verdict.FULLY, CITATIONS, 0.93)


ANSWERABLE = Classification(Label.ANSWERABLE, 0.97, "local")


def turn_of(question: Question, result: Outcome = ANSWERED, taken_for: Classification = ANSWERABLE) -> Turn:
    return Turn(
        question=question,
        outcome=result,
        classification=taken_for,
        trace_id="4bf92f3577b34da6a3ce929d0e0e4736",
        provider="extractive",
        model=None,
        retrieved=5,
        latency_ms={"classify": 3.0, "total": 90.0},
        usage=Usage(),
    )


class ScriptedAssistant:
    """Answers with `result`; holds every answer back while `hold` is set."""

    def __init__(self, result: Outcome = ANSWERED, *, starts: Callable[[], None] | None = None) -> None:
        self.result = result
        self.taken_for = ANSWERABLE
        """What messages are classified as."""
        self.asked: list[Question] = []
        self.foreseen: list[Question] = []
        self.forgotten: list[str] = []
        self.found_wrong: list[str] = []
        """Turns that were rated down."""
        self.overheard: list[str] = []
        """What was said with a person."""
        self.unsaid: list[str] = []
        """Turns whose answers were not delivered."""
        self.hold: asyncio.Event | None = None
        self.takes_s = 0.0
        self.uses: Usage | None = None
        """What a language model takes for each turn."""
        self.fails: Exception | None = None
        self.tells: Callable[[TurnWatch], Awaitable[None]] | None = None
        """Plays a turn to its watcher before the outcome."""
        self.decides: DecisionModel[Any] | None = None
        self.failing: Sequence[Problem] = ()
        self.pictures: dict[tuple[str, str], bytes] = {}
        """Of pages, by passage and name."""
        self.cancelled = 0
        self.stopped = False
        self.sinks: list[Sink] = []
        self.remembering = True
        """Whether it knows anything of the conversations it is asked about."""
        self._starts = starts
        self._ready = False

    @property
    def ready(self) -> bool:
        return self._ready

    def trace_to(self, sink: Sink) -> None:
        self.sinks.append(sink)

    async def replay(self, question: Question) -> TurnRecord:
        raise RetryableError("it only says what it is told to")

    async def start(self) -> None:
        if self._starts is not None:
            self._starts()
        self._ready = True

    async def stop(self) -> None:
        self.stopped = True

    async def remembers(self, conversation_id: str) -> bool:
        return self.remembering

    async def remember_unanswered(self, question: Question) -> None:
        self.overheard.append(question.text)

    async def remember_agent_reply(self, conversation_id: str, text: str) -> None:
        self.overheard.append(text)

    async def page_image(self, passage_id: str, name: str) -> bytes | None:
        return self.pictures.get((passage_id, name))

    async def unsay(self, turn: Turn) -> None:
        self.unsaid.append(turn.question.turn_id)

    async def rated_down(self, turn_id: str) -> None:
        self.found_wrong.append(turn_id)

    async def forget(self, conversation_id: str) -> None:
        self.forgotten.append(conversation_id)

    def readiness(self) -> dict[str, str]:
        state = "ok" if self._ready else "loading"
        return {"models": state, "index": state}

    def problems(self) -> Sequence[Problem]:
        return self.failing

    def queued(self) -> int:
        return 0

    async def decision_model(self) -> DecisionModel[Any]:
        if not self._ready or self.decides is None:
            raise RetryableError("not loaded yet")
        return self.decides

    def foresee(self, question: Question) -> None:
        self.foreseen.append(question)

    async def ask(self, question: Question, watch: TurnWatch | None = None) -> Turn:
        self.asked.append(question)
        if self.uses is not None:
            reserve()
        try:
            if watch is not None and self.tells is not None:
                await self.tells(watch)
            if self.hold is not None:
                await self.hold.wait()
            if self.takes_s:
                await asyncio.sleep(self.takes_s)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        if self.uses is not None:
            spend(self.uses, "scripted")
        if self.fails is not None:
            raise self.fails
        return turn_of(question, self.result, self.taken_for)


DATABASE_URL: str | None = None
"""Where records go; None is SQLite in the folder. `each_database` in conftest.py changes it for a test."""


def settings_in(folder: Path, **sections: dict[str, Any]) -> Settings:
    """The sample company's, in `folder`, no limit on questions and somebody always at the desk, unless they say so."""
    tree: dict[str, Any] = {
        "brand": {"name": "Tillwick", "assistant": "Tillwick assistant"},
        "knowledge": {"url_base": "https://help.tillwick.example"},
        "storage": {"data_dir": folder, "database_url": DATABASE_URL},
        "limits": {"enabled": False},
        "hours": {"presence": False},
    }
    for name, values in sections.items():
        tree[name] = {**tree.get(name, {}), **values}
    return Settings.model_validate(tree)
