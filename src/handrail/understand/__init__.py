"""A message becomes requests, a speech act, and what else a turn has to know of it."""

from typing import Protocol

from handrail.types import Probe, Question, Understanding


class Understand(Protocol):
    async def read(self, question: Question) -> Understanding:
        """What the message asks for and does, with its history. Raises RetryableError and PermanentError."""
        ...


class Prober(Protocol):
    async def probe(self, text: str) -> Probe:
        """Embed a message and compare it with the articles as a whole; no search."""
        ...


class Rewriter(Protocol):
    async def rewrite(self, question: Question) -> str:
        """A search query; the question's own text when nothing is gained. Raises RetryableError."""
        ...
