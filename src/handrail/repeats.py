"""What a conversation should not hear twice: the same quotation, and the same question back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from handrail import outcome
from handrail.citations import LATELY, mostly_said
from handrail.converse.complaints import only_complains
from handrail.types import (
    Classification,
    Draft,
    Evidence,
    Exchange,
    Label,
    Outcome,
    Question,
    Reading,
    RefusalReason,
    Routing,
)
from handrail.wording import Wording

TOPICS = 3
LEAST_LIKELY = 0.25
"""Probability under which the nearest titles are nothing but noise to a visitor who writes in another language."""


def quoted_again(question: Question, reading: Reading, draft: Draft) -> bool:
    """Whether a follow-up would be answered with little but quotations that lately stood in an answer."""
    return reading.depends and mostly_said(draft.claims, question.history[-LATELY:])


def without_quoted(evidence: Evidence, draft: Draft) -> Evidence:
    """What was found besides the passages that `draft` quotes."""
    quoted = {id_ for claim in draft.claims for id_ in claim.passage_ids}
    return replace(evidence, hits=tuple(hit for hit in evidence.hits if hit.passage.id not in quoted))


def ask_back(
    question: Question, reading: Reading, wording: Wording, evidence: Evidence, confidence: float, *, foreign: bool
) -> Outcome:
    """One clarifying question about the nearest articles; a person instead where it would be asked a second time, or
    no wording would help.
    """
    if evidence.unlisted:
        return outcome.not_listed(evidence.unlisted, wording, confidence)
    if evidence.exhausted:
        return outcome.cannot_answer(RefusalReason.LOW_EVIDENCE, wording, confidence)
    last = question.history[-1] if question.history else None
    titles = nearest_titles(evidence, TOPICS + 1)
    if last is not None and last.routing is Routing.FOLLOWUP and _asked_already(question.history, titles):
        return outcome.cannot_answer(RefusalReason.LOW_EVIDENCE, wording, confidence)
    if foreign and confidence < LEAST_LIKELY:
        return outcome.followup(wording, (), confidence)
    if last is not None and reading.depends and last.answer and last.titles:
        others = [title for title in titles if title not in last.titles]
        return outcome.followup_within(wording, last.titles[0], others[:TOPICS], confidence)
    return outcome.followup(wording, titles[:TOPICS], confidence)


def ask_anew(question: Question, wording: Wording, evidence: Evidence, confidence: float) -> Outcome:
    """After a complaint: other articles than those shown or offered lately; a person where it is not the first one."""
    said = question.history[-LATELY:]
    if any(only_complains(past.question) for past in said):
        return outcome.cannot_answer(RefusalReason.LOW_EVIDENCE, wording, confidence)
    known = {title for past in said for title in past.titles}
    others = [title for title in nearest_titles(evidence, TOPICS + len(known)) if title not in known]
    return outcome.missed(wording, others[:TOPICS], confidence)


def fixed_reply(
    question: Question, classification: Classification, wording: Wording, topics: Sequence[str]
) -> Outcome | None:
    """What is said without looking anything up, with `topics` as chips; None where articles are to answer.

    Who asks for help, and not with what, is asked it; where that was just asked, he is told how to reach a person.
    """
    rule = classification.rule
    if rule == "help":
        last = question.history[-1] if question.history else None
        asked = last is not None and last.routing is Routing.FOLLOWUP
        return (
            outcome.static(Label.OUT_OF_SCOPE, wording, (), "person") if asked else outcome.help_with(wording, topics)
        )
    if classification.label not in outcome.STATIC:
        return None
    chips = offered(question) if rule in ("yes", "no") else ()
    return outcome.static(classification.label, wording, chips or topics, rule)


def _asked_already(history: Sequence[Exchange], titles: Sequence[str]) -> bool:
    twice = len(history) > 1 and history[-2].routing is Routing.FOLLOWUP
    return twice or set(history[-1].titles) == set(titles[:TOPICS])


def nearest_titles(evidence: Evidence, limit: int = TOPICS) -> list[str]:
    titles = dict.fromkeys(hit.passage.title for hit in evidence.hits if not hit.neighbour)
    return list(titles)[:limit]


def offered(question: Question) -> Sequence[str]:
    """Titles that the clarifying question before this message named."""
    last = question.history[-1] if question.history else None
    return last.titles if last is not None and last.routing is Routing.FOLLOWUP else ()
