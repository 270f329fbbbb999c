"""Language models: those that answer, and the one that rates answers in evaluations."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr

from handrail.settings.base import Section, advanced


class LlmProvider(Section):
    """A provider that is asked when those before it fail."""

    name: str = Field(pattern=r"^[A-Za-z0-9_.-]{1,40}$", description="Name in `meta` and in the log.")
    base_url: str | None = Field(None, description="Any OpenAI-compatible endpoint; default is OpenAI's own.")
    api_key_env: str | None = Field(None, description="Environment variable that holds its key.")
    model: str = Field(min_length=1, description="Answering model.")
    small_model: str | None = Field(None, description="Classifying, rewriting and critique; default is `model`.")
    timeout_s: float = Field(20.0, ge=0.1, le=300, description="Seconds for one call, its retries included.")
    usd_per_million_input: float = Field(0.0, ge=0, le=1000, description="Price of input tokens.")
    usd_per_million_output: float = Field(0.0, ge=0, le=1000, description="Price of output tokens.")


class Llm(Section):
    base_url: str | None = Field(None, description="Any OpenAI-compatible endpoint; OPENAI_BASE_URL sets it.")
    api_key: SecretStr | None = Field(None, description="OPENAI_API_KEY sets it; local servers accept any text.")
    model: str = Field("gpt-5-mini", min_length=1, description="Answering model.")
    small_model: str | None = Field(
        None, description="Classifying, rewriting and critique; default is the answering model."
    )
    timeout_s: float = advanced(20.0, ge=0.1, le=300, description="Seconds for one call, its retries included.")
    retries: int = advanced(2, ge=0, le=5, description="Further tries after a retryable failure.")
    max_output_tokens: int = advanced(900, ge=50, le=8000, description="Bound on one reply.")
    temperature: float | None = advanced(None, ge=0.0, le=2.0, description="Sent only when set: some models refuse it.")
    reasoning: Literal["minimal", "low", "medium", "high"] | None = advanced(
        "minimal",
        description="How long a reasoning model thinks; counts against max_output_tokens. Not sent to other models.",
    )
    breaker_after: int = advanced(
        4,
        ge=0,
        le=100,
        description="Failures in a row after which the provider is left alone for a while; 0 turns that off.",
    )
    breaker_pause_s: float = advanced(20.0, ge=1, le=600, description="Seconds it is then left alone.")
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
        8.0, ge=0.1, le=120, description="Seconds without a token after which a streaming provider is given up."
    )
    fallbacks: list[LlmProvider] = Field(
        [],
        max_length=5,
        description="Providers asked in this order when the first fails: name, base_url, api_key_env, model, prices.",
    )
    turn_max_requests: int = advanced(
        20, ge=0, le=1000, description="Requests to language models in one turn, repeated ones too; 0 is unlimited."
    )
    turn_max_tokens: int = advanced(
        60_000, ge=0, le=10_000_000, description="Tokens in one turn, in and out; 0 is unlimited."
    )
    turn_max_usd: float = Field(
        0.0, ge=0, le=100, description="Money one turn may cost, by the prices given; 0 is unlimited."
    )

    @property
    def configured(self) -> bool:
        return self.api_key is not None or self.base_url is not None


class Judge(Section):
    """Rates answers in evaluations; never part of a turn."""

    base_url: str | None = advanced(
        None, description="OpenAI-compatible endpoint of the model that rates answers in `handrail eval answers`."
    )
    api_key: SecretStr | None = advanced(
        None, description="Its key; HANDRAIL__JUDGE__API_KEY keeps it out of this file."
    )
    model: str = advanced(
        "gpt-5",
        min_length=1,
        description="The model that rates; pinned apart from the answering model, so that scales stay comparable.",
    )
    cache: Path | None = advanced(None, description="Folder of its ratings; default is eval/judge in the data folder.")
    timeout_s: float = advanced(60.0, ge=1, le=600, description="Seconds for one rating, its retries included.")
    max_output_tokens: int = advanced(1500, ge=100, le=8000, description="Bound on one rating.")
    reasoning: Literal["minimal", "low", "medium", "high"] | None = advanced(
        "low", description="How long a reasoning model thinks about a rating. Not sent to other models."
    )

    @property
    def configured(self) -> bool:
        return self.api_key is not None or self.base_url is not None
