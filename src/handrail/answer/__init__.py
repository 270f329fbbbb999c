"""Answers from passages, their citations, and the judgement of a draft before it is sent."""

from typing import Protocol

from handrail.answer.gate import Band
from handrail.types import Claim, Classification, Critique, Draft, Evidence, Question


class Told(Protocol):
    """Hears of a draft while it is being written."""

    async def write(self, claim: Claim) -> None:
        """A claim is complete."""
        ...

    async def words(self, text: str) -> None:
        """What has been written so far of what is not complete: plain text that nothing has checked."""
        ...


class Answerer(Protocol):
    least: Band
    """The lowest band of evidence from which it may answer."""

    async def answer(
        self, question: Question, classification: Classification, evidence: Evidence, told: Told | None = None
    ) -> Draft:
        """A draft whose claims cite ids of `evidence`; `told` hears of each while others are still being written.

        For `high_stakes` the draft also has an acknowledgement, an offer where the policy has one, and a closing;
        its evidence may be empty. Raises RetryableError or PermanentError when the provider fails.
        """
        ...


class Critic(Protocol):
    async def critique(self, question: Question, draft: Draft, evidence: Evidence) -> Critique:
        """Whether the draft answers the question fully, partly or not at all. Raises RetryableError."""
        ...
