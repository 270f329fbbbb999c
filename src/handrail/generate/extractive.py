"""Answers made of the passages' own words: the default when no LLM is configured.

The cross-encoder scores every quotable unit against the question; the best one decides the shape of the answer (a
procedure, a list, table rows, or sentences), and what belongs to it is added in reading order.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from handrail.generate.policy import Policy
from handrail.generate.units import Unit, units
from handrail.local_models.batching import Batcher
from handrail.markdown import plain, sentences
from handrail.settings import Generate
from handrail.stores.tokens import tokenize
from handrail.types import Classification, Claim, Draft, Evidence, Label, Question
from handrail.wording import Wording

PROCEDURE = re.compile(
    r"\b(how (do|can|could|would|should|to)|how'd|where (do|can|is|are)|set ?up|steps?|way to|walk me|want to|need to|"
    r"trying to|can'?t (find|figure)|show me|help me)\b",
    re.I,
)
FACT = re.compile(
    r"\b(how (much|many|long|often|big|far|soon|old)|when|what|which|why|who|does|is there|are there|can i|may i|is it|"
    r"do (you|i|we)|cost|price|limit|maximum|minimum|fee)\b",
    re.I,
)
ANAPHORA = re.compile(
    r"^(it|its|this|that|these|those|they|them|their|he|she|then|there|both|such|otherwise|instead|also|in that case|the same)\b",
    re.I,
)
CANDIDATES = 24
BESIDE = 2.0
"""Logits a further sentence may lie below the best one."""


@dataclass(frozen=True, slots=True)
class Scored:
    unit: Unit
    score: float


class ExtractiveAnswerer:
    def __init__(
        self, reranker: Batcher[tuple[str, str], float], settings: Generate, wording: Wording, policy: Policy | None
    ) -> None:
        self._reranker = reranker
        self._settings = settings
        self._wording = wording
        self._policy = policy

    async def answer(self, question: Question, classification: Classification, evidence: Evidence) -> Draft:
        scored = await self._score(evidence)
        if classification.label is Label.HIGH_STAKES:
            return self._high_stakes(question, self._compose(evidence.query, scored))
        return Draft(self._compose(evidence.query, scored), "extractive", signals=_fit(evidence.query, scored))

    async def _score(self, evidence: Evidence) -> list[Scored]:
        """The most promising units, best first. Word overlap decides which are worth the cross-encoder's time."""
        found = units(evidence.hits[: self._settings.context_passages], self._settings.max_steps)
        wanted = set(tokenize(evidence.query))
        found.sort(key=lambda unit: (unit.rank > 0, -_overlap(wanted, unit), unit.rank, unit.order))
        kept = sorted(found, key=lambda unit: -(_overlap(wanted, unit) + 0.6 / (1 + unit.rank)))[:CANDIDATES]
        logits = await self._reranker.submit([(evidence.query, unit.for_scoring()) for unit in kept])
        scored = [
            Scored(unit, float(logit) + _fits_shape(evidence.query, unit) + 2.0 * unit.hit.final)
            for unit, logit in zip(kept, logits, strict=True)
        ]
        return sorted(scored, key=lambda item: -item.score)

    def _compose(self, query: str, scored: Sequence[Scored]) -> list[Claim]:
        if not scored:
            return []
        best = scored[0].unit
        if best.kind in ("steps", "bullets"):
            return self._listed(best, scored)
        if best.kind == "row":
            return _rows(best, scored)
        return self._sentences(scored)

    def _listed(self, best: Unit, scored: Sequence[Scored]) -> list[Claim]:
        """A lead-in, the list as it stands, and a note of the same passage when it matters to the question."""
        source = (best.hit.passage.id,)
        claims = [Claim(best.lead or _heading(best), source)] if best.lead or _heading(best) else []
        claims += [Claim(line, source) for line in _shortened(best.lines)]
        floor = scored[0].score - BESIDE
        notes = [s.unit for s in scored[1:] if s.score >= floor and s.unit.kind in ("note", "sentence")]
        same = [
            unit
            for unit in notes
            if unit.hit.passage.section == best.hit.passage.section and not ANAPHORA.match(plain(unit.lines[0]))
        ]
        claims += [Claim(unit.lines[0], (unit.hit.passage.id,)) for unit in same[:1]]
        return claims

    def _sentences(self, scored: Sequence[Scored]) -> list[Claim]:
        """The best sentences of the best article in reading order, with what they refer back to."""
        floor = scored[0].score - BESIDE
        best = scored[0].unit
        chosen: list[Unit] = []
        for item in scored:
            unit = item.unit
            if item.score < floor or len(chosen) >= self._settings.max_sentences:
                break
            if unit.kind in ("sentence", "note") and not _repeats(unit, chosen):
                chosen.append(unit)
        everything = {
            (unit.hit.passage.id, unit.order): unit for unit in units([u.hit for u in chosen], self._settings.max_steps)
        }
        for unit in list(chosen):
            before = everything.get((unit.hit.passage.id, unit.order - 1))
            if ANAPHORA.match(plain(unit.lines[0])) and before is not None and before.kind in ("sentence", "note"):
                if not _repeats(before, chosen):
                    chosen.append(before)
        first = best.hit.passage.article_id
        chosen.sort(key=lambda u: (u.hit.passage.article_id != first, u.rank if u.hit.passage.article_id != first else 0,
                                   u.hit.passage.position, u.order))  # fmt: skip
        return [Claim(unit.lines[0], (unit.hit.passage.id,)) for unit in chosen]

    def _high_stakes(self, question: Question, claims: Sequence[Claim]) -> Draft:
        offer = self._policy.offer_for(question.text) if self._policy else None
        acknowledgement = self._wording.say("high_stakes_ack")
        if claims:
            acknowledgement += "\n\n" + self._wording.say("high_stakes_context")
        return Draft(
            claims,
            "extractive",
            acknowledgement=acknowledgement,
            offer=offer.text if offer else None,
            closing=self._wording.say("high_stakes_close"),
        )


def _fits_shape(query: str, unit: Unit) -> float:
    """Steps for "how do I", sentences for "how much": worth about a logit."""
    fact, procedure = bool(FACT.search(query)), bool(PROCEDURE.search(query))
    if unit.kind == "steps":
        return 1.5 if procedure else (-1.5 if fact else 0.5)
    if unit.kind == "note":
        return -0.5
    return 0.0


def _fit(query: str, scored: Sequence[Scored]) -> dict[str, float]:
    best = scored[0] if scored else None
    return {"unit_top": best.score - 2.0 * best.unit.hit.final if best else -10.0}


def _overlap(wanted: set[str], unit: Unit) -> float:
    if not wanted:
        return 0.0
    return len(wanted & set(tokenize(unit.for_scoring()))) / len(wanted)


def _heading(unit: Unit) -> str:
    """A heading that reads as a lead-in, made into one."""
    heading = unit.headings[-1] if unit.headings else unit.hit.passage.title
    text = re.sub(r"^step \d+[:.]?\s*", "", heading, flags=re.I).rstrip(":?.")
    return f"**{text}:**" if text and not heading.endswith("?") else ""


def _shortened(lines: Sequence[str]) -> list[str]:
    return [line.rstrip() for line in lines]


def _repeats(unit: Unit, chosen: Sequence[Unit]) -> bool:
    terms = set(tokenize(unit.lines[0]))
    for other in chosen:
        known = set(tokenize(other.lines[0]))
        if terms and len(terms & known) / len(terms | known) > 0.7:
            return True
    return False


def _rows(best: Unit, scored: Sequence[Scored]) -> list[Claim]:
    """The rows of the best row's table that score near it, under its header, as one claim."""
    floor = scored[0].score - BESIDE
    rows = [
        s.unit
        for s in scored
        if s.score >= floor and s.unit.header == best.header and s.unit.hit.passage.id == best.hit.passage.id
    ]
    rows.sort(key=lambda unit: unit.order)
    table = "\n".join((best.header, *(unit.lines[0] for unit in rows[:6])))
    return [Claim(table, (best.hit.passage.id,))]
