"""How answers are made, checked and followed up."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, StringConstraints

from handrail.settings.base import Probability, Section, advanced
from handrail.settings.fitted import fitted


class Generate(Section):
    answerer: Literal["auto", "extractive", "llm"] = advanced(
        "auto", description="What writes the answers. `auto` uses the LLM if one is configured."
    )
    critique: Literal["auto", "llm", "off"] = advanced(
        "auto",
        description="Who judges an answer written by an LLM before it is shown. `auto` uses the local models, or your "
        "decision model; `llm` asks the LLM once more.",
    )
    cache_hours: float = advanced(
        24.0,
        ge=0,
        le=720,
        description="Hours for which an answer written by an LLM is given again to the same first question. 0 turns "
        "this off.",
    )


class Suggest(Section):
    """Questions offered after an answer."""

    enabled: bool = advanced(True, description="Offer follow-up questions after an answer.")
    quiet_s: float = advanced(
        5.0,
        ge=0,
        le=600,
        description="Seconds without a turn after which follow-up questions are tried without pauses.",
    )
    ahead: int = advanced(
        300,
        ge=0,
        le=100_000,
        description="Articles whose follow-up questions are tried in advance. Others are tried when they are first "
        "cited.",
    )


class Prompts(Section):
    context_tokens: int = advanced(
        2000,
        ge=200,
        le=50_000,
        description="Token limit for the passages the answering model reads. The best one is always included.",
    )
    folder: Path | None = advanced(
        None, description="Folder of your own prompt templates, used instead of those of the same name that ship."
    )


def _as_table(value: Any) -> Any:
    return {"say": value} if isinstance(value, str) else value


class Guideline(Section):
    """One rule for written answers; a sentence alone is a rule without conditions."""

    say: Annotated[str, StringConstraints(strip_whitespace=True, min_length=3, max_length=400)]
    when: Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)] = ""
    """What a question has to be about, in words; empty for every question."""
    audience: Literal["everyone", "public", "agents"] = "everyone"

    @property
    def text(self) -> str:
        """As a model reads it."""
        return f"If the question is about {self.when}: {self.say}" if self.when else self.say


class Guidance(Section):
    rules: list[Annotated[Guideline, BeforeValidator(_as_table)]] = Field(
        [],
        max_length=50,
        description="Your own rules for answers that an LLM writes: sentences, or { say, when, audience } with a topic "
        "or an audience (`public` or `agents`).",
    )
    tokens: int = advanced(300, ge=0, le=5000, description="Token limit for your rules.")
    check: Literal["auto", "llm", "off"] = advanced(
        "auto",
        description="Who checks that an answer keeps your rules. `auto` asks your decision model, if one is "
        "configured; `llm` asks the LLM once more. If a rule is broken, the articles are quoted instead.",
    )


class Verify(Section):
    policy: Literal["remove", "withdraw", "flag"] = advanced(
        "remove",
        description="What to do with claims that no cited passage supports: remove them, withdraw the answer, or "
        "mark them.",
    )
    llm: Literal["auto", "on", "off"] = advanced(
        "off",
        description="Ask the LLM, if one is configured, about doubtful claims (`auto`), about all (`on`), or never "
        "(`off`).",
    )
    supported_above: Probability = fitted(
        "verify.supported_above",
        description="Local probability at or above which a claim counts as supported by a passage.",
    )
    unsupported_below: Probability = fitted(
        "verify.unsupported_below",
        description="Local probability below which a claim counts as unsupported. Between the two it is unverified.",
    )
    shown_from: Probability = fitted(
        "verify.shown_from",
        description="An unverified claim with at least this probability may be shown, with a caution above the "
        "answer. Below it, the claim counts as unsupported.",
    )
    max_judged: int = advanced(
        10,
        ge=1,
        le=40,
        description="Claims per answer that the LLM is asked about, all at the same time; doubtful ones first.",
    )
    withdraw_below: Probability = fitted(
        "verify.withdraw_below",
        description="If fewer claims than this share are supported, `remove` withdraws the whole answer.",
    )
