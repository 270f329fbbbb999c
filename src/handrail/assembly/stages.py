"""The engine's stages as the settings name them; an LLM library is only imported when an LLM is configured."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace

from handrail.accounts.customer.hook import CustomerHook
from handrail.answer import Answerer, Critic
from handrail.answer.blocks import Blocks, blocks
from handrail.answer.decided_critique import DecidedCritic
from handrail.answer.gate import Bands
from handrail.answer.guidance import Check, rules_for
from handrail.answer.known_wrong import WrongAnswers
from handrail.answer.pieces import Pieces
from handrail.answer.policy import load_policy
from handrail.answer.verbatim import VerbatimAnswerer
from handrail.assembly.fitted import calibration_for, kb_folder
from handrail.assembly.models import readers_of, reads
from handrail.assembly.observing import build_prompts
from handrail.assembly.parts import Parts, described
from handrail.assembly.understanding import understood_by
from handrail.assembly.verifying import local_verifier
from handrail.errors import SettingsError
from handrail.observe import Tracer
from handrail.settings import Settings
from handrail.settings.decisions import LOCAL
from handrail.stores.relations import Relations
from handrail.stores.snapshot import Snapshot
from handrail.turn.fallback import WithSpare
from handrail.turn.stages import Stages
from handrail.turn.state import LARGE_SHARE, SMALL_SHARE
from handrail.turn.wording import Wording
from handrail.types import Evidence, Probe, Question
from handrail.understand.classify.encoder import EncoderClassifier
from handrail.understand.local import LocalUnderstanding

logger = logging.getLogger(__name__)


def build_stages(settings: Settings, parts: Parts, wording: Wording, tracer: Tracer) -> Stages:
    """Local stages, with an LLM's in their place where one is configured; the local ones stay behind them."""
    _check(settings)
    snapshot = parts.snapshot
    retriever = parts.retriever(settings)
    local = EncoderClassifier(settings.classify.static_above)
    policy = load_policy(settings.high_stakes.policy_file)
    gate = calibration_for("answers", settings, index=parts.store.generation, lang=snapshot.lang)
    bands = Bands.of(gate, settings.gates.answered, settings.gates.closest)
    pieces = Pieces(bands, snapshot.inverse_frequency, snapshot.stemming)
    answerer: Answerer = VerbatimAnswerer(pieces, wording, policy)
    stages = Stages(
        understand=WithSpare("understand", SMALL_SHARE, LocalUnderstanding(retriever, local, settings.classify)),
        retriever=retriever,
        bands=bands,
        quote=pieces,
        answer=WithSpare("answer", LARGE_SHARE, answerer),
        verify=WithSpare("verify", LARGE_SHARE, local_verifier(settings, parts.entails)),
        critique=None,
        relations=Relations(snapshot) if settings.retrieval.related else None,
        rewriter=None,
        tracer=tracer,
        classifier=local,
        customers=CustomerHook(settings.customer) if settings.customer.url and policy.conditional else None,
        articles_lang=snapshot.lang,
        foresee=retriever.foresee,
    )
    alone = stages
    if settings.llm.configured:
        stages = with_llm(settings, parts, wording, stages)
    unchecked = settings.guidance.check == "auto" and settings.decisions.model_of("guidance") == LOCAL
    if settings.guidance.rules and stages.writes and unchecked:
        logger.warning(
            "guidance.rules: nobody checks that answers keep them, as there is no decision model; set "
            '[guidance] check = "llm" to ask the LLM once more, or "off" if that is fine'
        )
    if settings.decisions.remote:
        from handrail.assembly.deciding import decided

        stages = decided(settings, parts, stages, alone, NearestTitles(snapshot))
    return stages


def asked_of_llm(settings: Settings) -> frozenset[str]:
    """What the settings give to the language model, by the names of the prompts."""
    given = {
        "classify": settings.classify.mode != "local",
        "standalone": bool(settings.memory.window_tokens) and settings.memory.rewrite == "llm",
        "rewrite": settings.rewrite.llm,
        "decompose": settings.rewrite.decompose,
        "answer": settings.generate.answerer in ("auto", "llm"),
        "guidance": bool(settings.guidance.rules) and settings.guidance.check == "llm",
        "critique": settings.generate.critique == "llm",
        "verify": settings.verify.llm != "off",
    }
    return frozenset(task for task, asked in given.items() if asked and settings.llm.configured)


def with_llm(settings: Settings, parts: Parts, wording: Wording, local: Stages) -> Stages:
    """The stages that the settings give to the LLM, with the local ones as their spares."""
    from handrail.answer.llm import LlmAnswerer
    from handrail.answer.llm_critique import LlmCritic, Unsure
    from handrail.answer.llm_guidance import LlmGuidanceCheck
    from handrail.llm import connect
    from handrail.understand.classify.cascade import CascadeClassifier
    from handrail.understand.classify.llm import LlmClassifier
    from handrail.understand.decomposed import DecomposedUnderstanding
    from handrail.understand.rewrite import LlmRewriter
    from handrail.understand.rewritten import RewrittenUnderstanding
    from handrail.verify.llm import LlmVerifier

    models, tasks = connect(settings.llm), asked_of_llm(settings)
    prompts, brand = build_prompts(settings), described(settings.brand, parts.snapshot)
    stages = replace(local, closing=models.aclose, health=models.health)
    first, embed = local.classifier, parts.embed.submit
    second = LlmClassifier(models.small, prompts, brand, NearestTitles(parts.snapshot))
    if settings.classify.mode == "llm":
        stages = understood_by(stages, second, settings.classify)
    elif settings.classify.mode == "cascade":
        both = CascadeClassifier(first, second, settings.classify.unsure_below)
        stages = understood_by(stages, both, settings.classify)
    if "standalone" in tasks:
        written = RewrittenUnderstanding(stages.understand.primary, models.small, prompts, brand, embed)
        stages = replace(stages, understand=replace(stages.understand, primary=written, spare=local.understand.primary))
    if "decompose" in tasks:
        apart = DecomposedUnderstanding(stages.understand.primary, models.small, prompts, brand, embed)
        stages = replace(stages, understand=replace(stages.understand, primary=apart, spare=local.understand.primary))
    if "answer" in tasks:
        policy = load_policy(settings.high_stakes.policy_file)
        given = answer_blocks(settings, parts)
        check: Check | None = LlmGuidanceCheck(models.small, prompts, brand) if "guidance" in tasks else None
        answerer = LlmAnswerer(models.answering, prompts, brand, wording, policy, given, check)
        stages = replace(
            stages, answer=replace(local.answer, primary=answerer, spare=local.answer.primary), writes=True
        )
    if settings.generate.critique != "off":
        asks = "critique" in tasks
        critic: Critic = LlmCritic(models.small, prompts, brand) if asks else local_critic(settings, parts)
        stages = replace(stages, critique=WithSpare("critique", LARGE_SHARE, critic, Unsure()))
    if "verify" in tasks and local.verify is not None:
        judge = LlmVerifier(local.verify.primary, models.small, prompts, settings.verify)
        stages = replace(stages, verify=replace(local.verify, primary=judge, spare=local.verify.primary))
    if "rewrite" in tasks:
        stages = replace(stages, rewriter=LlmRewriter(models.small, prompts, brand, embed))
    return stages


def local_critic(settings: Settings, parts: Parts) -> Critic:
    """Who judges a written answer without another call: the reader, where it reads the visitor's language."""
    from handrail.assembly.heads import answers_head

    readers = readers_of(settings)
    answers = answers_head(parts.read)

    async def judge(request: str, text: str) -> Mapping[str, float]:
        return await answers({"request": request, "text": text})

    return DecidedCritic(judge, lambda lang: readers is not None and reads(settings.models.reranker, lang))


def answer_blocks(settings: Settings, parts: Parts) -> Callable[[Question, Evidence], Blocks]:
    """What the answering model reads for a question, with the answers marked wrong in this knowledge base."""
    rules = rules_for(parts.snapshot.audience.value, settings.guidance, parts.count)
    wrong = WrongAnswers(kb_folder(settings, settings.knowledge.kb))
    return lambda question, evidence: blocks(
        question, evidence, wrong.like(question.text), rules, settings.prompts, parts.count
    )


def _check(settings: Settings) -> None:
    wanted = {
        "generate.answerer": settings.generate.answerer,
        "generate.critique": settings.generate.critique,
        "classify.mode": settings.classify.mode,
        "memory.rewrite": settings.memory.rewrite,
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
