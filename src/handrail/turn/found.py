"""What was found for each request of a message, and which of them are answered from it."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from handrail.answer.gate import Band, Bands
from handrail.types import Asked, Citation, Classification, Evidence, Exchange, Hit, Label, Request, Routing, Sense

STATIC = frozenset({Label.NONSENSE, Label.IRRELEVANT, Label.OUT_OF_SCOPE})
DOUBTED = frozenset({Label.IRRELEVANT, Label.OUT_OF_SCOPE})
"""Labels that say what articles hold; the others say how a message is meant."""
LEAST = 1e-3
UNANSWERED = 0.05
"""What a sense counts that nothing answers."""
SURELY_NOT = 0.85
"""Probability of a fixed label below which what looks closest is shown rather than a fixed reply."""
SURE = 0.93
"""Probability that only a person could settle it, from which that stands, whatever the articles say."""


@dataclass(frozen=True, slots=True)
class Found:
    """A request as it was understood in the end, and the evidence for it."""

    request: Request
    sense: Sense
    label: Label
    evidence: Evidence
    band: Band

    @property
    def grave(self) -> bool:
        return self.label is Label.HIGH_STAKES

    @property
    def static(self) -> bool:
        """Whether it gets a fixed reply. What only a person could settle may still have sections that look closest."""
        return self.label in STATIC and not (self.label is Label.OUT_OF_SCOPE and self.band is not Band.NOTHING)

    def asked(self, routing: Routing, citations: Sequence[Citation]) -> Asked:
        """How the request is reported; `routing` is the reply's, for a request that it answers."""
        held = self.evidence.given
        cited = tuple(citation.index for citation in citations if citation.passage.id in held)
        own = Routing(self.label.value) if self.static or self.grave else routing
        return Asked(self.request.text, self.label, own, cited)


def found(request: Request, sense: Sense, evidence: Evidence, bands: Bands) -> Found:
    """With the label in the light of the evidence: what the articles answer is not turned away as none of theirs.

    Whether a message is off topic is what the articles say: "PayPal keeps declining" is for whoever takes payments.
    """
    label = sense.classification.label
    band = bands.band(evidence)
    unsure = sense.classification.probability < SURELY_NOT and band is not Band.NOTHING
    on_topic = label is Label.IRRELEVANT and band is Band.ANSWERED
    if label in DOUBTED and (unsure or on_topic or answers_after_all(sense, evidence)):
        label = Label.ANSWERABLE
    return Found(request, sense, label, evidence, band)


def close_if_discussed(evidence: Evidence, articles: Collection[str], bands: Bands) -> Evidence:
    """With the sections of `articles`, which the conversation is about, at least as close as is shown.

    "Where is that" reads like a question beside no section at all, and what it is about holds the answer all the same
    (training/LOG.md, Answers).
    """
    lifted = [
        replace(one, probability=max(one.probability, bands.closest)) if one.section.article_id in articles else one
        for one in evidence.sections
    ]
    return replace(evidence, sections=tuple(sorted(lifted, key=lambda one: -one.probability)))


def not_quoted(evidence: Evidence, history: Sequence[Exchange], bands: Bands) -> Evidence:
    """Without the sections that earlier turns were answered with: whoever has read one asks about something else.

    The question before it is a part of what a follow-up searches for, so its answer would be found again. Where nothing
    else looks close, they may be shown once more, but not as the answer.
    """
    quoted = {passage_id for exchange in history for passage_id in exchange.quoted}
    kept = tuple(one for one in evidence.sections if quoted.isdisjoint(one.section.passage_ids))
    if len(kept) == len(evidence.sections):
        return evidence
    if kept and kept[0].probability >= bands.closest:
        return replace(evidence, sections=kept)
    below = math.nextafter(bands.answered, 0)
    again = tuple(replace(one, probability=min(one.probability, below)) for one in evidence.sections)
    return replace(evidence, sections=again)


def likeliness(sense: Sense, evidence: Evidence) -> float:
    """How likely a sense is what was meant: it has to be answered, or to be no question for the articles."""
    told = sense.classification
    settled = told.probability if told.label in STATIC else UNANSWERED
    return sense.prior * max(evidence.probability, settled)


def surely_static(classification: Classification) -> bool:
    """Whether nothing has to be looked up to know that a message gets a fixed reply."""
    label = classification.label
    return label is Label.NONSENSE or (label is Label.OUT_OF_SCOPE and classification.probability >= SURE)


def answers_after_all(sense: Sense, evidence: Evidence) -> bool:
    """Whether the articles and the label `answerable` together outweigh the label that was given."""
    given = max(sense.classification.probability, LEAST)
    answerable = max(sense.classification.probabilities.get(Label.ANSWERABLE, 0.0), LEAST)
    likely = min(max(evidence.probability, LEAST), 1 - LEAST)
    return math.log(likely / (1 - likely)) + math.log(answerable / given) > 0


def sure_of(parts: Sequence[Found]) -> bool:
    """Whether the articles answer every part as they stand."""
    return all(part.band is Band.ANSWERED for part in parts)


def merged(parts: Sequence[Found]) -> Evidence:
    """What was found for all parts."""
    return together([part.evidence for part in parts])


def together(found: Sequence[Evidence]) -> Evidence:
    """As one: the best of each first, then the second best."""
    if len(found) == 1:
        return found[0]
    hits: dict[str, Hit] = {}
    for rank in zip_longest(*(evidence.hits for evidence in found)):
        for hit in rank:
            if hit is not None:
                hits.setdefault(hit.passage.id, hit)
    weakest = min(found, key=lambda evidence: evidence.probability)
    query = " ".join(evidence.query for evidence in found)
    return replace(weakest, query=query, hits=tuple(hits.values()), parts=tuple(found), unlisted=())
