"""The classifier of every company of a routing file, as the product runs it, over one embedder."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from eval.metrics.routing import Routed
from handrail.assembly.models import build_foreign_scorer, build_message_scorer
from handrail.retrieve.topic import TopicProbe
from handrail.settings import Settings
from handrail.text.courtesies import without_courtesies
from handrail.text.language import foreign
from handrail.text.sentences import parts
from handrail.types import Probe, Question
from handrail.understand.classify.features import encoder_text
from handrail.understand.classify.head import Head
from handrail.understand.classify.local import LocalClassifier
from handrail.understand.classify.verdict import Said
from training.classifier.bases import CachedEmbedder, Score, company_base, indexed_base, probe
from training.classifier.rows import OWN, Row, read_companies


class Assistants:
    def __init__(self, settings: Settings, head: Head, embedder: CachedEmbedder, companies: Path) -> None:
        """`companies` is a file of companies, beside the sample's; there may be none."""
        found = read_companies(companies) if companies.is_file() else {}
        self._embedder = embedder
        nameless = settings.model_copy(update={"brand": settings.brand.model_copy(update={"name": ""})})
        self._score = build_message_scorer(nameless)
        self._score_foreign = build_foreign_scorer(nameless)
        self._bases: dict[str, TopicProbe] = {
            OWN: indexed_base(settings, settings.knowledge.kb, settings.brand.covers, embedder),
            **{company.id: company_base(company, embedder) for company in found.values()},
        }
        self.names = {OWN: settings.brand.name, **{company.id: company.name for company in found.values()}}
        self._classifiers = {
            company: LocalClassifier(head, settings.classify.static_above, name) for company, name in self.names.items()
        }

    def score(self, rows: Sequence[Row]) -> list[Routed]:
        return [self._one(row, text) for row, text in zip(rows, self._read(rows), strict=True)]

    def said(self, rows: Sequence[Row]) -> list[tuple[str, Said, list[Said]]]:
        """Each message as it is read, and what is said of it and of its sentences, before the verdict."""
        return [
            (text, *self._classifiers[row.company].said(text, self._probe(row, text)))
            for row, text in zip(rows, self._read(rows), strict=True)
        ]

    def other(self, company: str) -> str:
        """Another company, always the same one."""
        known = list(self.names)
        return known[(known.index(company) + 1) % len(known)]

    def _read(self, rows: Sequence[Row]) -> list[str]:
        """Messages as they are read, which are embedded all at once. Raises ValueError naming an unknown company."""
        if unknown := {row.company for row in rows} - self.names.keys():
            raise ValueError(f"no such company in companies.jsonl: {', '.join(sorted(unknown))}")
        texts = [without_courtesies(row.text) for row in rows]
        self._embedder.queries([*texts, *(part for text in texts for part in parts(text))])
        return texts

    def _scorer_for(self, company: str) -> Score | None:
        score, name = self._score, self.names[company]
        if score is None:
            return None
        return lambda texts: [scores.labels for scores in score([encoder_text(text, name) for text in texts])]

    def _probe(self, row: Row, text: str) -> Probe:
        found = probe(text, self._bases[row.company], self._embedder, self._scorer_for(row.company))
        said = without_courtesies(row.text)
        if self._score_foreign is None or not foreign(said):
            return found
        scores = self._score_foreign([encoder_text(said, self.names[row.company])])[0].labels
        return replace(found, foreign=scores, abroad=True)

    def _one(self, row: Row, text: str) -> Routed:
        classifier = self._classifiers[row.company]
        found = asyncio.run(classifier.classify(Question(row.text, "check", "check"), self._probe(row, text)))
        return Routed(row.label.value, found.label.value, found.probability)
