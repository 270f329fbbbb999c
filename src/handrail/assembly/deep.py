"""Layers of deep retrieval around the retriever, each only where its switch is on; docs/pipeline.md draws them."""

from __future__ import annotations

from handrail.assembly.parts import Parts
from handrail.gates import Calibrator
from handrail.llm import LanguageModel
from handrail.prompts import PromptLibrary
from handrail.retrieve import Retriever
from handrail.retrieve.deep.cache import SemanticCache, names_in
from handrail.retrieve.deep.correction import CorrectingRetriever, PlainWords
from handrail.retrieve.deep.decomposition import DecomposingRetriever, LocalSplitter
from handrail.retrieve.deep.grading import CrossEncoderGrader, GradingRetriever
from handrail.retrieve.deep.hyde import HydeRetriever
from handrail.retrieve.deep.llm import LlmDeep
from handrail.retrieve.hybrid import HybridRetriever
from handrail.settings import Settings


def deepened(
    base: HybridRetriever,
    settings: Settings,
    parts: Parts,
    calibrator: Calibrator,
    llm: tuple[LanguageModel, PromptLibrary] | None,
) -> Retriever:
    """`base` itself where every switch is off."""
    deep = settings.deep
    model = LlmDeep(*llm, settings.brand) if llm is not None else None
    found: Retriever = base
    if deep.hyde and model is not None:
        found = HydeRetriever(found, model)
    if deep.decomposition != "off" or (deep.gap_check and model is not None):
        local = LocalSplitter() if deep.decomposition != "off" else None
        splitter = model if deep.decomposition == "llm" and model is not None else local
        found = DecomposingRetriever(found, base, splitter, model if deep.gap_check else None)
    if deep.correction != "off":
        corrector = model if deep.correction == "llm" and model is not None else PlainWords()
        enough = settings.gates.relevance
        found = CorrectingRetriever(found, corrector, calibrator.probability, enough, deep.correction_rounds)
    if deep.grading != "off":
        grader = model if deep.grading == "llm" and model is not None else CrossEncoderGrader(deep.grade_below)
        found = GradingRetriever(found, grader)
    if deep.cache:
        found = SemanticCache(
            found,
            base,
            names_in(parts.snapshot.titles.values()),
            lambda: parts.store.generation,
            full=deep.cache_full,
            partial=deep.cache_partial,
            most=deep.cache_entries,
        )
    return found
