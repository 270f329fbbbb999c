"""Language models: those that answer, and the one that rates answers."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr

from handrail.settings.base import Section, advanced


class LlmProvider(Section):
    """A provider that is asked when those before it fail."""

    name: str = Field(pattern=r"^[A-Za-z0-9_.-]{1,40}$", description="Name shown in `meta` and in the log.")
    base_url: str | None = Field(None, description="Any OpenAI-compatible endpoint. Default: OpenAI.")
    api_key_env: str | None = Field(None, description="Environment variable with its key.")
    model: str = Field(min_length=1, description="Model that writes answers.")
    small_model: str | None = Field(
        None, description="Model for classifying, rewriting and critique. Default: `model`."
    )
    timeout_s: float = Field(20.0, ge=0.1, le=300, description="Timeout for one call in seconds, including retries.")
    usd_per_million_input: float = Field(0.0, ge=0, le=1000, description="Price of input tokens.")
    usd_per_million_output: float = Field(0.0, ge=0, le=1000, description="Price of output tokens.")


class Llm(Section):
    base_url: str | None = Field(
        None, description="Any OpenAI-compatible endpoint. Environment variable: OPENAI_BASE_URL."
    )
    api_key: SecretStr | None = Field(
        None, description="API key. Local servers accept any text. Environment variable: OPENAI_API_KEY."
    )
    model: str = Field("gpt-5-mini", min_length=1, description="Model that writes answers.")
    small_model: str | None = Field(
        None, description="Model for classifying, rewriting and critique. Default: the answering model."
    )
    timeout_s: float = advanced(20.0, ge=0.1, le=300, description="Timeout for one call in seconds, including retries.")
    retries: int = advanced(2, ge=0, le=5, description="Retries after a retryable failure.")
    max_output_tokens: int = advanced(900, ge=50, le=8000, description="Longest reply, in tokens.")
    temperature: float | None = advanced(
        None, ge=0.0, le=2.0, description="Sampling temperature. Sent only if set, because some models reject it."
    )
    reasoning: Literal["minimal", "low", "medium", "high"] | None = advanced(
        "minimal",
        description="How long a reasoning model thinks. Counts against max_output_tokens. Not sent to other models.",
    )
    breaker_after: int = advanced(
        4,
        ge=0,
        le=100,
        description="Consecutive failures after which the provider is skipped for a while. 0 turns this off.",
    )
    breaker_pause_s: float = advanced(
        20.0, ge=1, le=600, description="Seconds for which a failing provider is skipped."
    )
    usd_per_million_input: float = Field(
        0.0, ge=0, le=1000, description="Price of input tokens, for the cost in `meta`."
    )
    usd_per_million_output: float = Field(
        0.0, ge=0, le=1000, description="Price of output tokens, for the cost in `meta`."
    )
    name: str = advanced(
        "llm", pattern=r"^[A-Za-z0-9_.-]{1,40}$", description="Name of this provider in `meta` and in the log."
    )
    stall_s: float = advanced(
        8.0, ge=0.1, le=120, description="Give up on a stream after this many seconds without a token."
    )
    fallbacks: list[LlmProvider] = Field(
        [],
        max_length=5,
        description="Providers tried in this order when the first fails: name, base_url, api_key_env, model, prices.",
    )
    turn_max_requests: int = advanced(
        20, ge=0, le=1000, description="LLM requests per turn, retries included. 0 means unlimited."
    )
    turn_max_tokens: int = advanced(
        60_000, ge=0, le=10_000_000, description="Tokens per turn, input and output together. 0 means unlimited."
    )
    turn_max_usd: float = Field(
        0.0, ge=0, le=100, description="Cost limit per turn, at the prices given. 0 means unlimited."
    )

    @property
    def configured(self) -> bool:
        return self.api_key is not None or self.base_url is not None


class Judge(Section):
    """Rates answers, in evaluations and in a daily sample; never part of a turn."""

    base_url: str | None = advanced(
        None,
        description="OpenAI-compatible endpoint of the model that rates answers: in `handrail eval answers`, and in "
        "the daily sample of `[drift]`.",
    )
    api_key: SecretStr | None = advanced(
        None, description="API key for this endpoint. Environment variable: HANDRAIL__JUDGE__API_KEY."
    )
    model: str = advanced(
        "gpt-5",
        min_length=1,
        description="The rating model. Set separately from the answering model, so that ratings stay comparable.",
    )
    cache: Path | None = advanced(
        None, description="Folder for cached ratings. Default: eval/judge in the data folder."
    )
    timeout_s: float = advanced(60.0, ge=1, le=600, description="Timeout for one rating in seconds, including retries.")
    max_output_tokens: int = advanced(1500, ge=100, le=8000, description="Longest rating, in tokens.")
    reasoning: Literal["minimal", "low", "medium", "high"] | None = advanced(
        "low", description="How long a reasoning model thinks about a rating. Not sent to other models."
    )
    usd_per_million_input: float = advanced(0.0, ge=0, le=1000, description="Price of its input tokens.")
    usd_per_million_output: float = advanced(0.0, ge=0, le=1000, description="Price of its output tokens.")

    @property
    def configured(self) -> bool:
        return self.api_key is not None or self.base_url is not None


class Drift(Section):
    """Whether answers to real visitors get worse."""

    daily: int = advanced(
        100, ge=0, le=10_000, description="Answers per day that are drawn at random to be graded. 0 turns this off."
    )
    judge: Literal["auto", "llm", "off"] = advanced(
        "auto",
        description="Who grades them beside people at the desk. `auto` asks the model of `[judge]`, if there is one; "
        "`llm` asks the answering model where there is none; `off` asks nobody.",
    )
