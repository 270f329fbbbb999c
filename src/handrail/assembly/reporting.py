"""What writes a report: the stages of a turn, and the model that writes, where the settings name one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

from handrail.assembly.models import reads
from handrail.assembly.observing import build_prompts, new_trace_id
from handrail.assembly.parts import WORDS_PER_TOKEN, Parts
from handrail.assembly.stages import answer_blocks, build_stages
from handrail.observe.silent import SilentTracer
from handrail.report.recall import Judge
from handrail.report.sections import Reporter
from handrail.report.write import Writer
from handrail.retrieve.section_reader import window
from handrail.settings import Settings
from handrail.text import language
from handrail.turn.stages import Stages
from handrail.turn.wording import Wording, load_wording
from handrail.types import Section

ANSWERS = "answers"
ANSWERING = ("in_part", "answers")
"""Levels of that decision from which a text says something on what was asked."""


@asynccontextmanager
async def reporter_over(settings: Settings, parts: Parts) -> AsyncIterator[Reporter]:
    """Written where a language model writes answers, quoted elsewhere. Raises HandrailError for settings."""
    wording = load_wording(settings.brand.name)
    stages = await asyncio.to_thread(build_stages, settings, parts, wording, SilentTracer(new_trace_id))
    async with AsyncExitStack() as open_:
        if stages.closing is not None:
            open_.push_async_callback(stages.closing)
        if not stages.writes:
            yield Reporter(stages.retriever, stages.bands, stages.quote)
            return
        writer = await _writer(settings, parts, stages, wording, open_)
        judge = await _judge(settings, parts, open_)
        yield Reporter(stages.retriever, stages.bands, stages.quote, writer, judge)


async def _writer(settings: Settings, parts: Parts, stages: Stages, wording: Wording, open_: AsyncExitStack) -> Writer:
    from handrail.llm import connect

    models = connect(settings.llm)
    open_.push_async_callback(models.aclose)
    prompts = await asyncio.to_thread(build_prompts, settings)
    given = answer_blocks(settings, parts)
    return Writer(models.answering, prompts, settings.brand, given, stages.verify, settings.verify, wording)


async def _judge(settings: Settings, parts: Parts, open_: AsyncExitStack) -> Judge:
    """The decision `answers`, by the local reader or whichever model the settings name for it."""
    from handrail.assembly.deciding import build_decider, local_decisions
    from handrail.decide.decider import Ask

    decider = build_decider(settings, await asyncio.to_thread(local_decisions, settings, parts))
    open_.push_async_callback(decider.aclose)
    words = int(settings.models.rerank_max_tokens * WORDS_PER_TOKEN)

    async def judge(asked: Sequence[str], heading: str, text: str) -> Sequence[float | None]:
        spoken = language.of_message(text, parts.snapshot.lang)
        if not decider.is_remote(ANSWERS) and not reads(settings.models.reranker, spoken):
            return [None] * len(asked)
        section = Section("report", "report", heading, (), text, "", ())
        asks = [Ask(ANSWERS, {"request": one, "text": window(one, section, words)}) for one in asked]
        found = await decider.decide(asks)
        return [None if one is None else sum(one.probabilities[level] for level in ANSWERING) for one in found]

    return judge
