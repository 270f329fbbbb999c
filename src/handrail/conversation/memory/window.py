"""Which of the earlier exchanges still count, and what of a turn is kept at all."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace

from handrail.text.contacts import without_contacts
from handrail.text.guard import suspicious
from handrail.text.redact import redact
from handrail.types import CLAIMING, Exchange, Question, Routing, Turn

Count = Callable[[str], int]
"""Tokens of a text."""

MOST_EXCHANGES = 20
LONGEST_QUESTION = 1000
"""Characters of one message that are kept."""
LONGEST_ANSWER = 2000
MOST_QUOTED = 60
NEVER_KEPT = frozenset({Routing.HANDED_OFF, Routing.UNAVAILABLE})
"""Turns that say nothing about what the visitor wants to know."""


def exchange_of(turn: Turn) -> Exchange | None:
    """What later turns may know of this one; no words of a refusal. None when nothing.

    Secrets are taken out, and contacts but for those the cited articles name: nobody is reached by way of the memory.
    """
    result = turn.outcome
    if result.routing in NEVER_KEPT or turn.question.suspicious:
        return None
    cited = dict.fromkeys((c.passage.article_id, c.passage.title) for c in result.citations)
    published = "\n".join(citation.passage.text for citation in result.citations)
    return Exchange(
        question=_kept(turn.question.text, LONGEST_QUESTION),
        standalone=_kept(turn.standalone or turn.question.text, LONGEST_QUESTION),
        answer="" if result.refused else _kept(result.answer, LONGEST_ANSWER, published),
        routing=result.routing,
        article_ids=tuple(article for article, _ in cited),
        titles=tuple(title for _, title in cited),
        turn_id=turn.question.turn_id,
        follows=turn.question.follows,
        declined=turn.question.declined,
        quoted=_quoted(turn)[-MOST_QUOTED:],
    )


def _quoted(turn: Turn) -> tuple[str, ...]:
    """Each once, also those of earlier turns that the window will have lost."""
    before = [passage_id for past in turn.question.history for passage_id in past.quoted]
    now = [piece.passage_id for piece in turn.outcome.pieces] if turn.outcome.routing in CLAIMING else []
    return tuple(dict.fromkeys([*before, *now]))


def _kept(text: str, most: int, published: str = "") -> str:
    return without_contacts(redact(text), published)[:most]


def place_of(turn: Turn) -> Exchange:
    """Holds the place of a turn that is not kept, so that those that follow it know what came before it."""
    question = turn.question
    return Exchange("", "", "", turn.outcome.routing, turn_id=question.turn_id, follows=question.follows)


def told_person(question: Question) -> Exchange:
    """A message that went to a person; of one with injection signals only that it was there."""
    text = "" if question.suspicious else _kept(question.text, LONGEST_QUESTION)
    return Exchange(text, text, "", Routing.HANDED_OFF, turn_id=question.turn_id, follows=question.follows)


def said_by_person(text: str) -> Exchange:
    """What a person wrote to the visitor, as a part of whatever turn came before it."""
    return Exchange("", "", "" if suspicious(text) else _kept(text, LONGEST_ANSWER), Routing.HANDED_OFF)


def branch(exchanges: Sequence[Exchange], follows: str | None) -> list[Exchange]:
    """What led up to the turn `follows`, that one included: oldest first, without turns of other branches.

    None stands for the latest turn. A turn that is not known any more has nothing before it. What was said with a
    person has no branches: it belongs to the turn it came after.
    """
    kept: list[Exchange] = []
    said: list[Exchange] = []
    wanted = follows
    for exchange in reversed(exchanges):
        if wanted is None or exchange.turn_id == wanted != "":
            kept = [exchange, *said, *kept]
            wanted, said = exchange.follows, []
        else:
            said = [exchange, *said] if exchange.with_person else []
    return [exchange for exchange in kept if exchange.question or exchange.answer]


def latest(exchanges: Sequence[Exchange], window_tokens: int, count: Count) -> tuple[Exchange, ...]:
    """The longest run of latest exchanges within `window_tokens`; the last one always, its answer cut away if need be.

    Oldest first.
    """
    kept: list[Exchange] = []
    left = window_tokens
    for exchange in reversed(exchanges[-MOST_EXCHANGES:]):
        left -= count(exchange.question) + count(exchange.answer)
        if left < 0:
            break
        kept.insert(0, exchange)
    if not kept and exchanges:
        kept = [replace(exchanges[-1], answer="")]
    return tuple(kept)


def packed(exchange: Exchange) -> str:
    return json.dumps(asdict(exchange), ensure_ascii=False, separators=(",", ":"))


def unpacked(text: str | bytes) -> Exchange | None:
    """None for what another version wrote."""
    try:
        row = json.loads(text)
        return Exchange(
            str(row["question"]),
            str(row["standalone"]),
            str(row["answer"]),
            Routing(row["routing"]),
            tuple(map(str, row["article_ids"])),
            tuple(map(str, row["titles"])),
            str(row.get("turn_id", "")),
            None if row.get("follows") is None else str(row["follows"]),
            bool(row.get("declined", False)),
            tuple(map(str, row.get("quoted", ()))),
        )
    except (ValueError, KeyError, TypeError):
        return None
