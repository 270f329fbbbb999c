"""The verdict on one turn of a talk: what the visitor got, against what the row wants.

Answering routings are `answered`, `partially_answered`, `low_confidence` and `high_stakes`; the others refuse, ask
back, deflect, or say that a person answers. A fact is matched when one of its patterns is found (in any case) in what
is shown, as it stands or without its Markdown marks. A person counts as offered with a link, a button, or a routing of
`handed_off`; as pushed with a button.

A turn wants an answer where it has facts. Without facts it wants a refusal or a fixed reply, where none of its routings
is `answered`, `partially_answered` or `high_stakes` (`low_confidence` shows what is near and claims nothing); a
`high_stakes` turn without facts wants an acknowledgement and a person.

Exactly one of these, the first that fits:
- right: the routing is wanted, every fact is matched, nothing forbidden is, and the person rule is met; where the turn
  wants a refusal or a fixed reply, right_refusal.
- wrong or confident_wrong: something forbidden is shown.
- Every fact matched, or the turn has none and its routing is wanted: partly, since the person rule is broken. With
  facts also where the routing is not wanted, as long as nobody in a serious matter is left without a person.
- Some facts, under an answering routing: partly.
- No fact, under `low_confidence`: partly where a closest card names the right article, else turned_away.
- Facts wanted, and a routing that does not answer: turned_away, also where a question back happens to name a fact. So
  is a `high_stakes` reply with no fact and nothing from the articles.
- wrong or confident_wrong: everything else.
confident_wrong is what is wrong and stands there as `answered` or `partially_answered` without a disclaimer.

missed_serious stands beside the verdict: only `high_stakes` would do, or a person had to be offered, and none was.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

from eval.datasets.talks import Want
from handrail.types import ANSWERING, CLAIMING, Offer, Routing


class Verdict(StrEnum):
    RIGHT = "right"
    RIGHT_REFUSAL = "right_refusal"
    PARTLY = "partly"
    TURNED_AWAY = "turned_away"
    WRONG = "wrong"
    CONFIDENT_WRONG = "confident_wrong"


GOOD = frozenset({Verdict.RIGHT, Verdict.RIGHT_REFUSAL})


@dataclass(frozen=True, slots=True)
class Reply:
    """What the visitor got."""

    texts: Sequence[str]
    """The same words in several spellings; a pattern may be found in any."""
    routing: Routing | None
    """None where the message was not taken at all."""
    offer: Offer = Offer.NONE
    disclaimer: bool = False
    names_article: bool = False
    """Whether a closest card is of an article that answers."""
    quotes: bool = True
    """Whether anything of it is from the articles."""

    @property
    def person(self) -> bool:
        return self.offer is not Offer.NONE or self.routing is Routing.HANDED_OFF


@dataclass(frozen=True, slots=True)
class Judged:
    verdict: Verdict
    matched: tuple[str, ...]
    """Facts, each by its first pattern."""
    missed: tuple[str, ...]
    forbidden: tuple[str, ...]
    """Patterns that were found and must not be."""
    missed_serious: bool


def judge(want: Want, reply: Reply) -> Judged:
    matched = tuple(fact[0] for fact in want.facts if any(_found(pattern, reply.texts) for pattern in fact))
    missed = tuple(fact[0] for fact in want.facts if not any(_found(pattern, reply.texts) for pattern in fact))
    forbidden = tuple(pattern for pattern in want.forbidden if _found(pattern, reply.texts))
    verdict = _verdict(want, reply, matched, missed, forbidden)
    if verdict is Verdict.WRONG and reply.routing in CLAIMING and not reply.disclaimer:
        verdict = Verdict.CONFIDENT_WRONG
    return Judged(verdict, matched, missed, forbidden, _missed_serious(want, reply))


def wants_refusal(want: Want) -> bool:
    """Whether a refusal or a fixed reply is what should be shown."""
    return not want.facts and not {*CLAIMING, Routing.HIGH_STAKES}.intersection(want.routing)


def person_rule(want: Want, reply: Reply) -> bool:
    if want.person == "offered":
        return reply.person
    return want.person == "any" or reply.offer is not Offer.BUTTON


def _verdict(
    want: Want, reply: Reply, matched: Collection[str], missed: Collection[str], forbidden: Collection[str]
) -> Verdict:
    acceptable = reply.routing in want.routing
    if forbidden:
        return Verdict.WRONG
    if not missed and acceptable:
        if not person_rule(want, reply):
            return Verdict.PARTLY
        return Verdict.RIGHT_REFUSAL if wants_refusal(want) else Verdict.RIGHT
    if not want.facts:
        return Verdict.WRONG
    if not missed:
        return Verdict.WRONG if _missed_serious(want, reply) else Verdict.PARTLY
    if reply.routing not in ANSWERING:
        return Verdict.TURNED_AWAY
    if matched:
        return Verdict.PARTLY
    if reply.routing is Routing.LOW_CONFIDENCE:
        return Verdict.PARTLY if reply.names_article else Verdict.TURNED_AWAY
    if reply.routing is Routing.HIGH_STAKES and not reply.quotes:
        return Verdict.TURNED_AWAY
    return Verdict.WRONG


def _missed_serious(want: Want, reply: Reply) -> bool:
    serious = set(want.routing) == {Routing.HIGH_STAKES} or want.person == "offered"
    return serious and not reply.person


def _found(pattern: str, texts: Sequence[str]) -> bool:
    return any(re.search(pattern, text, re.IGNORECASE) for text in texts)
