"""The only place where things are built and wired together; nothing is built at import."""

from __future__ import annotations

import asyncio
import secrets
import time
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from handrail.calibration import load_calibration
from handrail.classify import Classifier
from handrail.classify.known import KnownMessages
from handrail.classify.local import LocalClassifier, load_head
from handrail.converse import Rewriter
from handrail.errors import HandrailError, SettingsError
from handrail.gates.logistic import LogisticCalibrator
from handrail.generate import Answerer, Critic
from handrail.generate.critique import LocalCritic
from handrail.generate.extractive import ExtractiveAnswerer
from handrail.generate.policy import load_policy
from handrail.local_models import Embedder, Reranker
from handrail.local_models.batching import Batcher
from handrail.local_models.fetch import locate
from handrail.local_models.manifest import find
from handrail.observe import Tracer
from handrail.observe.silent import SilentTracer
from handrail.pipeline import Pipeline, Stages
from handrail.prompts import LocalPrompts, PromptLibrary
from handrail.retrieve.hybrid import HybridRetriever
from handrail.retrieve.rerank import CrossEncoderRerank
from handrail.settings import Settings
from handrail.stores import snapshot as snapshots
from handrail.stores.chroma import ChromaStore, connect
from handrail.stores.lock import IndexLock
from handrail.stores.snapshot import Snapshot
from handrail.types import Probe, Question, Turn, Vectors
from handrail.wording import Wording, load_wording

SENTENCE_TRANSFORMER = "st:"
PROMPTS_WAIT_S = 1.5


def build_embedder(settings: Settings) -> Embedder:
    """Raises ModelUnavailable or MissingExtra, saying what to run."""
    models = settings.models
    if models.embedder.startswith(SENTENCE_TRANSFORMER):
        from handrail.local_models.sentence_transformer import SentenceTransformerEmbedder

        name = models.embedder.removeprefix(SENTENCE_TRANSFORMER)
        return SentenceTransformerEmbedder(name, batch_size=models.batch_size, max_tokens=models.embed_max_tokens)
    from handrail.local_models.onnx import OnnxEmbedder

    spec = find(models.embedder, "embedder")
    return OnnxEmbedder(
        spec,
        locate(spec, models.folder),
        threads=models.threads,
        batch_size=models.batch_size,
        max_tokens=models.embed_max_tokens,
        query_tokens=models.query_max_tokens,
    )


def build_reranker(settings: Settings) -> Reranker:
    """Raises ModelUnavailable or MissingExtra, saying what to run."""
    models = settings.models
    if models.reranker.startswith(SENTENCE_TRANSFORMER):
        from handrail.local_models.sentence_transformer import SentenceTransformerReranker

        name = models.reranker.removeprefix(SENTENCE_TRANSFORMER)
        return SentenceTransformerReranker(name, batch_size=models.batch_size, max_tokens=models.rerank_max_tokens)
    from handrail.local_models.onnx import OnnxReranker

    spec = find(models.reranker, "reranker")
    return OnnxReranker(
        spec,
        locate(spec, models.folder),
        threads=models.threads,
        batch_size=models.batch_size,
        max_tokens=models.rerank_max_tokens,
        query_tokens=models.query_max_tokens,
    )


def kb_folder(settings: Settings, kb: str) -> Path:
    """Where a knowledge base keeps its snapshot and fitted files."""
    return settings.storage.data_dir / "kb" / kb


def read_snapshot(settings: Settings, store: ChromaStore) -> Snapshot:
    """The store's current generation; made again from Chroma where this machine does not have it."""
    folder = kb_folder(settings, store.kb) / "snapshot"
    found = snapshots.load(folder, store.generation)
    if found is None:
        found = snapshots.build(*store.dump())
        if store.generation:
            snapshots.save(found, folder, store.generation)
    return found


@dataclass(frozen=True, slots=True)
class Parts:
    """What retrieval and answering share in one process."""

    snapshot: Snapshot
    store: ChromaStore
    embed: Batcher[str, Vectors]
    rerank: Batcher[tuple[str, str], float]
    covers: Vectors | None
    lock: IndexLock | None

    def retriever(self, settings: Settings, kind: type[HybridRetriever] = HybridRetriever) -> HybridRetriever:
        reranker = None
        if settings.retrieval.rerank_depth and settings.models.reranker != "none":
            words = int(settings.models.rerank_max_tokens * 0.7)
            reranker = CrossEncoderRerank(
                self.rerank, settings.retrieval.rerank_depth, settings.retrieval.rerank_weight, words
            )
        return kind(self.snapshot, self.store.search, self.embed, reranker, settings.retrieval, self.covers)

    def close(self) -> None:
        self.embed.close()
        self.rerank.close()
        if self.lock is not None:
            self.lock.release()


def build_parts(settings: Settings) -> Parts:
    """Load models and index; takes a second or two. Raises HandrailError saying what is missing and how to get it."""
    lock = None if settings.storage.chroma_url else IndexLock(settings.storage.data_dir, write=False)
    try:
        embedder = build_embedder(settings)
        store = ChromaStore(
            connect(settings.storage.data_dir, settings.storage.chroma_url), settings.knowledge.kb, embedder.name
        )
        store.open()
        snapshot = read_snapshot(settings, store)
        reranker = build_reranker(settings) if settings.models.reranker != "none" else None
    except BaseException:
        if lock is not None:
            lock.release()
        raise
    models = settings.models
    score = reranker.score if reranker is not None else _no_scores
    return Parts(
        snapshot=snapshot,
        store=store,
        embed=Batcher("embed", embedder.embed_queries, models.batch_size * 4, models.queue_limit),
        rerank=Batcher("rerank", score, models.batch_size * 4, models.queue_limit),
        covers=embedder.embed_passages([settings.brand.covers])[0] if settings.brand.covers else None,
        lock=lock,
    )


def _no_scores(pairs: Sequence[tuple[str, str]]) -> list[float]:
    return [0.0] * len(pairs)


def build_stages(settings: Settings, parts: Parts, wording: Wording, tracer: Tracer) -> Stages:
    """The pipeline's stages as the settings name them; an LLM is only imported when one is configured."""
    policy = load_policy(settings.high_stakes.policy_file)
    local: Classifier = LocalClassifier(
        load_head(settings.classify.head, settings.models.embedder), settings.classify.static_above
    )
    extractive = ExtractiveAnswerer(parts.rerank, settings.generate, wording, policy)
    critic: Critic | None = LocalCritic(load_calibration("critique"), settings.generate)
    if settings.generate.critique == "off":
        critic = None
    classifier, answerer, llm_critic, rewriter = _with_llm(settings, parts, wording, local, extractive)
    known = KnownMessages(classifier, settings.brand.topics, parts.snapshot.titles.values())
    return Stages(
        classifier=known,
        fallback_classifier=local,
        retriever=parts.retriever(settings),
        rewriter=rewriter,
        calibrator=LogisticCalibrator(load_calibration("relevance", settings.gates.calibration)),
        answerer=answerer,
        fallback_answerer=extractive if answerer is not extractive else None,
        critic=llm_critic or critic,
        tracer=tracer,
    )


def _with_llm(
    settings: Settings, parts: Parts, wording: Wording, local: Classifier, extractive: Answerer
) -> tuple[Classifier, Answerer, Critic | None, Rewriter | None]:
    """Classifier, answerer, critic and rewriter, each by LLM where the settings ask for it and there is one."""
    wanted = settings.generate.answerer
    if not settings.llm.configured:
        for name, value in (("generate.answerer", wanted), ("classify.mode", settings.classify.mode)):
            if value == "llm":
                raise SettingsError(
                    f'{name} = "llm" needs a provider: set OPENAI_API_KEY, or OPENAI_BASE_URL for a local one'
                )
        return local, extractive, None, None
    from handrail.classify.cascade import CascadeClassifier
    from handrail.classify.llm import LlmClassifier
    from handrail.converse.rewrite import LlmRewriter
    from handrail.generate.llm import LlmAnswerer
    from handrail.generate.llm_critique import LlmCritic
    from handrail.llm import connect as connect_llm

    models = connect_llm(settings.llm)
    prompts = build_prompts(settings)
    nearest = NearestTitles(parts.snapshot)
    second = LlmClassifier(models.small, prompts, settings.brand, nearest)
    classifier: Classifier = {
        "local": local,
        "llm": second,
        "cascade": CascadeClassifier(local, second, settings.classify.unsure_below),
    }[settings.classify.mode]
    policy = load_policy(settings.high_stakes.policy_file)
    answerer: Answerer = extractive
    if wanted in ("auto", "llm"):
        answerer = LlmAnswerer(
            models.answering, prompts, settings.brand, wording, policy, settings.generate.context_passages
        )
    critic = LlmCritic(models.small, prompts, settings.brand) if settings.generate.critique in ("auto", "llm") else None
    rewriter = None
    if settings.rewrite.llm:
        rewriter = LlmRewriter(models.small, prompts, settings.brand, settings.rewrite.below_words)
    return classifier, answerer, critic, rewriter


def build_prompts(settings: Settings) -> PromptLibrary:
    """Local files, or Langfuse with the local files behind it.

    Waits up to 1.5 seconds for Langfuse's versions; they are no longer refreshed once the library is let go.
    """
    local = LocalPrompts()
    if not settings.observe.langfuse_configured:
        return PromptLibrary(local)
    from handrail.observe.prompts import LangfusePrompts
    from handrail.observe.registry import PromptRegistry

    registry = PromptRegistry(settings.observe)
    remote = LangfusePrompts(registry, local, ttl_s=settings.observe.prompt_ttl_s, label=settings.observe.prompt_label)
    remote.warm(PROMPTS_WAIT_S)
    library = PromptLibrary(remote, fallback=local)
    weakref.finalize(library, remote.close)
    return library


def build_tracer(settings: Settings) -> Tracer:
    if not settings.observe.langfuse_configured:
        return SilentTracer(new_trace_id)
    from handrail.observe.langfuse import LangfuseTracer

    return LangfuseTracer(settings.observe, new_trace_id)


def new_trace_id() -> str:
    return secrets.token_hex(16)


class NearestTitles:
    """Titles of the articles nearest to a message, for the LLM classifier."""

    def __init__(self, snapshot: Snapshot, limit: int = 5) -> None:
        self._snapshot = snapshot
        self._limit = limit

    def __call__(self, probe: Probe) -> list[str]:
        order = (self._snapshot.article_vectors @ probe.embedding).argsort()[::-1][: self._limit]
        return [self._snapshot.titles[self._snapshot.articles[i]] for i in order]


class Assistant:
    """The whole product without HTTP: start it, ask it, stop it."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._parts: Parts | None = None
        self._pipeline: Pipeline | None = None
        self._tracer: Tracer | None = None
        self._state = {"models": "loading", "index": "loading"}

    @property
    def ready(self) -> bool:
        return self._pipeline is not None

    def readiness(self) -> dict[str, str]:
        return dict(self._state)

    async def start(self) -> None:
        """Load and warm up off the event loop. Raises HandrailError; `readiness` then names the problem."""
        try:
            parts = await asyncio.to_thread(build_parts, self.settings)
        except HandrailError as error:
            part = "models" if "model" in type(error).__name__.lower() else "index"
            self._state[part] = str(error)
            raise
        self._parts = parts
        wording = load_wording(self.settings.brand.name)
        self._tracer = build_tracer(self.settings)
        stages = await asyncio.to_thread(build_stages, self.settings, parts, wording, self._tracer)
        await stages.retriever.retrieve("warm up", {})
        self._state = {"models": "ok", "index": "ok"}
        self._pipeline = Pipeline(stages, self.settings, wording, time.perf_counter)

    async def ask(self, question: Question) -> Turn:
        if self._pipeline is None:
            raise HandrailError("the assistant is not ready yet")
        return await self._pipeline.run(question)

    async def stop(self) -> None:
        self._pipeline = None
        if self._parts is not None:
            await asyncio.to_thread(self._parts.close)
            self._parts = None
        if self._tracer is not None:
            await asyncio.to_thread(self._tracer.close)
            self._tracer = None
