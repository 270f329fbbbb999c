"""What an engine is made of."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from handrail.accounts.customer import Customers
from handrail.answer import Answerer, Critic
from handrail.answer.gate import Bands
from handrail.answer.pieces import Pieces
from handrail.answer.suggest import Suggester
from handrail.llm.health import Health
from handrail.observe import Tracer
from handrail.retrieve import Retriever
from handrail.stores.relations import Relations
from handrail.turn.fallback import WithSpare
from handrail.understand import Rewriter, Understand
from handrail.understand.classify import Classifier
from handrail.verify import Verifier


@dataclass(frozen=True, slots=True)
class Stages:
    """A stage that is off is None."""

    understand: WithSpare[Understand]
    retriever: Retriever
    bands: Bands
    quote: Pieces
    """Makes pieces and cards of sections."""
    answer: WithSpare[Answerer]
    verify: WithSpare[Verifier] | None
    """Checks claims that are not the articles' own words."""
    critique: WithSpare[Critic] | None
    """Judges an answer that a model wrote."""
    rewriter: Rewriter | None
    tracer: Tracer
    classifier: Classifier
    """The local one, for whoever asks it directly."""
    relations: Relations | None = None
    """Names articles beside those that are shown."""
    suggester: Suggester | None = None
    """Offers questions to go on with after an answer."""
    customers: Customers | None = None
    """Asked who the customer is, where a policy has conditions; None goes by the signed context alone."""
    writes: bool = False
    """Whether a model writes answers, in any language."""
    articles_lang: str = "en"
    """What the articles are written in."""
    foresee: Callable[[str], None] | None = None
    """Begins to read a message that a turn will soon be about; results are the same without."""
    health: Health | None = None
    """How the providers of language models are doing; None without any."""
    closing: Callable[[], Awaitable[None]] | None = None
    """Closes connections the stages hold."""
