"""Verification: does each passage state the claim that cites it, and in which words?"""

from typing import Protocol

from handrail.types import Draft, Evidence, Question, Verified


class Verifier(Protocol):
    async def verify(self, question: Question, draft: Draft, evidence: Evidence) -> Verified:
        """Each claim of an enforced draft checked against each passage it cites; nothing is removed.

        Raises RetryableError.
        """
        ...
