"""What surrounds a single question: rewriting it into one that can be searched for."""

from typing import Protocol

from handrail.types import Question


class Rewriter(Protocol):
    async def rewrite(self, question: Question) -> str:
        """A search query; the question's own text when nothing is gained. Raises RetryableError."""
        ...
