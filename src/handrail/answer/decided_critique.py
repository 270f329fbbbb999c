"""A draft judged by the `answers` decision, before anybody sees it: no language model is asked a second time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from handrail.types import Critique, Draft, Evidence, Question, Verdict

LONGEST = 100
"""Words of a stretch of the draft that is judged at once; a reader reads some 160 tokens of question and text."""
ANSWERS, IN_PART, OFF_TOPIC = "answers", "in_part", "off_topic"
SURE = 0.5
Judge = Callable[[str, str], Awaitable[Mapping[str, float] | None]]
"""`(request, text)` to the probability of each level of the `answers` decision; None where it cannot be told."""


class DecidedCritic:
    """A Critic. The writer's own verdict can only be lowered: whoever wrote an answer tends to believe in it."""

    def __init__(self, judge: Judge, reads: Callable[[str], bool]) -> None:
        """`reads` tells whether the judge reads a language, by its code."""
        self._judge = judge
        self._reads = reads

    async def critique(self, question: Question, draft: Draft, evidence: Evidence) -> Critique:
        own = draft.self_verdict
        if own is Verdict.CANNOT or not draft.claims:
            return Critique(Verdict.CANNOT)
        if not self._reads(question.lang):
            return Critique(own or Verdict.PARTLY)
        judged = await asyncio.gather(*(self._judge(question.text, text) for text in stretches(draft)))
        told = [levels for levels in judged if levels is not None]
        if not told:
            return Critique(own or Verdict.PARTLY)
        best = max(told, key=_answers)
        verdict = Verdict.FULLY if _answers(best) >= SURE else Verdict.PARTLY
        if best.get(OFF_TOPIC, 0.0) >= SURE:
            verdict = Verdict.CANNOT
        if verdict is Verdict.FULLY and own is Verdict.PARTLY:
            verdict = Verdict.PARTLY
        return Critique(verdict, _answers(best))


def _answers(levels: Mapping[str, float]) -> float:
    return levels.get(ANSWERS, 0.0) + levels.get(IN_PART, 0.0)


def stretches(draft: Draft) -> list[str]:
    """The text that would be shown, in runs of whole claims that a reader can take in at once."""
    runs: list[list[str]] = [[]]
    for claim in draft.claims:
        text = "\n".join(part for part in (claim.heading, claim.text) if part)
        if runs[-1] and len(" ".join([*runs[-1], text]).split()) > LONGEST:
            runs.append([])
        runs[-1].append(text)
    return ["\n".join(run) for run in runs]
