"""What a turn comes to, and how it came about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from handrail.types.answer import Card, Citation, Claim, Piece, Source
from handrail.types.conversation import Question
from handrail.types.evidence import Related
from handrail.types.labels import ANSWERING, Label, Offer, RefusalReason, Routing
from handrail.types.understanding import Classification
from handrail.types.usage import NOTHING, Attempt, Usage


@dataclass(frozen=True, slots=True)
class Asked:
    """One of the requests of a message, and what became of it."""

    text: str
    label: Label
    routing: Routing
    citations: tuple[int, ...] = ()
    """Indexes of the citations that answer it."""


@dataclass(frozen=True, slots=True)
class Escalation:
    offer: Offer = Offer.NONE
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the widget renders; built only by the constructors in `outcome.py`."""

    routing: Routing
    answer: str
    refusal_reason: RefusalReason | None = None
    disclaimer: str | None = None
    notice: str | None = None
    """Said above an answer that is not in the visitor's language."""
    citations: Sequence[Citation] = ()
    sources: Sequence[Source] = ()
    suggestions: Sequence[str] = ()
    escalation: Escalation = Escalation()
    confidence: float = 0.0
    claims: Sequence[Claim] = ()
    """What the answer is made of, with the label of each claim."""
    factuality: float | None = None
    """Share of the drafted claims that were found supported, removed ones included; None where none was checked."""
    pieces: Sequence[Piece] = ()
    """Whole sections of which the answer is made, in order; none in an answer that a model wrote."""
    closest: Sequence[Card] = ()
    """Up to three sections that look closest, best first, where nothing is claimed to answer."""
    related: Sequence[Related] = ()
    """Articles one step away from those that are shown."""
    requests: Sequence[Asked] = ()
    """What the message asks, in order; a message that asks nothing has none."""

    @property
    def refused(self) -> bool:
        return self.refusal_reason is not None

    @property
    def answers(self) -> bool:
        """Whether the claims of a draft reached the visitor."""
        return self.routing in ANSWERING


@dataclass(frozen=True, slots=True)
class Turn:
    """A question, its outcome and how it came about."""

    question: Question
    outcome: Outcome
    classification: Classification
    trace_id: str
    provider: str
    model: str | None
    retrieved: int
    latency_ms: Mapping[str, float]
    usage: Usage = NOTHING
    usage_by_model: Mapping[str, Usage] = field(default_factory=dict)
    """The same for each language model that was asked."""
    attempts: Sequence[Attempt] = ()
    """Every call of a language model, in order."""
    degraded: Sequence[str] = ()
    """What it went on without, in order, such as `rewrite` or `answer`."""
    reasons: Mapping[str, str] = field(default_factory=dict)
    """Why, for each of these: a code, for a language model one of `llm.kinds.Failure`."""
    standalone: str = ""
    """The question as it was understood; its own text where nothing had to be carried over."""
    cached: bool = False
    """Whether the answer was written for an earlier turn."""
    kb_version: str = ""
    """The generation of the articles that it was answered from."""
