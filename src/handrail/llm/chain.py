"""One provider after another, until one gives what was asked for."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Protocol

from handrail.errors import BudgetExhausted, HandrailError, RetryableError
from handrail.llm import LanguageModel, OutputT, Reply, TextListener
from handrail.llm.breaker import LeftAlone
from handrail.llm.deadline import seconds_left
from handrail.llm.health import Health
from handrail.llm.kinds import Failure, Stalled, because, failure_of
from handrail.llm.meter import gave_up, note
from handrail.llm.prompts import RenderedPrompt
from handrail.types.usage import Attempt

SHARE = 1 / 2
"""Of the time a stage has left, what a provider may take while another could still be asked."""


class NamedModel(LanguageModel, Protocol):
    @property
    def provider(self) -> str: ...


class ProviderChain:
    """A LanguageModel made of the primary provider and its fallbacks.

    pydantic-ai's `FallbackModel` stands at the level of one request: it moves on when a request raises, but sees
    neither a reply that is not the JSON asked for (found out later, by the agent), nor a stream that stalls after its
    first token, nor the time that the turn has left. So the chain goes around whole calls, retries and validation
    included, and splits the stage's time: while others could be asked, one gets half of what is left.
    """

    def __init__(self, models: Sequence[NamedModel], health: Health) -> None:
        self._models = models
        self._health = health

    @property
    def name(self) -> str:
        return self._models[0].name

    async def ask(
        self, prompt: RenderedPrompt, output: type[OutputT], on_text: TextListener | None = None
    ) -> Reply[OutputT]:
        streamed = False

        async def listen(text: str) -> None:
            nonlocal streamed
            streamed = True
            if on_text is not None:
                await on_text(text)

        failure: HandrailError | None = None
        for place, model in enumerate(self._models):
            listener = listen if on_text is not None and not streamed else None
            last = place == len(self._models) - 1
            try:
                return await self._tried(model, prompt, output, listener, None if last else SHARE)
            except BudgetExhausted as error:
                gave_up(prompt.name, error.reason)
                raise
            except HandrailError as error:
                failure = failure or error
        assert failure is not None  # noqa: S101 - there is always a primary
        gave_up(prompt.name, failure.reason)
        raise failure

    async def _tried(
        self,
        model: NamedModel,
        prompt: RenderedPrompt,
        output: type[OutputT],
        on_text: TextListener | None,
        share: float | None,
    ) -> Reply[OutputT]:
        """One attempt, noted for the turn and for the provider's health whatever becomes of it."""
        start, outcome, reason = time.perf_counter(), "stalled", Failure.LATE.value
        try:
            left = seconds_left()
            try:
                async with asyncio.timeout(None if left is None or share is None else left * share):
                    reply = await model.ask(prompt, output, on_text)
            except TimeoutError:
                late = Stalled(f"{model.provider} took more than its share of the turn")
                raise because(late, Failure.LATE) from None
            outcome, reason = "ok", ""
            self._health.succeeded(model.provider, prompt.name)
            return reply
        except HandrailError as error:
            outcome, reason = _outcome(error), error.reason
            failure = failure_of(error)
            if failure is not None:
                self._health.failed(model.provider, model.name, prompt.name, failure, str(error))
            raise
        except asyncio.CancelledError:
            if seconds_left() == 0:  # the stage's time is over; otherwise the visitor has left
                says = f"{model.provider} took longer than its stage has"
                self._health.failed(model.provider, model.name, prompt.name, Failure.LATE, says)
            raise
        finally:
            ms = (time.perf_counter() - start) * 1000
            note(Attempt(prompt.name, model.provider, model.name, outcome, ms, reason))


def _outcome(error: HandrailError) -> str:
    if isinstance(error, Stalled):
        return "stalled"
    if isinstance(error, LeftAlone):
        return "skipped"
    if isinstance(error, BudgetExhausted):
        return "over_budget"
    return "failed" if isinstance(error, RetryableError) else "rejected"
