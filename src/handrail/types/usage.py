"""What a turn asked of language models, and what that took."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens and money one turn took."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    cached_tokens: int = 0
    """Of the input tokens those that the provider had read before; 0 where it does not say."""

    def __add__(self, more: Usage) -> Usage:
        return Usage(
            self.input_tokens + more.input_tokens,
            self.output_tokens + more.output_tokens,
            self.cost_usd + more.cost_usd,
            self.cached_tokens + more.cached_tokens,
        )


NOTHING = Usage()


@dataclass(frozen=True, slots=True)
class Attempt:
    """One call of a language model: who was asked for what, and how it went."""

    task: str
    """The prompt's name, such as `answer` or `rewrite`."""
    provider: str
    model: str
    outcome: str
    """`ok`, `failed` (may work later), `stalled`, `rejected` (settings or refusal), `skipped` (left alone for a while),
    `over_budget`."""
    ms: float
    reason: str = ""
    """Why it did not go well, as one of `llm.kinds.Failure`; empty where it did."""
