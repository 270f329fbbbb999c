"""What the answering model is given to read: typed blocks, each within its own budget of tokens."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from handrail.answer.known_wrong import KnownWrong
from handrail.settings import Prompts
from handrail.types import Evidence, Exchange, Passage, Question

T = TypeVar("T")
Count = Callable[[str], int]
"""Number of tokens of a text."""

RELATED_TOKENS, WRONG_TOKENS, HISTORY_TOKENS = 80, 300, 400
"""Of titles of related articles, of answers known to be wrong, of the conversation before the message."""


@dataclass(frozen=True, slots=True)
class Group:
    """Passages of one article, in reading order."""

    title: str
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class Blocks:
    """Everything variable in an answering prompt but the message itself."""

    context: tuple[Group, ...]
    """Passages that may be cited, the best article first."""
    related: tuple[str, ...] = ()
    """Titles of further articles that were found: where the topic continues, no evidence."""
    wrong: tuple[KnownWrong, ...] = ()
    rules: tuple[str, ...] = ()
    """The operator's, as a model reads them."""
    history: tuple[Exchange, ...] = ()
    """Oldest first, without refusals; what a person and the visitor said to each other included."""
    tokens: Mapping[str, int] = field(default_factory=dict)
    """By block, as counted with the local embedder's tokenizer."""

    @property
    def passages(self) -> tuple[Passage, ...]:
        return tuple(passage for group in self.context for passage in group.passages)


def blocks(
    question: Question,
    evidence: Evidence,
    wrong: Sequence[KnownWrong],
    rules: Sequence[str],
    settings: Prompts,
    count: Count,
) -> Blocks:
    """The best passage of each question is always in; the best article gets what room is left before any other does."""
    context, spent = _context(evidence, settings.context_tokens, count)
    used = {passage.title for group in context for passage in group.passages}
    titles = [title for title in dict.fromkeys(hit.passage.title for hit in evidence.hits) if title not in used]
    related = within(titles, RELATED_TOKENS, count)
    warned = within(wrong, WRONG_TOKENS, lambda entry: sum(count(t) for t in _texts(entry)))
    known = [exchange for exchange in reversed(question.history) if exchange.answer or exchange.with_person]
    recent = within(known, HISTORY_TOKENS, lambda item: count(item.standalone) + count(item.answer))
    return Blocks(
        context,
        tuple(related),
        tuple(warned),
        tuple(rules),
        tuple(reversed(recent)),
        {
            "context": spent,
            "related": sum(map(count, related)),
            "wrong": sum(count(text) for entry in warned for text in _texts(entry)),
            "rules": sum(map(count, rules)),
            "history": sum(count(item.standalone) + count(item.answer) for item in recent),
        },
    )


def _context(evidence: Evidence, budget: int, count: Count) -> tuple[tuple[Group, ...], int]:
    """Groups by their best passage. The best passages are in even where they alone are over the budget."""
    by_article: dict[str, list[Passage]] = {}
    for hit in evidence.hits:
        by_article.setdefault(hit.passage.article_id, []).append(hit.passage)
    best = evidence.passages[: max(1, len(evidence.parts))]
    groups: list[Group] = []
    left = budget - sum(count(passage.text) for passage in best)
    for passages in by_article.values():
        taken: list[Passage] = []
        for passage in passages:
            size = 0 if passage in best else count(passage.text)
            if passage in best or size <= left:
                taken.append(passage)
                left -= size
        if taken:
            groups.append(Group(taken[0].title, tuple(sorted(taken, key=lambda passage: passage.position))))
    return tuple(groups), budget - left


def within(items: Sequence[T], budget: int, size: Callable[[T], int]) -> list[T]:
    """The first items that fit together; the first that does not ends it."""
    kept: list[T] = []
    for item in items:
        budget -= size(item)
        if budget < 0:
            break
        kept.append(item)
    return kept


def _texts(entry: KnownWrong) -> tuple[str, str, str]:
    return entry.question, entry.answer, entry.why
