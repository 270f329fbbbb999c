"""Reads the likeliest sections beside the question: which of them answers, and how likely?

One calibrated probability orders the sections, is the relevance gate, and is the confidence of what is quoted.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from handrail.models import Logit
from handrail.models.batching import Batcher
from handrail.models.calibration import Calibration, probability
from handrail.retrieve.signals import Seen, measure
from handrail.retrieve.tables import tables_as_text
from handrail.stores.sections import Sections, holds
from handrail.stores.snapshot import Snapshot
from handrail.stores.tokens import coverage, tokenize
from handrail.text.markdown import plain, sentences
from handrail.types import Candidate, Hit, Kind, Passage, Section, Vectors

PER_PASSAGE = 3
"""Sections of one passage that are read: those that share most words with the question."""
FEWEST = 3
"""Sections that are read however many turns wait."""


class SectionReader:
    """`depth` sections are read at most, `max_words` of each; `answers` turns what was seen into a probability,
    `across` does so for queries in languages that the model does not read. What a machine says of a figure gets
    `figure_weight` times that probability.

    Without a model the other signals decide.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        model: Batcher[tuple[str, str], float] | None,
        depth: int,
        max_words: int,
        answers: Calibration,
        across: Calibration | None = None,
        figure_weight: float = 1.0,
    ) -> None:
        self._snapshot = snapshot
        self._sections = Sections(snapshot)
        self._model = model
        self._depth = depth
        self._max_words = max_words
        self._answers = answers
        self._across = across or answers
        self._figure_weight = figure_weight

    async def read(
        self,
        query: str,
        hits: Sequence[Hit],
        cosines: Vectors,
        discussed: Sequence[Passage] = (),
        *,
        floor: float | None = None,
    ) -> list[Candidate]:
        """The likeliest first. `hits` are best first; sections of `discussed` are read whatever their rank.

        `floor`: the cosine of unrelated texts, for a query that no reader of English reads.
        """
        model = self._model if floor is None else None
        depth = self._depth if model is None else model.affordable(self._depth, FEWEST)
        chosen, pairs = await asyncio.to_thread(self._to_read, query, hits, depth, discussed)
        logits = await model.submit(pairs) if model is not None and pairs else []
        seen = [
            Seen(section, hit, float(logit), logit.reading if isinstance(logit, Logit) else None)
            for (section, hit), logit in zip(chosen, logits or [0.0] * len(chosen), strict=True)
        ]
        signals = measure(seen, self._snapshot, cosines, floor)
        gate = self._answers if floor is None else self._across
        found = [
            Candidate(
                one.section,
                probability(gate, values) * (self._figure_weight if one.section.figure else 1.0),
                values,
                one.hit.passage.id if one.hit.passage.kind is Kind.ROW else "",
            )
            for one, values in zip(seen, signals, strict=True)
        ]
        return sorted(found, key=lambda candidate: -candidate.probability)

    def _to_read(
        self, query: str, hits: Sequence[Hit], depth: int, discussed: Sequence[Passage]
    ) -> tuple[list[tuple[Section, Hit]], list[tuple[str, str]]]:
        chosen = self._chosen(query, hits, depth, discussed)
        return chosen, [(query, window(query, section, self._max_words)) for section, _ in chosen]

    def _chosen(
        self, query: str, hits: Sequence[Hit], depth: int, discussed: Sequence[Passage]
    ) -> list[tuple[Section, Hit]]:
        best = {hit.passage.id: hit for hit in hits}
        last = hits[-1] if hits else None
        known = [replace(last, passage=one) if last else Hit(one) for one in discussed]
        further = [best.get(hit.passage.id, hit) for hit in known]
        chosen: dict[str, tuple[Section, Hit]] = {}
        for hit in [*hits[:depth], *further]:
            inside = self._sections.of(hit.passage)
            if len(inside) > PER_PASSAGE:
                inside = sorted(inside, key=lambda section: -self._share(query, section))[:PER_PASSAGE]
            for section in inside:
                chosen.setdefault(section.id, (section, hit))
        ranked = list(chosen.values())
        return ranked[: depth + len(further)]

    def _share(self, query: str, section: Section) -> float:
        weights = self._snapshot.inverse_frequency
        return coverage(query, f"{section.path}\n{section.text}", weights, 1.0, self._snapshot.stemming)


def reordered(hits: Sequence[Hit], candidates: Sequence[Candidate]) -> list[Hit]:
    """Passages of the likeliest sections first, with their probability as `final`; the others keep their order."""
    final: dict[str, float] = {}
    rows = [hit.passage for hit in hits if hit.passage.kind is Kind.ROW]
    for candidate in candidates:
        inside = (row.id for row in rows if holds(candidate.section, row))
        for passage_id in (*candidate.section.passage_ids, *inside):
            final[passage_id] = max(candidate.probability, final.get(passage_id, 0.0))
    known = {hit.passage.id: hit for hit in hits}
    read = sorted((replace(known[i], final=p) for i, p in final.items() if i in known), key=lambda hit: -hit.final)
    floor = read[-1].final if read else 1.0
    rest = [replace(hit, final=min(floor, hit.fused)) for hit in hits if hit.passage.id not in final]
    return [*read, *rest]


def window(query: str, section: Section, max_words: int) -> str:
    """Title, headings and the run of lines that shares most with the query, where the section is longer than fits.

    A cross-encoder that reads the first words only misses the step in the middle of a long list.
    """
    head = ": ".join((section.title, *section.headings))
    text = tables_as_text(plain(section.text))
    budget = max_words - len(head.split())
    if len(text.split()) <= budget:
        return f"{head}\n{text}"
    units = [unit for line in text.splitlines() if line.strip() for unit in _units(line)]
    return f"{head}\n" + " ".join(_best_run(units, set(tokenize(query)), budget))


def _units(line: str) -> list[str]:
    return [line] if len(line.split()) < 40 else sentences(line)


def _best_run(units: Sequence[str], wanted: set[str], budget: int) -> Sequence[str]:
    """The first of those runs of units within `budget` words, or of a single one, that hold most of `wanted`.

    One pass: a run moves on by what enters it at the end and leaves it at the start.
    """
    words = [len(unit.split()) for unit in units]
    found = [wanted.intersection(tokenize(unit)) for unit in units]
    held: Counter[str] = Counter()
    size = end = 0
    best, at = -1, (0, 0)
    for start in range(len(units)):
        while end < len(units) and (end == start or size + words[end] <= budget):
            size += words[end]
            held.update(found[end])
            end += 1
        if len(+held) > best:
            best, at = len(+held), (start, end)
        size -= words[start]
        held.subtract(found[start])
    return units[slice(*at)]
