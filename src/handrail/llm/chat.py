"""Chat completions through pydantic-ai, the output constrained by a JSON schema rather than a forced tool call."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from openai import AsyncOpenAI
from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.exceptions import (
    AgentRunError,
    ContentFilterError,
    ModelHTTPError,
    OutputTokenLimitExceeded,
    UnexpectedModelBehavior,
    UsageLimitExceeded,
    UserError,
)
from pydantic_ai.profiles.openai import openai_model_profile
from pydantic_ai.providers import Provider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RunUsage, UsageLimits

from handrail.errors import BudgetExhausted, RetryableError, SettingsError
from handrail.llm import LanguageModels, OutputT, Reply, TextListener
from handrail.llm.abilities import SHARED, Abilities, Known, Limit
from handrail.llm.breaker import Breaker
from handrail.llm.chain import ProviderChain
from handrail.llm.endpoint import EndpointModel, Seen, agent
from handrail.llm.failures import explain
from handrail.llm.generations import generation
from handrail.llm.health import Health
from handrail.llm.kinds import Failure, Stalled, because
from handrail.llm.listening import Listening
from handrail.llm.meter import Bounds, reserve, spend
from handrail.llm.prompts import RenderedPrompt
from handrail.llm.retry import RetryingModel, RetryPolicy, may_repeat
from handrail.settings import Llm, LlmProvider, environment
from handrail.types.usage import Usage

logger = logging.getLogger("handrail.llm")

OPENAI_URL = "https://api.openai.com/v1"
PLACEHOLDER_KEY = "not-needed"
"""Sent when only a base URL is set: the client insists on a key, local servers take any."""
OUTPUT_RETRIES = 1


class ChatModel:
    """A LanguageModel over the chat completions protocol."""

    def __init__(
        self, name: str, url: str, provider: Provider[AsyncOpenAI], profile: LlmProvider, shared: _Shared
    ) -> None:
        self._name = name
        self._url = url
        self._host = _host(url)
        self._provider = provider
        self._profile = profile
        self._shared = shared
        self._first = Abilities(limit=_limit(name, self._host))
        self._wanted = _model_settings(shared.settings, profile)
        self._agents: dict[tuple[type[BaseModel], Abilities, int], Agent[Seen, Any]] = {}

    @property
    def name(self) -> str:
        return self._name

    @property
    def provider(self) -> str:
        return self._profile.name

    @property
    def abilities(self) -> Abilities:
        """How the endpoint is asked, after what it has refused so far."""
        return self._shared.known.of(self._url, self._name, self._first)

    @property
    def adapted(self) -> str:
        """How it is asked differently than at first, in words."""
        return self.abilities.differences(self._first)

    async def ask(
        self, prompt: RenderedPrompt, output: type[OutputT], on_text: TextListener | None = None
    ) -> Reply[OutputT]:
        self._shared.breaker.check(self._host)
        left = reserve()
        spent = RunUsage()
        with generation(prompt.name, self._name, prompt) as span:
            try:
                reply = await self._run(prompt, output, spent, left, on_text)
            except RetryableError:
                self._shared.breaker.failed()
                raise
            finally:
                usage = self._price(spent)
                spend(usage, self._name, max(0, spent.requests - 1))
                span.record(input_tokens=usage.input_tokens, output_tokens=usage.output_tokens, cost_usd=usage.cost_usd)
                if usage.cached_tokens:
                    span.record(cached_tokens=usage.cached_tokens)
            span.record(output=reply.model_dump(mode="json"))
        self._shared.breaker.succeeded()
        return Reply(reply, usage, self.provider, self._name)

    async def _run(
        self, prompt: RenderedPrompt, output: type[OutputT], spent: RunUsage, left: Bounds, on_text: TextListener | None
    ) -> OutputT:
        settings, seen = self._shared.settings, Seen()
        listening = Listening(on_text, settings.stall_s, settings.max_output_tokens, self._host) if on_text else None
        try:
            async with asyncio.timeout(self._profile.timeout_s):
                return await self._adapting(prompt, output, spent, left, listening, seen)
        except TimeoutError:
            message = f"{self._host} did not reply within {self._profile.timeout_s:g} s (timeout_s)"
            raise because(Stalled(message), Failure.TIMEOUT) from None
        except UsageLimitExceeded:
            raise BudgetExhausted("the turn has reached its LLM limits (llm.turn_max_…)") from None
        except (AgentRunError, UserError) as error:
            # Not chained: the provider's own error may quote the key, the prompt or the reply.
            raise explain(error, self._host, self._name, replied=spent.requests > 0, found=seen.found) from None

    async def _adapting(
        self,
        prompt: RenderedPrompt,
        output: type[OutputT],
        spent: RunUsage,
        left: Bounds,
        listening: Listening | None,
        seen: Seen,
    ) -> OutputT:
        """Asked again with less after a refusal, and with more said after a reply that is not what was asked for."""
        known = abilities = self.abilities
        refused, asked_again = 0, False
        while True:
            streamed = listening is not None and abilities.stream and not listening.passed_on
            # The schema in words is the correction of a reply to a schema alone.
            corrections = 0 if asked_again or abilities.output == "schema" else OUTPUT_RETRIES
            spare = left.requests - spent.requests - refused if left.requests else 1 + corrections
            most = min(1 + corrections, spare)
            if most < 1:
                raise BudgetExhausted("the turn has reached its LLM limits (llm.turn_max_…)")
            try:
                result = await self._agent(output, abilities, corrections).run(
                    prompt.user,
                    instructions=prompt.system,
                    deps=seen,
                    usage=spent,
                    usage_limits=UsageLimits(
                        request_limit=spent.requests + most, total_tokens_limit=left.tokens or None
                    ),
                    event_stream_handler=listening if streamed else None,
                )
            except ModelHTTPError as error:
                lesser = abilities.without(error, self._wanted, streamed=streamed, first=self._first.limit)
                if lesser is None or not may_repeat():
                    raise
                refused += 1
                abilities = lesser
                continue
            except (ContentFilterError, OutputTokenLimitExceeded):
                raise
            except UnexpectedModelBehavior:
                if spent.requests == 0 and not streamed:
                    raise
                if streamed and spent.total_tokens == 0 and seen.found is Failure.EMPTY:
                    abilities = replace(abilities, stream=False)  # no event came at all, not even the usage
                elif abilities.output == "schema":
                    abilities, asked_again = replace(abilities, output="described"), True
                else:
                    raise
                continue
            self._learn(known, abilities)
            reply: OutputT = result.output
            return reply

    def _learn(self, known: Abilities, abilities: Abilities) -> None:
        if abilities != known:
            self._shared.known.learn(self._url, self._name, abilities)
            how = abilities.differences(known)
            logger.warning(
                "%s (%s at %s) is asked differently from now on: %s", self.provider, self._name, self._host, how
            )

    def _agent(self, output: type[OutputT], abilities: Abilities, corrections: int) -> Agent[Seen, OutputT]:
        key = (output, abilities, corrections)
        if key not in self._agents:
            model = EndpointModel(self._name, provider=self._provider, profile=abilities.profile())
            retrying = RetryingModel(model, self._shared.policy)
            self._agents[key] = agent(retrying, output, abilities, self._wanted, corrections=corrections)
        return self._agents[key]

    def _price(self, spent: RunUsage) -> Usage:
        micro_usd = (
            spent.input_tokens * self._profile.usd_per_million_input
            + spent.output_tokens * self._profile.usd_per_million_output
        )
        return Usage(spent.input_tokens, spent.output_tokens, micro_usd / 1_000_000, spent.cache_read_tokens)


@dataclass(frozen=True, slots=True)
class _Shared:
    """What the models of one provider have in common."""

    settings: Llm
    policy: RetryPolicy
    breaker: Breaker
    known: Known


def connect_chat(
    settings: Llm,
    *,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    random: Callable[[], float] = random.random,
    clock: Callable[[], float] = time.monotonic,
    known: Known = SHARED,
) -> LanguageModels:
    """The primary provider and its fallbacks, each with one HTTP client, one retry policy and one breaker."""
    policy = RetryPolicy(settings.retries, sleep, random, settings.stall_s)
    answering: list[ChatModel] = []
    small: list[ChatModel] = []
    clients: list[AsyncOpenAI] = []
    for profile, key in _profiles(settings):
        url = profile.base_url or OPENAI_URL
        provider = _provider(url, key)
        clients.append(provider.client)
        breaker = Breaker(settings.breaker_after, settings.breaker_pause_s, clock)
        shared = _Shared(settings, policy, breaker, known)
        first = ChatModel(profile.model, url, provider, profile, shared)
        answering.append(first)
        same = profile.small_model in (None, profile.model)
        small.append(first if same else ChatModel(profile.small_model or profile.model, url, provider, profile, shared))

    async def close() -> None:
        for client in clients:
            await client.close()

    health = Health()
    big = ProviderChain(answering, health)

    def adapted() -> dict[str, str]:
        return {model.name: model.adapted for model in (*answering, *small) if model.adapted}

    return LanguageModels(big, big if small == answering else ProviderChain(small, health), close, health, adapted)


def _profiles(settings: Llm) -> list[tuple[LlmProvider, str]]:
    """Each provider with its key. Raises SettingsError for a key's variable that is not set."""
    primary = LlmProvider(
        name=settings.name,
        base_url=settings.base_url,
        model=settings.model,
        small_model=settings.small_model,
        timeout_s=settings.timeout_s,
        usd_per_million_input=settings.usd_per_million_input,
        usd_per_million_output=settings.usd_per_million_output,
    )
    key = settings.api_key.get_secret_value() if settings.api_key else PLACEHOLDER_KEY
    return [(primary, key), *((fallback, _key_of(fallback)) for fallback in settings.fallbacks)]


def _key_of(profile: LlmProvider) -> str:
    if profile.api_key_env is None:
        return PLACEHOLDER_KEY
    key = environment().get(profile.api_key_env)
    if not key:
        raise SettingsError(
            f"llm.fallbacks: {profile.name} takes its key from {profile.api_key_env}, which is not set; set it, or "
            "remove api_key_env for a server that needs none"
        )
    return key


def _provider(url: str, key: str) -> Provider[AsyncOpenAI]:
    if _is_openai(_host(url)):
        return OpenAIProvider(base_url=url, api_key=key)
    return OpenAICompatibleProvider("openai-compatible", base_url=url, api_key=key)


def _limit(name: str, host: str) -> Limit:
    """How the length of a reply is limited, as long as the endpoint does not say otherwise.

    OpenAI takes only `max_completion_tokens` for its reasoning models; other servers know at least `max_tokens`.
    """
    reasoning = bool(openai_model_profile(name.rsplit("/", 1)[-1]).get("supports_thinking"))
    return "max_completion_tokens" if _is_openai(host) or reasoning else "max_tokens"


def _model_settings(settings: Llm, profile: LlmProvider) -> ModelSettings:
    chosen = ModelSettings(max_tokens=settings.max_output_tokens, timeout=profile.timeout_s, max_retries=0)
    if settings.temperature is not None:
        chosen["temperature"] = settings.temperature
    if settings.reasoning is not None:
        chosen["thinking"] = settings.reasoning
    return chosen


def _is_openai(host: str) -> bool:
    name = host.partition(":")[0]
    return name == "openai.com" or name.endswith((".openai.com", ".openai.azure.com"))


def _host(url: str) -> str:
    parts = urlsplit(url)
    return (parts.hostname or url) + (f":{parts.port}" if parts.port else "")
