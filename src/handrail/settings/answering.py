"""How answers are made, checked and followed up."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from handrail.settings.base import Probability, Section, advanced
from handrail.settings.fitted import fitted


class Generate(Section):
    answerer: Literal["auto", "extractive", "llm"] = advanced(
        "auto", description="`auto` uses the LLM when one is configured."
    )
    critique: Literal["auto", "llm", "off"] = advanced(
        "auto", description="Self-critique of what an LLM wrote; `auto` uses the LLM when one is configured."
    )


class Suggest(Section):
    """Questions offered after an answer."""

    enabled: bool = advanced(True, description="Offer questions to go on with after an answer.")
    quiet_s: float = advanced(
        5.0, ge=0, le=600, description="Seconds without a turn after which they are tried without pauses."
    )
    ahead: int = advanced(
        300,
        ge=0,
        le=100_000,
        description="Articles whose questions are tried beforehand; others follow when they are first cited.",
    )


class Prompts(Section):
    context_tokens: int = advanced(
        2000, ge=200, le=50_000, description="Tokens of passages the answering model reads; the best one is always in."
    )
    rules_tokens: int = advanced(300, ge=0, le=5000, description="Tokens of the operator's rules.")
    rules: list[str] = Field([], description="The operator's own rules for answers, a sentence each.")


class Verify(Section):
    policy: Literal["remove", "withdraw", "flag"] = advanced(
        "remove",
        description="Claims that no cited passage supports are removed, withdraw the whole answer, or are marked.",
    )
    llm: Literal["auto", "on", "off"] = advanced(
        "auto",
        description="Ask an LLM, where one is configured, about claims in doubt (`auto`), about all (`on`), or never.",
    )
    supported_above: Probability = fitted(
        "verify.supported_above", description="Local probability from which a claim counts as supported by a passage."
    )
    unsupported_below: Probability = fitted(
        "verify.unsupported_below",
        description="Local probability under which it counts as unsupported; between the two it is unverified.",
    )
    shown_from: Probability = fitted(
        "verify.shown_from",
        description="Probability from which a claim that stays unverified, by an LLM's judgement too where one is "
        "configured, may be shown, with a word of caution above the answer; under it, it counts as unsupported.",
    )
    max_judged: int = advanced(
        10,
        ge=1,
        le=40,
        description="Claims of one answer the LLM is asked about, all at once; the doubtful first.",
    )
    withdraw_below: Probability = fitted(
        "verify.withdraw_below",
        description="Share of supported claims under which `remove` withdraws the whole answer instead.",
    )
