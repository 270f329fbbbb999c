"""How answers are made, checked and followed up."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from handrail.settings.base import Probability, Section


class Generate(Section):
    answerer: Literal["auto", "extractive", "llm"] = Field(
        "auto", description="`auto` uses the LLM when one is configured."
    )
    context_passages: int = Field(8, ge=1, le=30, description="Passages given to an answering LLM.")
    critique: Literal["auto", "llm", "off"] = Field(
        "auto", description="Self-critique of what an LLM wrote; `auto` uses the LLM when one is configured."
    )


class Suggest(Section):
    """Questions offered after an answer."""

    enabled: bool = Field(True, description="Offer questions to go on with after an answer.")
    count: int = Field(3, ge=0, le=5, description="Questions offered; each was tried and is answered from an article.")
    per_article: int = Field(7, ge=1, le=20, description="Questions tried for one article, its title included.")
    quiet_s: float = Field(
        5.0, ge=0, le=600, description="Seconds without a turn after which they are tried without pauses."
    )
    ahead: int = Field(
        300,
        ge=0,
        le=100_000,
        description="Articles whose questions are tried beforehand; others follow when they are first cited.",
    )


class Prompts(Section):
    context_tokens: int = Field(
        2000, ge=200, le=50_000, description="Tokens of passages the answering model reads; the best one is always in."
    )
    related_tokens: int = Field(80, ge=0, le=2000, description="Tokens of titles of related articles.")
    wrong_tokens: int = Field(300, ge=0, le=5000, description="Tokens of answers known to be wrong.")
    history_tokens: int = Field(400, ge=0, le=10_000, description="Tokens of the conversation before the message.")
    rules_tokens: int = Field(300, ge=0, le=5000, description="Tokens of the operator's rules.")
    rules: list[str] = Field([], description="The operator's own rules for answers, a sentence each.")


class Verify(Section):
    policy: Literal["remove", "withdraw", "flag"] = Field(
        "remove",
        description="Claims that no cited passage supports are removed, withdraw the whole answer, or are marked.",
    )
    llm: Literal["auto", "on", "off"] = Field(
        "auto",
        description="Ask an LLM, where one is configured, about claims in doubt (`auto`), about all (`on`), or never.",
    )
    supported_above: Probability = Field(
        0.85, description="Local probability from which a claim counts as supported by a passage."
    )
    unsupported_below: Probability = Field(
        0.2, description="Local probability under which it counts as unsupported; between the two it is unverified."
    )
    shown_from: Probability = Field(
        0.5,
        description="Probability from which a claim that stays unverified, by an LLM's judgement too where one is "
        "configured, may be shown, with a word of caution above the answer; under it, it counts as unsupported.",
    )
    max_judged: int = Field(
        10,
        ge=1,
        le=40,
        description="Claims of one answer the LLM is asked about, all at once; the doubtful first.",
    )
    withdraw_below: Probability = Field(
        0.5, description="Share of supported claims under which `remove` withdraws the whole answer instead."
    )
