"""What a visitor could ask next: questions that were tried and are answered from the articles."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from handrail.types import Citation, Question


@dataclass(frozen=True, slots=True)
class Checked:
    """A question that the pipeline answered from its own article."""

    text: str
    passages: tuple[str, ...]
    """Ids of the passages its answer cites, best first."""
    title: bool = False
    """Made of the article's title, and so a question about the whole of it."""


class Suggester(Protocol):
    async def answerable(self, drafted: Sequence[str]) -> Sequence[str]:
        """Those of an answering model's own suggestions that the articles answer. Never raises."""
        ...

    def after(self, question: Question, citations: Sequence[Citation], drafted: Sequence[str] = ()) -> Sequence[str]:
        """Questions to go on with after an answer, best first; costs microseconds, as all checking was done before."""
        ...
