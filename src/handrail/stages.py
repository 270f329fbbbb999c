"""What a pipeline is made of."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from handrail.classify import Classifier
from handrail.converse import Reader, Rewriter
from handrail.converse.serious import SeriousTalk
from handrail.customer import Customers
from handrail.gates import Calibrator
from handrail.generate import Answerer, Critic, Verifier
from handrail.observe import Tracer
from handrail.retrieve import Retriever
from handrail.several import Several
from handrail.suggest import Suggester
from handrail.types import Evidence


@dataclass(frozen=True, slots=True)
class Stages:
    """A stage that is off is None."""

    classifier: Classifier
    fallback_classifier: Classifier
    retriever: Retriever
    rewriter: Rewriter | None
    calibrator: Calibrator
    answerer: Answerer
    fallback_answerer: Answerer | None
    critic: Critic | None
    tracer: Tracer
    verifier: Verifier | None = None
    fallback_verifier: Verifier | None = None
    widen: Callable[[Evidence], Evidence] | None = None
    """Adds more of the best article, for an answerer that reads it, or quotes how it begins."""
    fallback_critic: Critic | None = None
    quick_critic: Critic | None = None
    """Judges a whole draft in microseconds, before any of it is shown; None shows drafts unjudged."""
    reader: Reader | None = None
    """Reads a message with its history; None where conversations have no memory."""
    fallback_reader: Reader | None = None
    suggester: Suggester | None = None
    """Offers questions to go on with after an answer."""
    several: Several | None = None
    """Answers each question of a message that asks several; None reads every message as one."""
    customers: Customers | None = None
    """Asked who the customer is, where a policy has conditions; None goes by the signed context alone."""
    articles_lang: str = "en"
    """What the articles are written in."""
    reads_abroad: bool = False
    """Whether messages in other languages find articles, too."""
    talk: SeriousTalk | None = None
    """Judges messages around a serious one; None with an embedder that it was not fitted to."""
    besides: Callable[[Evidence], Evidence] | None = None
    """Puts the rest of the articles beside what was found, so that lists are quoted whole."""
    foresee: Callable[[str], None] | None = None
    """Begins to read a message that a turn will soon be about; results are the same without."""
    closing: Callable[[], Awaitable[None]] | None = None
    """Closes connections the stages hold."""
