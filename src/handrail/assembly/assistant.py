"""The whole product without HTTP: start it, ask it, stop it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from handrail.answer.cache.turns import AnswerCache
from handrail.answer.suggest.quiet import QuietSuggester
from handrail.assembly.caching import build_cache, with_cache
from handrail.assembly.learning import build_drafter, shelf_of, with_folder
from handrail.assembly.memory import ConversationMemory, build_memory
from handrail.assembly.observing import about, build_tracer, new_trace_id
from handrail.assembly.parts import Parts, build_parts
from handrail.assembly.stages import build_stages
from handrail.assembly.suggesting import build_suggester
from handrail.desk.learning.drafts import Drafter
from handrail.desk.learning.gaps import Shelf
from handrail.errors import HandrailError, ModelUnavailable, RetryableError
from handrail.llm.health import Problem
from handrail.models.allocator import give_back
from handrail.observe import Tracer
from handrail.observe.record import TurnRecord
from handrail.observe.recorder import Recorder, Sink
from handrail.observe.replay import Kept
from handrail.settings import Settings
from handrail.text import language
from handrail.turn.engine import Engine
from handrail.turn.stages import Stages
from handrail.turn.watch import TurnWatch
from handrail.turn.wording import load_wording
from handrail.types import Question, Turn, Vectors

if TYPE_CHECKING:
    from handrail.decide.local import LocalDecisionModel

LOOK_S = 5.0
"""Between two looks at an index on a server, which others may write to."""


class Assistant:
    """Owns everything a turn needs; several may live in one process.

    `repeats`: whether an answer that a model wrote may be given again, by `generate.cache_hours`.
    """

    def __init__(self, settings: Settings, *, repeats: bool = False) -> None:
        self.settings = settings
        self._repeats = repeats
        self._cache: AnswerCache | None = None
        self._parts: Parts | None = None
        self._stages: Stages | None = None
        self._engine: Engine | None = None
        self._tracer: Tracer | None = None
        self._sinks: list[Sink] = []
        self._about: dict[str, str] = {}
        self._memory: ConversationMemory | None = None
        self._suggester: QuietSuggester | None = None
        self._background: asyncio.Task[None] | None = None
        self._state = {"models": "loading", "index": "loading"}
        self._looking: asyncio.Task[None] | None = None
        self._learning = asyncio.Lock()
        self._replaced: list[Stages] = []
        self._shelf: Shelf | None = None
        self._decisions: tuple[Parts, LocalDecisionModel] | None = None

    @property
    def ready(self) -> bool:
        return self._engine is not None

    def readiness(self) -> dict[str, str]:
        """`ok`, `loading` or the problem, for the models and for the index."""
        return dict(self._state)

    def problems(self) -> Sequence[Problem]:
        """What language models fail at, the oldest first."""
        health = self._stages.health if self._stages is not None else None
        return health.problems() if health is not None else ()

    def trace_to(self, sink: Sink) -> None:
        """Give the traces of all turns to `sink`, too. To be called before `start`."""
        self._sinks.append(sink)

    async def start(self) -> None:
        """Load and warm up off the event loop. Raises HandrailError; `readiness` then names the problem."""
        try:
            parts, _ = await asyncio.gather(
                asyncio.to_thread(build_parts, self.settings), asyncio.to_thread(language.warm_up)
            )
            self._parts = parts
            wording = load_wording(self.settings.brand.name)
            self._about = about(self.settings, parts.store.generation)
            sinks = tuple(self._sinks)
            self._tracer = await asyncio.to_thread(build_tracer, self.settings, sinks, lambda: self._about)
            self._stages = await asyncio.to_thread(build_stages, self.settings, self._parts, wording, self._tracer)
            self._suggester = await asyncio.to_thread(
                build_suggester, self.settings, self._parts, wording, self._stages
            )
            self._cache = build_cache(self.settings, time.time) if self._repeats else None
            self._stages = self._with_cache(replace(self._stages, suggester=self._suggester), parts)
            self._memory = build_memory(self.settings, self._parts.count, time.time)
            await self._stages.retriever.retrieve("warm up", {})
            await asyncio.to_thread(give_back)
        except HandrailError as error:
            self._state["models" if isinstance(error, ModelUnavailable) else "index"] = str(error)
            await self.stop()
            raise
        self._state = {"models": "ok", "index": "ok"}
        if self._suggester is not None:
            self._background = asyncio.create_task(self._suggester.run())
        if self.settings.storage.chroma_url:  # on disk nobody can write to the index meanwhile
            self._looking = asyncio.create_task(self._look())
        self._engine = Engine(self._stages, self.settings, wording, time.perf_counter)

    def foresee(self, question: Question) -> None:
        """A question that `ask` will be called with in a moment: the models begin to read it where they are idle."""
        if self._engine is not None and self._stages is not None and self._stages.foresee is not None:
            self._stages.foresee(question.text)

    async def ask(self, question: Question, watch: TurnWatch | None = None) -> Turn:
        """One turn, seen by `watch` as it happens, which knows the turns of its conversation before it.

        Raises HandrailError before `start` has finished.
        """
        engine = self._engine
        if engine is None:
            raise HandrailError("the assistant is not ready yet")
        with self._suggester.turn() if self._suggester is not None else nullcontext():
            if self._memory is None:
                return await self._run(engine, question, watch)
            return await self._memory.turn(question, lambda recalled: self._run(engine, recalled, watch))

    async def _run(self, engine: Engine, question: Question, watch: TurnWatch | None) -> Turn:
        if self._cache is None:
            return await engine.run(question, watch)
        return await self._cache.turn(question, lambda asked: engine.run(asked, watch))

    def _with_cache(self, stages: Stages, parts: Parts) -> Stages:
        return with_cache(stages, self.settings, parts.store.generation, self._cache)

    async def rated_down(self, turn_id: str) -> None:
        """A visitor found the answer of this turn wrong: it is not given again."""
        if self._cache is not None:
            await self._cache.rated_down(turn_id)

    async def replay(self, question: Question) -> TurnRecord:
        """How a turn comes about with today's settings and articles. It is kept, remembered and sent nowhere.

        `question` has its history already. The operator's own systems are not asked about the customer. Raises
        RetryableError before the assistant is ready.
        """
        self._loaded()
        kept, stages = Kept(), self._stages
        if stages is None:
            raise RetryableError("the assistant is stopping")
        recorder = Recorder(new_trace_id, [kept], lambda: self._about)
        alone = replace(stages, tracer=recorder, customers=None, suggester=None)
        wording = load_wording(self.settings.brand.name)
        with self._suggester.turn() if self._suggester is not None else nullcontext():
            await Engine(alone, self.settings, wording, time.perf_counter).run(question)
        if kept.record is None:
            raise RetryableError("the turn could not be recorded. Try again")
        return kept.record

    async def remembers(self, conversation_id: str) -> bool:
        """Whether anything of a conversation is known to its next turn: not after a restart without Redis."""
        return self._memory is not None and await self._memory.holds(conversation_id)

    async def remember_unanswered(self, question: Question) -> None:
        """A message that went to a person: known to the turns after the conversation is handed back."""
        if self._memory is not None:
            await self._memory.remember_unanswered(question)

    async def remember_agent_reply(self, conversation_id: str, text: str) -> None:
        """What a person wrote to the visitor: known to those turns, and no evidence for anything."""
        if self._memory is not None:
            await self._memory.remember_agent_reply(conversation_id, text)

    async def unsay(self, turn: Turn) -> None:
        """A turn's answer was not delivered."""
        if self._memory is not None:
            await self._memory.unsay(turn)

    async def forget(self, conversation_id: str) -> None:
        """Nothing said in this conversation is known to later turns."""
        if self._memory is not None:
            await self._memory.forget(conversation_id)

    def embedder_name(self) -> str:
        return self.settings.models.embedder

    async def embed_questions(self, texts: Sequence[str]) -> Vectors:
        """`(n, d)` float32, L2-normalised. Raises RetryableError while the models are loading or busy."""
        return np.stack(await self._loaded().embed.submit(list(texts)))

    def shelf(self) -> Shelf:
        """The passages as they are indexed now. Raises RetryableError before the index is loaded."""
        parts = self._loaded()
        if self._shelf is None or self._shelf.vectors is not parts.snapshot.vectors:
            self._shelf = shelf_of(parts)
        return self._shelf

    async def learn(self, folder: Path) -> None:
        """Index the articles of `folder` beside the others and answer from them at once; turns under way go on.

        Raises IndexBusy while another process has the index open, and KnowledgeError for files that cannot be used.
        """
        async with self._learning:
            parts, old = self._loaded(), self._stages
            new = await asyncio.to_thread(with_folder, self.settings, parts, folder)
            wording = load_wording(self.settings.brand.name)
            if self._tracer is None or old is None:
                raise RetryableError("the assistant is stopping")
            stages = await asyncio.to_thread(build_stages, self.settings, new, wording, self._tracer)
            if self._suggester is not None:
                self._suggester.withdraw(set(parts.snapshot.articles) - set(new.snapshot.articles))
            stages = self._with_cache(replace(stages, suggester=self._suggester), new)
            self._parts, self._stages = new, stages
            self._about = about(self.settings, new.store.generation)
            self._engine = Engine(stages, self.settings, wording, time.perf_counter)
            self._replaced.append(old)

    async def decision_model(self) -> LocalDecisionModel:
        """What answers typed decisions with the local heads. Raises RetryableError before the models are loaded."""
        from handrail.assembly.deciding import local_decisions

        parts, stages = self._loaded(), self._stages
        if stages is None:
            raise RetryableError("the assistant is stopping")
        if self._decisions is None or self._decisions[0] is not parts:
            model = await asyncio.to_thread(local_decisions, self.settings, parts)
            self._decisions = parts, model
        return self._decisions[1]

    def drafter(self) -> Drafter:
        """Who drafts articles from conversations."""
        return build_drafter(self.settings)

    def _loaded(self) -> Parts:
        if self._parts is None or self._engine is None:
            raise RetryableError("the models and the index are still loading. Try again in a moment")
        return self._parts

    async def _look(self) -> None:
        """See whether another process is changing the index, or was interrupted while it did."""
        while True:
            await asyncio.sleep(LOOK_S)
            parts = self._parts
            if parts is None:
                return
            try:
                await asyncio.to_thread(parts.store.open)
                self._state["index"] = parts.store.incomplete or "ok"
            except HandrailError as error:
                self._state["index"] = str(error)

    async def stop(self) -> None:
        """Finish queued work and close connections; harmless when nothing was started."""
        self._engine = None
        self._suggester = None
        beside = [task for task in (self._background, self._looking) if task is not None]
        self._background = self._looking = None
        for task in beside:
            task.cancel()
        if beside:
            await asyncio.wait(beside)
        stages, self._stages = self._stages, None
        for used in (*self._replaced, stages):
            if used is not None and used.closing is not None:
                await used.closing()
        self._replaced.clear()
        parts, self._parts = self._parts, None
        if parts is not None:
            await asyncio.to_thread(parts.close)
        cache, self._cache = self._cache, None
        if cache is not None:
            await cache.aclose()
        memory, self._memory = self._memory, None
        if memory is not None:
            await memory.aclose()
        tracer, self._tracer = self._tracer, None
        if tracer is not None:
            await asyncio.to_thread(tracer.close)
