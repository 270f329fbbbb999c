"""The pipeline's stages as the settings name them; an LLM library is only imported when an LLM is configured."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from handrail import language
from handrail.assembly.deep import deepened
from handrail.assembly.models import readers_of, reads
from handrail.assembly.observing import build_prompts
from handrail.assembly.parts import Parts, described, kb_folder
from handrail.assembly.verifying import local_verifier
from handrail.calibration import Calibration, load_calibration
from handrail.classify import Classifier
from handrail.classify.head import load_head
from handrail.classify.known import KnownMessages
from handrail.classify.local import LocalClassifier, Sentences
from handrail.classify.unread import UnreadLanguage
from handrail.classify.worded import ByWords
from handrail.converse.local import LocalReader
from handrail.converse.serious import load_serious_talk
from handrail.customer.hook import CustomerHook
from handrail.errors import SettingsError
from handrail.gates.logistic import LogisticCalibrator
from handrail.generate import Answerer
from handrail.generate.blocks import Blocks, Count, blocks, rules_given
from handrail.generate.complexity import ByComplexity
from handrail.generate.critique import LocalCritic
from handrail.generate.extractive import ExtractiveAnswerer
from handrail.generate.policy import policy_for
from handrail.known_wrong import WrongAnswers
from handrail.observe import Tracer
from handrail.retrieve.expand import TitleExpansion
from handrail.retrieve.opening import BeginningOfTheArticle
from handrail.retrieve.widen import MoreOfTheArticle, RestOfTheArticles
from handrail.settings import Settings
from handrail.several import Several
from handrail.stages import Stages
from handrail.stores.snapshot import Snapshot
from handrail.types import Evidence, Probe, Question
from handrail.wording import Wording

logger = logging.getLogger(__name__)

UNREAD = "unread"
"""The gate for articles that the cross-encoder cannot read."""
ACROSS = "across"
"""The gate for messages in another language than the articles."""
WORDS_OF_A_PART = 70
"""Words quoted from more than one section for each question of a message that asks several."""


def build_stages(settings: Settings, parts: Parts, wording: Wording, tracer: Tracer) -> Stages:
    """Local stages, with an LLM's in their place where one is configured; the local ones stay behind them."""
    _check(settings)
    base = parts.retriever(settings)
    local = local_classifier(settings, base.sentences, parts.snapshot.knows)
    lang, across = parts.snapshot.lang, load_calibration(ACROSS)
    critic = LocalCritic(
        calibration_for("critique", settings, index=parts.store.generation, lang=lang), settings.generate, across
    )
    policy = policy_for(settings.knowledge.kb, settings.high_stakes.policy_file)
    calibrator = LogisticCalibrator(
        calibration_for("relevance", settings, settings.gates.calibration, parts.store.generation, lang), across
    )
    retriever = deepened(base, settings, parts, calibrator, None)
    remembers = settings.memory.window_tokens > 0 and settings.memory.rewrite != "off"
    expansion = TitleExpansion(parts.snapshot, parts.embed, settings.rewrite.below_words)
    stages = Stages(
        classifier=local,
        fallback_classifier=local,
        retriever=retriever,
        reader=LocalReader(retriever.probe) if remembers else None,
        rewriter=expansion if settings.rewrite.expansion else None,
        calibrator=calibrator,
        answerer=ExtractiveAnswerer(parts.quote, settings.generate, wording, policy, near=parts.nearness(settings)),
        fallback_answerer=None,
        critic=None if settings.generate.critique == "off" else critic,
        quick_critic=None if settings.generate.critique == "off" else critic,
        tracer=tracer,
        customers=CustomerHook(settings.customer) if settings.customer.url and policy.conditional else None,
        articles_lang=parts.snapshot.lang,
        reads_abroad=parts.multilingual is not None,
        verifier=local_verifier(settings, parts.entails),
        widen=BeginningOfTheArticle(parts.snapshot),
        besides=RestOfTheArticles(parts.snapshot),
        talk=load_serious_talk(settings.models.embedder),
        foresee=base.foresee,
    )
    alone = stages
    if settings.llm.configured:
        stages = with_llm(settings, parts, wording, stages)
    if settings.decisions.remote:
        from handrail.assembly.deciding import decided

        stages = decided(settings, parts, stages, alone, NearestTitles(parts.snapshot))
    if settings.generate.split_questions:
        brief = ExtractiveAnswerer(
            parts.quote, settings.generate, wording, policy, at_most=WORDS_OF_A_PART, near=parts.nearness(settings)
        )
        relevance, together = settings.gates.relevance, stages.fallback_answerer is not None
        sorts = local if together else stages.classifier
        several = Several(
            stages.retriever,
            sorts,
            calibrator,
            brief,
            stages.quick_critic,
            relevance,
            together=together,
            besides=stages.besides,
        )
        stages = replace(stages, several=several)
    if not reads(settings.models.embedder, parts.snapshot.lang):
        stages = replace(stages, classifier=UnreadLanguage(stages.classifier, parts.snapshot.lang))
    known = KnownMessages(stages.classifier, settings.brand.topics, parts.snapshot.titles.values())
    return replace(stages, classifier=known)


def with_llm(settings: Settings, parts: Parts, wording: Wording, local: Stages) -> Stages:
    """The stages that the settings give to the LLM, with the local ones as their fallbacks."""
    from handrail.classify.cascade import CascadeClassifier
    from handrail.classify.llm import LlmClassifier
    from handrail.converse.llm_reader import LlmReader
    from handrail.converse.rewrite import LlmRewriter
    from handrail.generate.llm import LlmAnswerer
    from handrail.generate.llm_critique import LlmCritic
    from handrail.generate.verify.llm import LlmVerifier
    from handrail.llm import connect

    models = connect(settings.llm)
    prompts, brand = build_prompts(settings), described(settings.brand, parts.snapshot)
    retriever = deepened(parts.retriever(settings), settings, parts, local.calibrator, (models.small, prompts))
    stages = replace(local, closing=models.aclose, retriever=retriever)
    second = LlmClassifier(models.small, prompts, brand, NearestTitles(parts.snapshot))
    if settings.classify.mode == "llm":
        stages = replace(stages, classifier=second)
    elif settings.classify.mode == "cascade":
        cascade = CascadeClassifier(local.classifier, second, settings.classify.unsure_below)
        stages = replace(stages, classifier=cascade)
    if settings.generate.answerer in ("auto", "llm"):
        policy = policy_for(settings.knowledge.kb, settings.high_stakes.policy_file)
        passages = settings.generate.context_passages
        given = answer_blocks(settings, parts.count)
        answerer: Answerer = LlmAnswerer(models.answering, prompts, brand, wording, policy, passages, given)
        if settings.deep.complexity:
            fast = LlmAnswerer(models.small, prompts, brand, wording, policy, passages, given)
            answerer = ByComplexity(fast, answerer)
        widen = MoreOfTheArticle(parts.snapshot, settings.prompts.article_tokens)
        stages = replace(stages, answerer=answerer, fallback_answerer=local.answerer, widen=widen)
    if settings.generate.critique in ("auto", "llm"):
        critic = LlmCritic(models.small, prompts, brand)
        stages = replace(stages, critic=critic, fallback_critic=local.critic)
    if local.reader is not None and settings.memory.rewrite in ("auto", "llm"):
        patterns = LocalReader(local.retriever.probe)
        reader = LlmReader(models.small, prompts, brand, patterns)
        stages = replace(stages, reader=reader, fallback_reader=local.reader)
    if settings.verify.llm != "off" and local.verifier is not None:
        judge = LlmVerifier(local.verifier, models.small, prompts, settings.verify)
        stages = replace(stages, verifier=judge, fallback_verifier=local.verifier)
    if settings.rewrite.llm:
        rewriter = LlmRewriter(models.small, prompts, brand, settings.rewrite.below_words)
        stages = replace(stages, rewriter=rewriter)
    return stages


def answer_blocks(settings: Settings, count: Count) -> Callable[[Question, Evidence], Blocks]:
    """What the answering model reads for a question, with the answers marked wrong in this knowledge base.

    Rules that it will never read are said once.
    """
    rules, given = settings.prompts.rules, rules_given(settings.prompts, count)
    if len(given) < len(rules):
        logger.warning(
            "prompts.rules: only the first %d of %d rules reach the model, the others do not fit into "
            "prompts.rules_tokens = %d",
            len(given),
            len(rules),
            settings.prompts.rules_tokens,
        )
    wrong = WrongAnswers(kb_folder(settings, settings.knowledge.kb))
    return lambda question, evidence: blocks(question, evidence, wrong.like(question.text), settings.prompts, count)


def has_head(settings: Settings) -> bool:
    """Whether there is a classifier head for the embedder, and it is not turned off."""
    try:
        load_head(settings.classify.head, settings.models.embedder)
    except SettingsError:
        return False
    return settings.classify.mode != "off"


def local_classifier(
    settings: Settings,
    sentences: Sentences | None = None,
    knows: Callable[[str], bool] | None = None,
) -> Classifier:
    """The shipped head; where the LLM classifies anyway, or nobody does, another embedder needs none."""
    if settings.classify.mode == "off":
        return ByWords()
    try:
        head = load_head(settings.classify.head, settings.models.embedder)
    except SettingsError:
        if settings.classify.mode != "llm":
            raise
        return ByWords()
    return LocalClassifier(head, settings.classify.static_above, settings.brand.name, sentences, knows)


def calibration_for(
    name: str, settings: Settings, path: Path | None = None, index: str = "", lang: str = language.DEFAULT
) -> Calibration:
    """The file the settings name, else the knowledge base's own, else the one that ships.

    The one that ships knows the scores of models of English; where only encoders read `lang`, the articles' language,
    the gate takes its place that goes by words and cosines.

    What does not fit is said once, at start: probabilities fitted to other models are not probabilities, and ones
    fitted to an index that changed since are old.
    """
    used = (settings.models.embedder, settings.models.reranker)
    reader = readers_of(settings)
    own = fitted_gate(settings, name)
    if path is None and own.is_file():
        calibration = load_calibration(name, own)
        same = reader is None or reader.digest == calibration.reader
        if same and (calibration.embedder, calibration.reranker) == used:
            if index and calibration.index != index:
                logger.warning("the %s gate of %r is older than its articles: run `handrail calibrate` again",
                               name, settings.knowledge.kb)  # fmt: skip
            return calibration
        logger.warning("the %s gate of %r was fitted to other models and is not used: run `handrail calibrate` again",
                       name, settings.knowledge.kb)  # fmt: skip
    if path is None and reads_alone(settings, lang):
        logger.warning(
            "no %s gate was fitted to articles in %r; one that goes by words is used. Run `handrail calibrate`",
            name,
            lang,
        )
        return load_calibration(UNREAD)
    calibration = load_calibration(name, path)
    fitted = (calibration.embedder, calibration.reranker)
    if fitted != used:
        logger.warning(
            "the %s gate was fitted with %s and %s, not with %s and %s: run `handrail calibrate`", name, *fitted, *used
        )
    return calibration


def reads_alone(settings: Settings, lang: str) -> bool:
    """Whether some encoder reads `lang` and the cross-encoder, whose scores the shipped gates go by, does not."""
    models = settings.models
    read = reads(models.embedder, lang) or models.foreign != "none"
    return read and not reads(models.reranker, lang)


def fitted_gate(settings: Settings, name: str) -> Path:
    """Where `handrail calibrate` puts a gate of the settings' knowledge base."""
    return kb_folder(settings, settings.knowledge.kb) / "fitted" / f"{name}.json"


def _check(settings: Settings) -> None:
    wanted = {
        "generate.answerer": settings.generate.answerer,
        "generate.critique": settings.generate.critique,
        "classify.mode": settings.classify.mode,
        "memory.rewrite": settings.memory.rewrite,
        "deep.grading": settings.deep.grading,
        "deep.correction": settings.deep.correction,
        "deep.decomposition": settings.deep.decomposition,
        "deep.gap_check": "llm" if settings.deep.gap_check else "off",
        "deep.hyde": "llm" if settings.deep.hyde else "off",
        "deep.complexity": "llm" if settings.deep.complexity else "off",
    }
    for name, value in wanted.items():
        if value == "llm" and not settings.llm.configured:
            raise SettingsError(
                f'{name} = "llm" needs a provider: set OPENAI_API_KEY, or OPENAI_BASE_URL for a local one'
            )


class NearestTitles:
    """Titles of the articles nearest to a message, for the LLM classifier."""

    def __init__(self, snapshot: Snapshot, limit: int = 5) -> None:
        self._snapshot = snapshot
        self._limit = limit

    def __call__(self, probe: Probe) -> list[str]:
        order = (self._snapshot.article_vectors @ probe.embedding).argsort()[::-1][: self._limit]
        return [self._snapshot.titles[self._snapshot.articles[i]] for i in order]
