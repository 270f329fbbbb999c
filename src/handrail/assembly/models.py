"""Local encoders and rerankers, by the names in the settings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from handrail.errors import MissingExtra, SettingsError
from handrail.models import Embedder, Logit, Reranker
from handrail.models.fetch import locate
from handrail.models.manifest import ModelSpec, find, manifest
from handrail.settings import Settings
from handrail.types import MessageScores

if TYPE_CHECKING:
    from handrail.models.late import LateEncoder
    from handrail.models.taught import OnnxTaught, Taught
    from handrail.models.understands import UnderstandingHead

SENTENCE_TRANSFORMER = "st:"
QUERY_TOKENS = 64
"""Of a query, for every encoder: those that were taught saw no more."""

Scores = Callable[[list[tuple[str, str]]], Iterable[float]]


def build_embedder(settings: Settings) -> Embedder:
    """Raises ModelUnavailable or MissingExtra, saying what to run."""
    models = settings.models
    if models.embedder.startswith(SENTENCE_TRANSFORMER):
        from handrail.models.sentence_transformer import SentenceTransformerEmbedder

        name = models.embedder.removeprefix(SENTENCE_TRANSFORMER)
        return SentenceTransformerEmbedder(name, batch_size=models.batch_size, max_tokens=models.embed_max_tokens)
    from handrail.models.onnx import OnnxEmbedder

    spec = find(models.embedder, "embedder")
    return OnnxEmbedder(
        spec,
        locate(spec, models.folder),
        threads=models.threads,
        max_tokens=models.embed_max_tokens,
        query_tokens=QUERY_TOKENS,
    )


def installed(settings: Settings) -> None:
    """Raises MissingExtra where a model needs the torch extra and it is not there; loads no model."""
    for name, model in (("embedder", settings.models.embedder), ("reranker", settings.models.reranker)):
        if not model.startswith(SENTENCE_TRANSFORMER):
            continue
        try:
            import_module("sentence_transformers")
        except ImportError:
            raise MissingExtra(f"models.{name} = {model!r}", "torch") from None


def build_late(settings: Settings, lang: str) -> LateEncoder | None:
    """None where it is turned off or does not read `lang`. Raises ModelUnavailable, saying what to run."""
    models = settings.models
    if models.late == "none" or not reads(models.late, lang):
        return None
    from handrail.models.late import LateEncoder

    spec = find(models.late, "late")
    return LateEncoder(
        spec,
        locate(spec, models.folder),
        threads=models.threads,
        max_tokens=models.embed_max_tokens,
        query_tokens=QUERY_TOKENS,
    )


def reads(model: str, lang: str) -> bool:
    """Whether the model of that name was trained on `lang`; those of the torch extra are taken to be."""
    spec = manifest().get(model)
    return spec is None or not spec.languages or lang in spec.languages


@dataclass(frozen=True, slots=True)
class Readers:
    """What tells whether a passage answers."""

    first: Taught
    """Made of the cross-encoder, whose logit it gives, too."""
    second: Taught | None
    """Made of the embedder; None where another is in use."""

    @property
    def digest(self) -> str:
        return self.first.digest + (self.second.digest if self.second is not None else "")

    @property
    def fitted_on(self) -> str:
        return "; ".join(reader.fitted_on for reader in (self.first, self.second) if reader is not None)


def readers_of(settings: Settings) -> Readers | None:
    """None where they are turned off, or the first was made of another cross-encoder than the one in use."""
    models = settings.models
    if not models.reader or models.reranker == "none" or models.reranker.startswith(SENTENCE_TRANSFORMER):
        return None
    from handrail.models.taught import QUESTIONS, QUESTIONS_AGAIN, load_taught

    first, second = load_taught(QUESTIONS), load_taught(QUESTIONS_AGAIN)
    if first.model != models.reranker:
        return None
    return Readers(first, second if second.model == models.embedder else None)


@dataclass(frozen=True, slots=True)
class Scoring:
    """What scores questions beside passages, as Logits where it also reads whether they answer."""

    passages: Scores
    """What was found for a question, which order and gates go by: both readers."""
    quotes: Scores
    """The first reader alone: stands in for the networks that check claims."""


def build_readers(settings: Settings) -> Scoring | None:
    """None as in `readers_of`."""
    readers = readers_of(settings)
    if readers is None:
        return None
    from handrail.models.taught import LOGIT

    models = settings.models
    limits = models.rerank_max_tokens, QUERY_TOKENS
    first = _loaded(readers.first, find(readers.first.model, "reranker"), settings, *limits)

    def alone(pairs: Sequence[tuple[str, str]]) -> list[Logit]:
        return [Logit(LOGIT * float(logit), float(answers)) for logit, answers in first.read(pairs)]

    if readers.second is None:
        return Scoring(alone, alone)
    from handrail.models.readers import QuestionReaders

    second = _loaded(readers.second, find(readers.second.model, "embedder"), settings, *limits)
    return Scoring(QuestionReaders(first, second), alone)


def build_scoring(settings: Settings) -> Scoring | None:
    """None without a model. Raises ModelUnavailable or MissingExtra, saying what to run."""
    if settings.models.reranker == "none":
        return None
    readers = build_readers(settings)
    if readers is not None:
        return readers
    plain = build_reranker(settings).score
    return Scoring(plain, plain)


def entailing(settings: Settings, instead: Scores) -> Scores:
    """What scores claims beside passages; `instead` where the model that it was made of is not the one in use.

    Those that were made of a model in use, as ClaimReaders. Loaded with the first claim that is in other words than its
    passage: answers that quote need none.
    """
    if settings.models.reranker == "none" or settings.models.reranker.startswith(SENTENCE_TRANSFORMER):
        return instead
    from handrail.models.readers import ClaimReaders
    from handrail.models.taught import CLAIM_TOKENS, CLAIMS, MAX_TOKENS, load_taught

    kinds = {settings.models.reranker: "reranker", settings.models.embedder: "embedder"}
    fitted = [taught for taught in map(load_taught, CLAIMS) if taught.model in kinds]
    if all(taught.model != settings.models.reranker for taught in fitted):
        return instead

    @cache
    def loaded() -> ClaimReaders:
        limits = MAX_TOKENS, CLAIM_TOKENS
        first, *others = (
            _loaded(taught, find(taught.model, kinds[taught.model]), settings, *limits) for taught in fitted
        )
        return ClaimReaders(first, others, threads=settings.models.threads)

    return lambda pairs: loaded()(pairs)


def build_message_scorer(settings: Settings) -> Callable[[Sequence[str]], Sequence[MessageScores]] | None:
    """What scores a message's labels and understands it; None for another embedder than it was made of."""
    from handrail.models.taught import MESSAGE_TOKENS, MESSAGES, load_taught
    from handrail.models.understands import ENGLISH
    from handrail.understand.classify.encoder import encoder_text

    fitted = load_taught(MESSAGES)
    if fitted.model != settings.models.embedder:
        return None
    name = settings.brand.name
    spec, head = find(fitted.model, "embedder"), _understanding(fitted, ENGLISH)
    loaded = _loaded(fitted, spec, settings, MESSAGE_TOKENS, MESSAGE_TOKENS, head)
    return lambda texts: loaded.score_messages([encoder_text(text, name) for text in texts])


def build_foreign_scorer(settings: Settings) -> Callable[[Sequence[str]], Sequence[MessageScores]] | None:
    """The same of a message in any language, in its own words; None where the settings name no encoder for it.

    The first time in a process takes three seconds by itself, and 390 MB that all share who ask again.
    """
    if settings.models.foreign == "none":
        return None
    from handrail.understand.classify.encoder import encoder_text

    spec, name = find(settings.models.foreign, "embedder"), settings.brand.name
    loaded = _foreign_reader(spec.name, locate(spec, settings.models.folder), settings.models.threads)
    return lambda texts: loaded.score_messages([spec.query_prefix + encoder_text(text, name) for text in texts])


@lru_cache(maxsize=1)
def _foreign_reader(model: str, folder: Path, threads: int) -> OnnxTaught:
    from handrail.models import understands
    from handrail.models.taught import FOREIGN, FOREIGN_TOKENS, OnnxTaught, load_taught

    fitted = load_taught(FOREIGN)
    if fitted.model != model:
        raise SettingsError(f"models.foreign: {fitted.model} was fine-tuned to classify messages, but {model} wasn't")
    head, most = _understanding(fitted, understands.FOREIGN), FOREIGN_TOKENS
    return OnnxTaught(folder, fitted, threads=threads, max_tokens=most, first_tokens=most, understands=head)


def _understanding(fitted: Taught, kind: str) -> UnderstandingHead | None:
    """None where the encoder was taught anew since the head was fitted to it."""
    from handrail.models.understands import load_understanding

    head = load_understanding(kind)
    return head if head.taught == fitted.digest else None


def build_multilingual(settings: Settings) -> Embedder | None:
    """The same encoder as it was before it was taught to hear: texts of any language side by side.

    None where the settings name none. It shares the tokenizer with what hears, and takes 30 MB more.
    """
    models = settings.models
    if models.foreign == "none":
        return None
    from handrail.models.onnx import OnnxEmbedder

    spec, most = find(models.foreign, "embedder"), models.embed_max_tokens
    return OnnxEmbedder(spec, locate(spec, models.folder), threads=models.threads, max_tokens=most, query_tokens=most)


def understands(settings: Settings) -> bool:
    """Whether messages are understood by a head that was fitted to the encoder in use."""
    from handrail.models.taught import FOREIGN, MESSAGES, load_taught
    from handrail.models.understands import ENGLISH
    from handrail.models.understands import FOREIGN as ANY_LANGUAGE

    abroad = settings.models.foreign != "none"
    fitted = load_taught(FOREIGN if abroad else MESSAGES)
    used = settings.models.foreign if abroad else settings.models.embedder
    return fitted.model == used and _understanding(fitted, ANY_LANGUAGE if abroad else ENGLISH) is not None


def _loaded(
    fitted: Taught,
    spec: ModelSpec,
    settings: Settings,
    max_tokens: int,
    first_tokens: int,
    understands: UnderstandingHead | None = None,
) -> OnnxTaught:
    from handrail.models.taught import OnnxTaught

    folder, threads = locate(spec, settings.models.folder), settings.models.threads
    return OnnxTaught(
        folder, fitted, threads=threads, max_tokens=max_tokens, first_tokens=first_tokens, understands=understands
    )


def build_reranker(settings: Settings) -> Reranker:
    """Raises ModelUnavailable or MissingExtra, saying what to run."""
    models = settings.models
    if models.reranker.startswith(SENTENCE_TRANSFORMER):
        from handrail.models.sentence_transformer import SentenceTransformerReranker

        name = models.reranker.removeprefix(SENTENCE_TRANSFORMER)
        return SentenceTransformerReranker(name, batch_size=models.batch_size, max_tokens=models.rerank_max_tokens)
    from handrail.models.onnx import OnnxReranker

    spec = find(models.reranker, "reranker")
    return OnnxReranker(
        spec,
        locate(spec, models.folder),
        threads=models.threads,
        max_tokens=models.rerank_max_tokens,
        query_tokens=QUERY_TOKENS,
    )
