"""Questions that went wrong, as rows of evaluation files that `handrail eval` runs as they are."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from handrail.errors import PermanentError
from handrail.types import ANSWERING

Format = Literal["refusal", "retrieval"]
Status = Literal["proposed", "confirmed", "dropped"]
FORMATS: tuple[Format, ...] = ("refusal", "retrieval")
WRONG_ANSWER = frozenset({"wrong", "unrelated"})
"""Reasons of a thumb down that say the answer should not have been given."""
LONGEST_QUESTION = 4000
MOST_ARTICLES = 20


class CaseError(PermanentError):
    """A case that no evaluation could run; the message says what is missing."""


@dataclass(frozen=True, slots=True)
class Case:
    id: str
    format: Format
    status: Status
    question: str
    """Without personal data."""
    should_refuse: bool | None
    article_ids: tuple[str, ...]
    """Articles that answer it."""
    lang: str | None = None
    source: Literal["thumb", "agent"] = "agent"
    why: str | None = None
    turn_id: str | None = None
    conversation_id: str | None = None
    created_by: str | None = None
    created_at: float = 0.0
    updated_at: float = 0.0


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a thumb down says about a question, before anybody has looked."""

    format: Format
    should_refuse: bool | None
    article_ids: tuple[str, ...]


def proposal(routing: str, reason: str | None, cited: Sequence[str]) -> Proposal:
    """A wrong or unrelated answer: better none. A poor one: these articles, found again. A refusal: an answer, please.

    The visitor may be mistaken, so a person confirms it; until then the row says `"confirmed": false`.
    """
    if routing not in ANSWERING:
        return Proposal("refusal", False, ())
    if reason in WRONG_ANSWER or reason is None or not cited:
        return Proposal("refusal", True, ())
    return Proposal("retrieval", None, tuple(cited))


def check(case_format: str, question: str, should_refuse: bool | None, article_ids: Sequence[str]) -> None:
    """Raises CaseError."""
    if case_format not in FORMATS:
        raise CaseError(f"format is one of {', '.join(FORMATS)}")
    if not question.strip() or len(question) > LONGEST_QUESTION:
        raise CaseError(f"question needs 1 to {LONGEST_QUESTION} characters")
    if case_format == "refusal" and should_refuse is None:
        raise CaseError("a refusal case needs should_refuse: true or false")
    if case_format == "retrieval" and not article_ids:
        raise CaseError("a retrieval case needs article_ids: the articles that answer the question")
    if len(article_ids) > MOST_ARTICLES or not all(0 < len(name.strip()) <= 200 for name in article_ids):
        raise CaseError(f"article_ids holds up to {MOST_ARTICLES} names of 1 to 200 characters")


def lines(cases: Iterable[Case], case_format: Format) -> str:
    """JSON lines of one format, without the dropped ones; each question once.

    Of a question that was judged twice, a confirmed judgement is kept before a proposed one, then the newest.
    """
    rank = {"confirmed": 0, "proposed": 1}
    chosen: dict[str, Case] = {}
    for case in sorted(cases, key=lambda case: (rank.get(case.status, 2), -case.updated_at, case.id)):
        key = " ".join(case.question.casefold().split())
        if case.format == case_format and case.status != "dropped" and key not in chosen:
            chosen[key] = case
    rows = sorted(chosen.values(), key=lambda case: (case.created_at, case.id))
    return "".join(json.dumps(_row(case), ensure_ascii=False) + "\n" for case in rows)


def _row(case: Case) -> dict[str, Any]:
    about = {"confirmed": case.status == "confirmed", "source": case.source, "lang": case.lang}
    if case.format == "retrieval":
        return {"id": case.id, "question": case.question, "article_ids": list(case.article_ids), **about}
    return {
        "id": case.id,
        "question": case.question,
        "should_refuse": case.should_refuse,
        "expected_doc": case.article_ids[0] if case.article_ids else None,
        "alt_docs": list(case.article_ids[1:]),
        "bucket": "refuse" if case.should_refuse else "answer",
        **about,
    }
