"""Chat completions through pydantic-ai, the output constrained by a JSON schema rather than a forced tool call."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

from openai import AsyncOpenAI
from pydantic import BaseModel
from pydantic_ai import Agent, NativeOutput
from pydantic_ai.exceptions import AgentRunError, UserError
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.profiles.openai import OpenAIModelProfile, openai_model_profile
from pydantic_ai.providers import Provider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RunUsage, UsageLimits

from handrail.errors import RetryableError
from handrail.generations import generation
from handrail.llm import LanguageModels, OutputT, Reply
from handrail.llm.breaker import Breaker
from handrail.llm.failures import explain
from handrail.llm.meter import spend
from handrail.llm.retry import RetryingModel, RetryPolicy
from handrail.prompts import RenderedPrompt
from handrail.settings import Llm
from handrail.types import Usage

OPENAI_URL = "https://api.openai.com/v1"
PLACEHOLDER_KEY = "not-needed"
"""Sent when only a base URL is set: the client insists on a key, local servers take any."""
OUTPUT_RETRIES = 1


class ChatModel:
    """A LanguageModel over the chat completions protocol."""

    def __init__(self, name: str, host: str, model: RetryingModel, settings: Llm, breaker: Breaker) -> None:
        self._name = name
        self._host = host
        self._model = model
        self._settings = settings
        self._breaker = breaker
        self._agents: dict[type[BaseModel], Agent[None, Any]] = {}

    @property
    def name(self) -> str:
        return self._name

    async def ask(self, prompt: RenderedPrompt, output: type[OutputT]) -> Reply[OutputT]:
        self._breaker.check(self._host)
        spent = RunUsage()
        with generation(prompt.name, self._name, prompt) as span:
            try:
                reply = await self._run(prompt, output, spent)
            except RetryableError:
                self._breaker.failed()
                raise
            finally:
                usage = self._price(spent)
                spend(usage)
                span.record(input_tokens=usage.input_tokens, output_tokens=usage.output_tokens, cost_usd=usage.cost_usd)
            span.record(output=reply.model_dump(mode="json"))
        self._breaker.succeeded()
        return Reply(reply, usage)

    async def _run(self, prompt: RenderedPrompt, output: type[OutputT], spent: RunUsage) -> OutputT:
        try:
            async with asyncio.timeout(self._settings.timeout_s):
                result = await self._agent(output).run(
                    prompt.user,
                    instructions=prompt.system,
                    usage=spent,
                    usage_limits=UsageLimits(request_limit=1 + OUTPUT_RETRIES),
                )
        except TimeoutError:
            message = f"{self._host} did not reply within {self._settings.timeout_s:g} s (llm.timeout_s)"
            raise RetryableError(message) from None
        except (AgentRunError, UserError) as error:
            # Not chained: the provider's own error may quote the key, the prompt or the reply.
            raise explain(error, self._host, self._name, replied=spent.requests > 0) from None
        reply: OutputT = result.output
        return reply

    def _agent(self, output: type[OutputT]) -> Agent[None, OutputT]:
        if output not in self._agents:
            self._agents[output] = Agent(
                self._model,
                output_type=NativeOutput(output, strict=True),
                retries={"output": OUTPUT_RETRIES},
            )
        return self._agents[output]

    def _price(self, spent: RunUsage) -> Usage:
        micro_usd = (
            spent.input_tokens * self._settings.usd_per_million_input
            + spent.output_tokens * self._settings.usd_per_million_output
        )
        return Usage(spent.input_tokens, spent.output_tokens, micro_usd / 1_000_000)


def connect_chat(
    settings: Llm,
    *,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    random: Callable[[], float] = random.random,
    clock: Callable[[], float] = time.monotonic,
) -> LanguageModels:
    """Both models over one HTTP client, one retry policy and one breaker."""
    url = settings.base_url or OPENAI_URL
    host = _host(url)
    provider = _provider(settings, url)
    policy = RetryPolicy(settings.retries, sleep, random)
    breaker = Breaker(settings.breaker_after, settings.breaker_pause_s, clock)

    def chat_model(name: str) -> ChatModel:
        model = OpenAIChatModel(
            name, provider=provider, profile=_profile(name, host), settings=_model_settings(settings)
        )
        return ChatModel(name, host, RetryingModel(model, policy), settings, breaker)

    answering = chat_model(settings.model)
    small = settings.small_model
    return LanguageModels(
        answering,
        chat_model(small) if small and small != settings.model else answering,
        provider.client.close,
    )


def _provider(settings: Llm, url: str) -> Provider[AsyncOpenAI]:
    key = settings.api_key.get_secret_value() if settings.api_key else PLACEHOLDER_KEY
    if _is_openai(_host(url)):
        return OpenAIProvider(base_url=url, api_key=key)
    return OpenAICompatibleProvider("openai-compatible", base_url=url, api_key=key)


def _profile(name: str, host: str) -> OpenAIModelProfile:
    """What pydantic-ai cannot know of a server it has no name for.

    OpenAI takes only `max_completion_tokens` for its reasoning models; other servers know at least `max_tokens`.
    """
    reasoning = bool(openai_model_profile(name.rsplit("/", 1)[-1]).get("supports_thinking"))
    return OpenAIModelProfile(
        supports_json_schema_output=True,
        openai_chat_supports_max_completion_tokens=_is_openai(host) or reasoning,
    )


def _model_settings(settings: Llm) -> ModelSettings:
    chosen = ModelSettings(max_tokens=settings.max_output_tokens, timeout=settings.timeout_s, max_retries=0)
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
