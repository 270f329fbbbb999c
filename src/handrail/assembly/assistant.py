"""The whole product without HTTP: start it, ask it, stop it."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from handrail.answer.cache.turns import AnswerCache
from handrail.assembly.caching import build_cache, with_cache
from handrail.assembly.index import page_images
from handrail.assembly.learning import build_drafter, contradiction, learn_folder, shelf_of, tags_like
from handrail.assembly.memory import ConversationMemory, build_memory
from handrail.assembly.observing import about, build_tracer, new_trace_id
from handrail.assembly.parts import Parts, at_version, build_parts, parts_beside
from handrail.assembly.serving import Serving
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
from handrail.stores.versions import OLD
from handrail.text import language
from handrail.text.contacts import without_personal
from handrail.turn.engine import Engine
from handrail.turn.watch import TurnWatch
from handrail.turn.wording import load_wording
from handrail.types import Question, Turn, Vectors

log = logging.getLogger(__name__)

if TYPE_CHECKING:
    from handrail.decide.local import LocalDecisionModel

LOOK_S = 2.0
"""Between two looks at which version is current."""
LONGEST_PAUSE_S = 60.0
"""Between two tries to load a version."""


class Assistant:
    """Owns everything a turn needs; several may live in one process.

    `repeats`: whether an answer that a model wrote may be given again, by `generate.cache_hours`.
    """

    def __init__(self, settings: Settings, *, repeats: bool = False, beside: Assistant | None = None) -> None:
        """`beside`: whose models are used. It answers for another company, and has to be started first."""
        self.settings = settings
        self._beside = beside
        self._repeats = repeats
        self._cache: AnswerCache | None = None
        self._serving: Serving | None = None
        self._tracer: Tracer | None = None
        self._sinks: list[Sink] = []
        self._about: dict[str, str] = {}
        self._memory: ConversationMemory | None = None
        self._state = {"models": "loading", "index": "loading"}
        self._looking: asyncio.Task[None] | None = None
        self._learning = asyncio.Lock()
        self._retiring: set[asyncio.Task[None]] = set()
        self._shelf: Shelf | None = None
        self._decisions: tuple[Parts, LocalDecisionModel] | None = None

    @property
    def ready(self) -> bool:
        return self._serving is not None

    def readiness(self) -> dict[str, str]:
        """`ok`, `loading` or the problem, for the models and for the index."""
        return dict(self._state)

    def problems(self) -> Sequence[Problem]:
        """What language models fail at, the oldest first."""
        health = self._serving.stages.health if self._serving is not None else None
        return health.problems() if health is not None else ()

    def queued(self) -> int:
        """Texts that wait for a local model; models are shared, and so are their queues."""
        return self._serving.parts.queued if self._serving is not None else 0

    def trace_to(self, sink: Sink) -> None:
        """Give the traces of all turns to `sink`, too. To be called before `start`."""
        self._sinks.append(sink)

    async def start(self) -> None:
        """Load and warm up off the event loop. Raises HandrailError; `readiness` then names the problem."""
        opened: Parts | None = None
        serving: Serving | None = None
        try:
            parts, _ = await asyncio.gather(asyncio.to_thread(self._build), asyncio.to_thread(language.warm_up))
            opened = parts
            self._about = about(self.settings, parts.store.generation)
            sinks = tuple(self._sinks)
            self._tracer = await asyncio.to_thread(build_tracer, self.settings, sinks, lambda: self._about)
            self._cache = build_cache(self.settings, time.time) if self._repeats else None
            self._memory = build_memory(self.settings, parts.count, time.time)
            serving = await self._serve(parts, self._tracer)
            await asyncio.to_thread(give_back)
        except HandrailError as error:
            self._state["models" if isinstance(error, ModelUnavailable) else "index"] = str(error)
            await self.stop()
            if serving is not None:
                await serving.close()
            if opened is not None:
                await asyncio.to_thread(opened.close)
            raise
        self._state = {"models": "ok", "index": "ok"}
        self._serving = serving
        serving.begin()
        self._looking = asyncio.create_task(self._look())

    def _build(self) -> Parts:
        if self._beside is None:
            return build_parts(self.settings)
        return parts_beside(self.settings, self._beside._served().parts)

    async def _serve(self, parts: Parts, tracer: Tracer) -> Serving:
        """All that is made of one version, warm."""
        wording = load_wording(self.settings.brand.name)
        stages = await asyncio.to_thread(build_stages, self.settings, parts, wording, tracer)
        suggester = await asyncio.to_thread(build_suggester, self.settings, parts, wording, stages)
        stages = with_cache(replace(stages, suggester=suggester), self.settings, parts.store.generation, self._cache)
        serving = Serving(parts, stages, Engine(stages, self.settings, wording, time.perf_counter), suggester)
        try:
            await stages.retriever.retrieve("warm up", {})
        except BaseException:
            await serving.close()
            raise
        return serving

    def foresee(self, question: Question) -> None:
        """A question that `ask` will be called with in a moment: the models begin to read it where they are idle."""
        if self._serving is not None and self._serving.stages.foresee is not None:
            self._serving.stages.foresee(without_personal(question.text))

    async def ask(self, question: Question, watch: TurnWatch | None = None) -> Turn:
        """One turn, seen by `watch` as it happens, which knows the turns of its conversation before it.

        Raises HandrailError before `start` has finished.
        """
        if self._serving is None:
            raise HandrailError("the assistant is not ready yet")
        serving = self._serving
        with serving.turn() as engine:
            if self._memory is None:
                turn = await self._run(engine, question, watch)
            else:
                turn = await self._memory.turn(question, lambda recalled: self._run(engine, recalled, watch))
        return replace(turn, kb_version=serving.parts.store.generation)

    async def _run(self, engine: Engine, question: Question, watch: TurnWatch | None) -> Turn:
        if self._cache is None:
            return await engine.run(question, watch)
        return await self._cache.turn(question, lambda asked: engine.run(asked, watch))

    async def rated_down(self, turn_id: str) -> None:
        """A visitor found the answer of this turn wrong: it is not given again."""
        if self._cache is not None:
            await self._cache.rated_down(turn_id)

    async def replay(self, question: Question) -> TurnRecord:
        """How a turn comes about with today's settings and articles. It is kept, remembered and sent nowhere.

        `question` has its history already. The operator's own systems are not asked about the customer. Raises
        RetryableError before the assistant is ready.
        """
        serving, kept = self._served(), Kept()
        recorder = Recorder(new_trace_id, [kept], lambda: self._about)
        alone = replace(serving.stages, tracer=recorder, customers=None, suggester=None)
        wording = load_wording(self.settings.brand.name)
        with serving.turn():
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

    async def page_image(self, passage_id: str, name: str) -> bytes | None:
        """The picture of a page, as WebP, while a passage that everyone may read stands on it; None otherwise.

        Raises RetryableError before the index is loaded.
        """
        passage = self._served().parts.snapshot.by_id.get(passage_id)
        images = page_images(self.settings)
        held = {place.image.name for place in passage.places if place.image} if passage is not None else set()
        return await asyncio.to_thread(images.read, name) if images is not None and name in held else None

    def embedder_name(self) -> str:
        return self.settings.models.embedder

    async def embed_questions(self, texts: Sequence[str]) -> Vectors:
        """`(n, d)` float32, L2-normalised. Raises RetryableError while the models are loading or busy."""
        return np.stack(await self._served().parts.embed.submit(list(texts)))

    async def contradicts(self, reply: str, answer: str) -> bool:
        """Whether a person's `reply` says the opposite of an answer, or gives another figure.

        Raises RetryableError as `embed_questions` does.
        """
        return await contradiction(self.settings, self._served().parts, answer, reply)

    def shelf(self) -> Shelf:
        """The passages as they are indexed now. Raises RetryableError before the index is loaded."""
        parts = self._served().parts
        if self._shelf is None or self._shelf.vectors is not parts.snapshot.vectors:
            self._shelf = shelf_of(parts)
        return self._shelf

    async def tags_like(self, texts: Sequence[str]) -> list[str]:
        """Tags that the articles nearest to `texts` have. Raises RetryableError as `embed_questions` does."""
        vectors = await self.embed_questions(texts)
        return await asyncio.to_thread(tags_like, self._served().parts, vectors)

    async def learn(self, folder: Path, gone: Sequence[str] = ()) -> None:
        """Index the articles of `folder` beside the others, without those of the ids `gone`; turns under way go on.

        Raises IndexBusy while another process writes the index, and KnowledgeError for files that cannot be used.
        """
        self._served()
        await asyncio.to_thread(learn_folder, self.settings, folder, gone)
        try:
            await self._catch_up()
        except HandrailError as error:  # it is indexed; the next looks try again and say so
            log.warning("the article is indexed, but not served yet: %s", error)

    async def decision_model(self) -> LocalDecisionModel:
        """What answers typed decisions with the local heads. Raises RetryableError before the models are loaded."""
        from handrail.assembly.deciding import local_decisions

        parts = self._served().parts
        if self._decisions is None or self._decisions[0] is not parts:
            model = await asyncio.to_thread(local_decisions, self.settings, parts)
            self._decisions = parts, model
        return self._decisions[1]

    def drafter(self) -> Drafter:
        """Who drafts articles from conversations."""
        return build_drafter(self.settings)

    def _served(self) -> Serving:
        if self._serving is None:
            raise RetryableError("the models and the index are still loading. Try again in a moment")
        return self._serving

    async def _look(self) -> None:
        """Serve a new version soon after an ingest; one that cannot be loaded is tried again more and more seldom."""
        pause = LOOK_S
        while True:
            await asyncio.sleep(pause)
            try:
                await self._catch_up()
                pause = LOOK_S
                self._state["index"] = "ok"
            except Exception as error:
                pause = min(2 * pause, LONGEST_PAUSE_S)
                reason = f"{error}. The articles loaded before go on being served"
                if reason != self._state["index"]:
                    log.warning("%s", reason)
                self._state["index"] = reason

    async def _catch_up(self) -> None:
        """Serve the current version. Raises what keeps it from being loaded; the one before then goes on."""
        async with self._learning:
            old = self._serving
            if old is None or self._tracer is None:
                return
            if await asyncio.to_thread(old.parts.versions.same, old.parts.index):
                return
            number = await asyncio.to_thread(old.parts.versions.current)
            try:
                parts = await asyncio.to_thread(at_version, self.settings, old.parts, number or OLD)
            except Exception as error:
                raise RetryableError(f"version {number} can't be loaded: {error}") from error
            try:
                new = await self._serve(parts, self._tracer)
            except BaseException:
                await asyncio.to_thread(parts.index.release)
                raise
            if self._serving is None:  # stopped meanwhile
                await new.retire()
                return
            self._serving = new
            new.begin()
            self._about = about(self.settings, parts.store.generation)
            log.info(
                "knowledge base %r: version %d (%s) answers in place of version %d (%s)",
                parts.store.kb, number, parts.store.generation, old.parts.index.number, old.parts.store.generation,
            )  # fmt: skip
            retiring = asyncio.create_task(old.retire())
            self._retiring.add(retiring)
            retiring.add_done_callback(self._retiring.discard)

    async def stop(self) -> None:
        """Finish queued work and close connections; harmless when nothing was started."""
        serving, self._serving = self._serving, None
        beside = [*self._retiring, *([self._looking] if self._looking is not None else [])]
        self._looking = None
        for task in beside:
            task.cancel()
        if beside:
            await asyncio.wait(beside)
        if serving is not None:
            await serving.quiet()
            await serving.close()
            await asyncio.to_thread(serving.parts.close)
        cache, self._cache = self._cache, None
        if cache is not None:
            await cache.aclose()
        memory, self._memory = self._memory, None
        if memory is not None:
            await memory.aclose()
        tracer, self._tracer = self._tracer, None
        if tracer is not None:
            await asyncio.to_thread(tracer.close)
