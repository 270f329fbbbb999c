"""What rows spend on language models, and where a command stops asking them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from handrail.llm.kinds import Failure
from handrail.llm.meter import Meter

IN_A_ROW = 3
"""Rows without a working model after which nothing more is asked of it."""


@dataclass(frozen=True, slots=True)
class Spent:
    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    without: Mapping[str, int] = field(default_factory=dict)
    """Rows in which the model failed at a task and the product went on without it, by reason."""

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens

    def __add__(self, other: Spent) -> Spent:
        return Spent(
            self.requests + other.requests,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cost_usd + other.cost_usd,
            dict(Counter(self.without) + Counter(other.without)),
        )


NOTHING = Spent()


def spent(meter: Meter) -> Spent:
    """Of one row."""
    usage = meter.usage
    without = Counter(_failures(meter))
    return Spent(meter.requests, usage.input_tokens, usage.output_tokens, usage.cost_usd, dict(without))


def outage(row: Spent) -> Failure | None:
    """A failure that says nothing about the row: the same row may go well as soon as the model can be asked again."""
    for name in row.without:
        reason = Failure(name)
        if not reason.about_one_message and not reason.about_one_task:
            return reason
    return None


def _failures(meter: Meter) -> set[str]:
    """Why tasks were left undone; one that another provider or a repetition did is not."""
    last = {attempt.task: attempt for attempt in meter.attempts}
    return {attempt.reason for attempt in last.values() if attempt.reason in set(Failure)}


@dataclass(slots=True)
class Spending:
    """What one command may spend, all its runs together; nothing more is asked once `stopped` says why."""

    usd: float | None = None
    tokens: int | None = None
    spent: Spent = NOTHING
    stopped: str | None = None
    _most_usd: float = 0.0
    _most_tokens: int = 0
    _outages: int = 0

    def allows(self) -> bool:
        """Whether another row may be asked: one as dear as the dearest so far still has to fit."""
        if self.stopped is None:
            if self.usd is not None and self._over(self.spent.cost_usd, self._most_usd, self.usd):
                self.stopped = f"the budget of {self.usd:.2f} USD is used up"
            elif self.tokens is not None and self._over(self.spent.tokens, self._most_tokens, self.tokens):
                self.stopped = f"the {self.tokens:,} tokens of --max-tokens are used up"
        return self.stopped is None

    def add(self, row: Spent) -> None:
        self.spent += row
        self._most_usd = max(self._most_usd, row.cost_usd)
        self._most_tokens = max(self._most_tokens, row.tokens)
        if not row.requests and not row.without:
            return  # nothing was asked, which says nothing about the model
        reason = outage(row)
        self._outages = self._outages + 1 if reason else 0
        if reason and self._outages == IN_A_ROW:
            self.stopped = f"the model failed in {IN_A_ROW} rows in a row ({reason.says})"

    @staticmethod
    def _over(spent: float, row: float, most: float) -> bool:
        return spent >= most or spent + row > most
