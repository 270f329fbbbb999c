"""Content gaps: what visitors asked and the articles did not answer, each gap once, however it was worded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from handrail.desk.learning.clusters import cluster
from handrail.desk.learning.personal import impersonal
from handrail.types import RefusalReason, Vectors

CONTENT_REASONS = frozenset(
    {
        RefusalReason.NO_RELEVANT_CONTEXT,
        RefusalReason.LOW_EVIDENCE,
        RefusalReason.UNSUPPORTED_CLAIMS,
        RefusalReason.INVALID_CITATIONS,
    }
)
"""Refusals that an article could have prevented; mash, other companies' products and outages are none."""
SAME = 0.56
"""First step of clustering, as a share of the way from the encoder's noise floor to 1: cosine 0.76 for bge-small."""
ALIKE = 0.32
"""Second step: mean cosine 0.63 for bge-small."""
EXISTS = 0.46
"""Nearness of an article's best passage from which the article seems to exist: cosine 0.71 for bge-small."""
ABSENT = 0.37
"""Nearness under which none does: cosine 0.66 for bge-small. In between a person has to look."""
SAMPLES = 5
NEAREST = 3
MOST_QUESTIONS = 5000

Verdict = Literal["missing", "not_found", "unclear"]


@dataclass(frozen=True, slots=True)
class Asked:
    """One question that went unanswered, or whose answer got a thumb down."""

    turn_id: str
    conversation_id: str
    visitor_id: str | None
    question: str
    reason: str
    """A refusal reason, or `thumb_` and the visitor's reason."""
    lang: str | None
    at: float
    handed_off: bool
    """Whether its conversation went to a person."""


@dataclass(frozen=True, slots=True)
class Near:
    """An article near a gap."""

    article_id: str
    title: str
    url: str
    distance: float
    """1 minus the cosine of its best passage: 0 is the same text."""


@dataclass(frozen=True, slots=True)
class Gap:
    """Questions that ask the same."""

    id: str
    """The turn of its first question: the same as long as that is in the range."""
    question: str
    """The most typical one, personal data taken out."""
    samples: Sequence[str]
    questions: int
    visitors: int
    """Different visitor ids, and conversations without one."""
    reasons: Mapping[str, int]
    languages: Mapping[str, int]
    first_seen: float
    last_seen: float
    handed_off: int
    thumbs_down: int
    verdict: Verdict
    nearest: Sequence[Near]


@dataclass(frozen=True, slots=True)
class Shelf:
    """Passages of the knowledge base, as far as finding the nearest needs them."""

    vectors: Vectors
    """`(passages, d)` float32, L2-normalised."""
    owners: Sequence[str]
    """The article of each passage."""
    titles: Mapping[str, str]
    urls: Mapping[str, str]
    noise_floor: float
    """Cosine of unrelated texts under this encoder."""

    def nearest(self, vector: Vectors, limit: int = NEAREST) -> list[Near]:
        """The nearest articles by their best passage, the nearest first."""
        if not len(self.owners):
            return []
        cosines = self.vectors @ vector
        found: dict[str, Near] = {}
        for row in np.argsort(-cosines, kind="stable"):
            article = self.owners[row]
            if article not in found:
                distance = round(1.0 - float(cosines[row]), 4)
                found[article] = Near(article, self.titles.get(article, article), self.urls.get(article, ""), distance)
            if len(found) == limit:
                break
        return list(found.values())


def find_gaps(asked: Sequence[Asked], vectors: Vectors, shelf: Shelf) -> list[Gap]:
    """The gaps behind `asked`, whose embeddings are `(n, d)` float32, L2-normalised; the most asked first."""
    order = sorted(range(len(asked)), key=lambda place: (asked[place].at, asked[place].turn_id))
    floor = shelf.noise_floor
    groups = cluster(vectors[order], share_of(SAME, floor), share_of(ALIKE, floor))
    members: dict[int, list[int]] = {}
    for place, group in zip(order, groups, strict=True):
        members.setdefault(group, []).append(place)
    gaps = [_gap([asked[place] for place in places], vectors[places], shelf) for places in members.values()]
    return sorted(gaps, key=lambda gap: (-gap.questions, -gap.last_seen, gap.id))


def _gap(asked: Sequence[Asked], vectors: Vectors, shelf: Shelf) -> Gap:
    """`asked` in order of time, with their vectors."""
    mean = vectors.mean(axis=0)
    typical = np.argsort(-(vectors @ mean), kind="stable")
    wordings = list(dict.fromkeys(impersonal(asked[place].question) for place in typical))
    nearest = shelf.nearest(vectors[typical[0]])
    return Gap(
        id=asked[0].turn_id,
        question=wordings[0],
        samples=wordings[:SAMPLES],
        questions=len(asked),
        visitors=len({one.visitor_id or one.conversation_id for one in asked}),
        reasons=dict(Counter(one.reason for one in asked).most_common()),
        languages=dict(Counter(one.lang or "unknown" for one in asked).most_common()),
        first_seen=asked[0].at,
        last_seen=asked[-1].at,
        handed_off=sum(one.handed_off for one in asked),
        thumbs_down=sum(one.reason.startswith("thumb_") for one in asked),
        verdict=_verdict(nearest, shelf.noise_floor),
        nearest=nearest,
    )


def _verdict(nearest: Sequence[Near], floor: float) -> Verdict:
    if not nearest or 1.0 - nearest[0].distance < share_of(ABSENT, floor):
        return "missing"
    return "not_found" if 1.0 - nearest[0].distance >= share_of(EXISTS, floor) else "unclear"


def share_of(share: float, floor: float) -> float:
    """A share of the way from the noise floor to 1, as a cosine of this encoder."""
    return floor + share * (1.0 - floor)
