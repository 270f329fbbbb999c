"""Decisions wired up: the local model's heads, other models, and what a turn asks them."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from handrail.answer.decided_critique import DecidedCritic, Judge
from handrail.answer.guidance import Check
from handrail.assembly.fitted import FITTED, kb_folder
from handrail.assembly.heads import answers_head, by_label, route_head, supported_head, understanding_heads
from handrail.assembly.models import readers_of, understands
from handrail.assembly.parts import Parts, described
from handrail.assembly.understanding import understood_by
from handrail.assembly.verifying import local_verifier
from handrail.decide.calibration import FILE, Maps, load_maps
from handrail.decide.decider import Ask, Decider
from handrail.decide.local import NAME, Head, LocalDecisionModel
from handrail.decide.questions import NONE_OF_THESE, YES, load_decisions
from handrail.settings import Brand, Settings
from handrail.settings.decisions import LOCAL
from handrail.turn.stages import Stages
from handrail.turn.state import without
from handrail.types import Classification, Label, Probe, Question
from handrail.understand.classify.decided import DecidedClassifier, Opinion
from handrail.understand.classify.encoder import EncoderClassifier
from handrail.verify.decided import DecidedVerifier, Doubt, Opinions

Titles = Callable[[Probe], Sequence[str]]


def maps_file(settings: Settings) -> Path:
    """Where `handrail decisions calibrate` puts the maps of the settings' knowledge base."""
    return kb_folder(settings, settings.knowledge.kb) / FITTED / FILE


def local_decisions(settings: Settings, parts: Parts, maps: Maps | None = None) -> LocalDecisionModel:
    """The heads there are; a question without one is refused. `maps`: those of the knowledge base when None."""
    heads: dict[str, Head] = {"supported": supported_head(local_verifier(settings, parts.entails))}
    if parts.message_scorer is not None or parts.foreign_scorer is not None:
        heads["route"] = route_head(parts.retriever(settings), EncoderClassifier(settings.classify.static_above))
    if readers_of(settings) is not None:
        heads["answers"] = answers_head(parts.read)
    if understands(settings):
        heads |= understanding_heads(parts.retriever(settings))
    fitted = load_maps(maps_file(settings)) if maps is None else maps
    return LocalDecisionModel(load_decisions(), heads, fitted, _fingerprint(settings))


def _fingerprint(settings: Settings) -> str:
    """Of the models behind the heads: a map fitted to others is not used."""
    models, reader = settings.models, readers_of(settings)
    return "+".join((NAME, models.embedder, models.foreign, models.reranker, reader.digest if reader else ""))


def build_decider(settings: Settings, local: LocalDecisionModel, maps: Maps | None = None) -> Decider:
    """Over the local model and whichever others the settings name. Raises SettingsError."""
    from handrail.decide.remote import connect

    chosen, decisions = settings.decisions, load_decisions()
    for name in chosen.models:
        decisions[name]  # a misspelt decision is said at start, not never
    names = {chosen.model, *chosen.models.values()} - {LOCAL}
    fitted = load_maps(maps_file(settings)) if maps is None else maps
    remote = {name: connect(name, chosen) for name in sorted(names)}
    return Decider(decisions, local, remote, fitted, chosen, without, time.monotonic)


def decided(settings: Settings, parts: Parts, stages: Stages, local: Stages, titles: Titles) -> Stages:
    """The stages with a decision model's second opinion, where the settings name one for what they decide.

    `local` are the stages without an LLM: the decision model takes the place of the cascade.
    """
    decider = build_decider(settings, local_decisions(settings, parts))
    closing = _both(stages.closing, decider.aclose)
    stages = replace(stages, closing=closing)
    if decider.is_remote("route"):
        opinion = label_opinion(decider, described(settings.brand, parts.snapshot), titles)
        decided_by = DecidedClassifier(local.classifier, opinion)
        stages = understood_by(stages, decided_by, settings.classify)
    if decider.is_remote("supported") and stages.verify is not None:
        spare = stages.verify.spare or stages.verify.primary
        verifier = DecidedVerifier(stages.verify.primary, support_opinions(decider), settings.verify)
        stages = replace(stages, verify=replace(stages.verify, primary=verifier, spare=spare))
    if decider.is_remote("answers") and stages.critique is not None:
        critic = DecidedCritic(answers_judge(decider), lambda _: True)
        stages = replace(stages, critique=replace(stages.critique, primary=critic))
    if stages.writes and settings.guidance.check == "auto" and decider.is_remote("guidance"):
        from handrail.answer.llm import LlmAnswerer

        answer = stages.answer
        if isinstance(answer.primary, LlmAnswerer):
            stages = replace(stages, answer=replace(answer, primary=answer.primary.checked(guidance_check(decider))))
    return stages


def answers_judge(decider: Decider) -> Judge:
    """The `answers` decision about a text that would be shown, made by whichever model the settings name."""

    async def judge(request: str, text: str) -> Mapping[str, float] | None:
        (verdict,) = await decider.decide([Ask("answers", {"request": request, "text": text})])
        return None if verdict is None else verdict.probabilities

    return judge


def guidance_check(decider: Decider) -> Check:
    """The `guidance` decision about a reply; no local model makes it."""

    async def check(question: Question, reply: str, rules: Sequence[str]) -> float | None:
        listed = "\n".join(f"- {rule}" for rule in rules)
        inputs = {"rules": listed, "request": question.text, "reply": reply}
        (verdict,) = await decider.decide([Ask("guidance", inputs)])
        return None if verdict is None else verdict.probabilities[YES]

    return check


def label_opinion(decider: Decider, brand: Brand, titles: Titles) -> Opinion:
    async def opinion(question: Question, probe: Probe, first: Classification) -> Mapping[Label, float] | None:
        inputs = {
            "message": question.text, "brand": brand.name, "covers": brand.covers, "titles": list(titles(probe)),
        }  # fmt: skip
        (verdict,) = await decider.decide([Ask("route", inputs, {**by_label(first), NONE_OF_THESE: 0.0})])
        if verdict is None or verdict.by == LOCAL:
            return None
        return {Label(label): value for label, value in verdict.probabilities.items() if label != NONE_OF_THESE}

    return opinion


def support_opinions(decider: Decider) -> Opinions:
    async def opinions(doubts: Sequence[Doubt]) -> list[float | None]:
        asks = [
            Ask(
                "supported",
                {"claim": doubt.claim, "passage": doubt.passage.text, "title": doubt.passage.title},
                _yes(doubt.score),
            )
            for doubt in doubts
        ]
        verdicts = await decider.decide(asks)
        return [None if one is None or one.by == LOCAL else one.probabilities[YES] for one in verdicts]

    return opinions


def _yes(score: float | None) -> dict[str, float]:
    """A claim that could not be told about is in the middle of the grey zone."""
    yes = 0.5 if score is None else score
    return {YES: yes, "no": 1 - yes}


def _both(
    first: Callable[[], Awaitable[None]] | None, second: Callable[[], Awaitable[None]]
) -> Callable[[], Awaitable[None]]:
    async def closing() -> None:
        try:
            if first is not None:
                await first()
        finally:
            await second()

    return closing
