"""Chat completions through pydantic-ai, the output constrained by a JSON schema rather than a forced tool call."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

from openai import AsyncOpenAI
from pydantic import BaseModel
from pydantic_ai import Agent, NativeOutput, RunContext
from pydantic_ai.agent import EventStreamHandler
from pydantic_ai.exceptions import AgentRunError, UsageLimitExceeded, UserError
from pydantic_ai.messages import AgentStreamEvent, PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.profiles.openai import OpenAIModelProfile, openai_model_profile
from pydantic_ai.providers import Provider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RunUsage, UsageLimits

from handrail.errors import BudgetExhausted, RetryableError, SettingsError
from handrail.llm import LanguageModels, OutputT, Reply, TextListener
from handrail.llm.breaker import Breaker
from handrail.llm.chain import ProviderChain, Stalled
from handrail.llm.failures import explain
from handrail.llm.generations import generation
from handrail.llm.meter import Bounds, reserve, spend
from handrail.llm.prompts import RenderedPrompt
from handrail.llm.retry import RetryingModel, RetryPolicy
from handrail.settings import Llm, LlmProvider, environment
from handrail.types.usage import Usage

OPENAI_URL = "https://api.openai.com/v1"
PLACEHOLDER_KEY = "not-needed"
"""Sent when only a base URL is set: the client insists on a key, local servers take any."""
OUTPUT_RETRIES = 1


class ChatModel:
    """A LanguageModel over the chat completions protocol."""

    def __init__(
        self, name: str, host: str, model: RetryingModel, settings: LlmProvider, breaker: Breaker, stall_s: float = 60.0
    ) -> None:
        self._name = name
        self._host = host
        self._model = model
        self._settings = settings
        self._breaker = breaker
        self._stall_s = stall_s
        self._agents: dict[type[BaseModel], Agent[None, Any]] = {}

    @property
    def name(self) -> str:
        return self._name

    @property
    def provider(self) -> str:
        return self._settings.name

    async def ask(
        self, prompt: RenderedPrompt, output: type[OutputT], on_text: TextListener | None = None
    ) -> Reply[OutputT]:
        self._breaker.check(self._host)
        left = reserve()
        spent = RunUsage()
        with generation(prompt.name, self._name, prompt) as span:
            try:
                reply = await self._run(prompt, output, spent, left, on_text)
            except RetryableError:
                self._breaker.failed()
                raise
            finally:
                usage = self._price(spent)
                spend(usage, max(0, spent.requests - 1))
                span.record(input_tokens=usage.input_tokens, output_tokens=usage.output_tokens, cost_usd=usage.cost_usd)
                if spent.cache_read_tokens:  # 0 where a provider does not report them
                    span.record(cached_tokens=spent.cache_read_tokens)
            span.record(output=reply.model_dump(mode="json"))
        self._breaker.succeeded()
        return Reply(reply, usage, self.provider, self._name)

    async def _run(
        self, prompt: RenderedPrompt, output: type[OutputT], spent: RunUsage, left: Bounds, on_text: TextListener | None
    ) -> OutputT:
        requests = min(1 + OUTPUT_RETRIES, left.requests or 1 + OUTPUT_RETRIES)
        try:
            async with asyncio.timeout(self._settings.timeout_s):
                result = await self._agent(output).run(
                    prompt.user,
                    instructions=prompt.system,
                    usage=spent,
                    usage_limits=UsageLimits(request_limit=requests, total_tokens_limit=left.tokens or None),
                    event_stream_handler=_listener(on_text, self._stall_s) if on_text is not None else None,
                )
        except TimeoutError:
            message = f"{self._host} did not reply within {self._settings.timeout_s:g} s (timeout_s)"
            raise Stalled(message) from None
        except UsageLimitExceeded:
            raise BudgetExhausted("the turn has reached its LLM limits (llm.turn_max_…)") from None
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


def _listener(on_text: TextListener, stall_s: float) -> EventStreamHandler[None]:
    """Passes on the text of the first response only: what a correction says is known when it is complete.

    Raises TimeoutError when the stream says nothing for `stall_s` seconds.
    """
    responses = 0

    async def listen(_context: RunContext[None], events: AsyncIterable[AgentStreamEvent]) -> None:
        nonlocal responses
        responses += 1
        first, text = responses == 1, ""
        async for event in _prompt(events, stall_s):
            piece = ""
            if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
                piece = event.part.content
            elif isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
                piece = event.delta.content_delta
            if piece and first:
                text += piece
                await on_text(text)

    return listen


async def _prompt(events: AsyncIterable[AgentStreamEvent], stall_s: float) -> AsyncIterator[AgentStreamEvent]:
    arriving = aiter(events)
    while True:
        async with asyncio.timeout(stall_s):
            event = await anext(arriving, None)
        if event is None:
            return
        yield event


def connect_chat(
    settings: Llm,
    *,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    random: Callable[[], float] = random.random,
    clock: Callable[[], float] = time.monotonic,
) -> LanguageModels:
    """The primary provider and its fallbacks, each with one HTTP client, one retry policy and one breaker."""
    policy = RetryPolicy(settings.retries, sleep, random, settings.stall_s)
    answering: list[ChatModel] = []
    small: list[ChatModel] = []
    clients: list[AsyncOpenAI] = []
    for profile, key in _profiles(settings):
        breaker = Breaker(settings.breaker_after, settings.breaker_pause_s, clock)
        url = profile.base_url or OPENAI_URL
        provider = _provider(url, key)
        clients.append(provider.client)

        def chat_model(
            name: str,
            provider: Provider[AsyncOpenAI] = provider,
            profile: LlmProvider = profile,
            host: str = _host(url),
            breaker: Breaker = breaker,
        ) -> ChatModel:
            model = OpenAIChatModel(
                name, provider=provider, profile=_profile(name, host), settings=_model_settings(settings, profile)
            )
            return ChatModel(name, host, RetryingModel(model, policy), profile, breaker, settings.stall_s)

        first = chat_model(profile.model)
        answering.append(first)
        same = profile.small_model in (None, profile.model)
        small.append(first if same else chat_model(profile.small_model or profile.model))

    async def close() -> None:
        for client in clients:
            await client.close()

    big = ProviderChain(answering)
    return LanguageModels(big, big if small == answering else ProviderChain(small), close)


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


def _profile(name: str, host: str) -> OpenAIModelProfile:
    """What pydantic-ai cannot know of a server it has no name for.

    OpenAI takes only `max_completion_tokens` for its reasoning models; other servers know at least `max_tokens`.
    """
    reasoning = bool(openai_model_profile(name.rsplit("/", 1)[-1]).get("supports_thinking"))
    return OpenAIModelProfile(
        supports_json_schema_output=True,
        openai_chat_supports_max_completion_tokens=_is_openai(host) or reasoning,
    )


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
