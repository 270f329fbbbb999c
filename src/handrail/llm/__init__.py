"""Any OpenAI-compatible model, asked for typed output.

Nothing here imports an LLM library until `connect` is called, so a Handrail without an LLM starts without one.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from pydantic import BaseModel

from handrail.llm.health import Health
from handrail.llm.prompts import RenderedPrompt
from handrail.settings import Llm
from handrail.types.usage import Usage

OutputT = TypeVar("OutputT", bound=BaseModel)
TextListener = Callable[[str], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Reply(Generic[OutputT]):
    """A validated output and what it took, failed tries at a valid one included."""

    output: OutputT
    usage: Usage
    provider: str = "llm"
    model: str | None = None
    """Who gave it, where several may be asked."""


class LanguageModel(Protocol):
    @property
    def name(self) -> str:
        """The model's name as the provider knows it."""
        ...

    async def ask(
        self, prompt: RenderedPrompt, output: type[OutputT], on_text: TextListener | None = None
    ) -> Reply[OutputT]:
        """One call, its retries included, bounded in time and tokens.

        The model is held to the JSON schema of `output` and reads its docstring and field descriptions. With `on_text`
        the reply is streamed: it is given the JSON text so far, as it grows. A reply that breaks off after that may be
        made up for by another, which is not streamed and may read otherwise.

        Raises RetryableError when the provider is slow, busy, away or returned something else than `output`,
        PermanentError when settings must change first or the model refused, and BudgetExhausted when the turn may not
        spend more.
        """
        ...


@dataclass(frozen=True, slots=True)
class LanguageModels:
    """The answering model, and the small one for classifying, rewriting and critique (often the same)."""

    answering: LanguageModel
    small: LanguageModel
    aclose: Callable[[], Awaitable[None]]
    """Closes the connections both share."""
    health: Health
    """How their providers have been doing."""
    adapted: Callable[[], Mapping[str, str]]
    """By model, how an endpoint is asked differently than at first, in words; empty where everything is taken."""


def connect(settings: Llm) -> LanguageModels:
    """Build both models over one HTTP client; no request is sent. Call it only when `settings.configured`."""
    from handrail.llm.chat import connect_chat

    return connect_chat(settings)
