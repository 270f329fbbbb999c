"""The one place where requests to a model are repeated."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.exceptions import (
    ModelAPIError,
    ModelConnectionError,
    ModelHTTPError,
    ModelQuotaExceededError,
)
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

from handrail.errors import BudgetExhausted
from handrail.llm.kinds import Failure, Stalled, because
from handrail.llm.meter import reserve

RETRYABLE_STATUS = frozenset({408, 409, 429})
NOT_IMPLEMENTED = 501
FIRST_DELAY_S = 0.5
LONGEST_DELAY_S = 8.0
"""A provider that asks for a longer pause is not asked again: knocking early is refused, waiting outlasts the turn."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often, and how the pauses between tries pass: `sleep` takes seconds, `random` gives a number in [0, 1)."""

    retries: int
    sleep: Callable[[float], Awaitable[None]]
    random: Callable[[], float]
    stall_s: float = 60.0
    """Seconds a stream may say nothing, its first token included."""

    def delay(self, tried: int, error: ModelAPIError) -> float | None:
        """Seconds to wait after try number `tried` (from 0) failed; None to give up."""
        if tried >= self.retries or not worth_retrying(error):
            return None
        if error.retry_after is not None:
            return error.retry_after if error.retry_after <= LONGEST_DELAY_S else None
        return float(min(FIRST_DELAY_S * 2**tried, LONGEST_DELAY_S) * (0.5 + self.random() / 2))


def worth_retrying(error: ModelAPIError) -> bool:
    """Timeouts, dropped connections, errors inside a stream, 408, 409, 429 and 5xx; an empty account stays empty."""
    if isinstance(error, ModelQuotaExceededError):
        return False
    if isinstance(error, ModelHTTPError):
        passing = error.status_code in RETRYABLE_STATUS or error.status_code >= 500
        return passing and error.status_code != NOT_IMPLEMENTED
    return isinstance(error, ModelConnectionError) or error.in_stream


def may_repeat() -> bool:
    """Whether the turn has a request to spare; it is counted."""
    try:
        reserve()
    except BudgetExhausted:
        return False
    return True


class RetryingModel(WrapperModel):
    """Repeats single requests, so that a second try at valid output does not pay for the first one again."""

    def __init__(self, wrapped: Model, policy: RetryPolicy) -> None:
        super().__init__(wrapped)
        self._policy = policy

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        tried = 0
        while True:
            try:
                return await super().request(messages, model_settings, model_request_parameters)
            except ModelAPIError as error:
                delay = self._policy.delay(tried, error)
                if delay is None or not may_repeat():
                    raise
            tried += 1
            await self._policy.sleep(delay)

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        """Repeated until the first token, never after it. Raises Stalled when that does not come."""
        async with AsyncExitStack() as stack:
            tried = 0
            while True:
                try:
                    async with asyncio.timeout(self._policy.stall_s):
                        response = await stack.enter_async_context(
                            super().request_stream(messages, model_settings, model_request_parameters, run_context)
                        )
                    break
                except TimeoutError:
                    raise because(
                        Stalled(f"no first token within {self._policy.stall_s:g} s"), Failure.SLOW_START
                    ) from None
                except ModelAPIError as error:
                    delay = self._policy.delay(tried, error)
                    if delay is None or not may_repeat():
                        raise
                tried += 1
                await self._policy.sleep(delay)
            yield response
