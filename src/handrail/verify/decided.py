"""Claims in doubt, put before a decision model as well, which may only take support away."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from handrail.settings import Verify
from handrail.types import Claim, Draft, Evidence, Passage, Proof, Question, Verified
from handrail.verify import Verifier
from handrail.verify.label import SUPPORTED, UNSUPPORTED, UNVERIFIED, labelled, verified

EVEN = 0.5
"""The score of a claim that the first verifier could not tell about."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """A claim beside a passage it cites."""

    claim: str
    passage: Passage
    score: float | None
    """Probability of support by the first verifier; None where it could not tell."""


Opinions = Callable[[Sequence[Doubt]], Awaitable[Sequence[float | None]]]
"""Probabilities of support, in order; None where nobody else was asked."""


class DecidedVerifier:
    """A Verifier. A score is only ever lowered, to what the decision model says; quotations need no second opinion."""

    def __init__(self, first: Verifier, opinions: Opinions, settings: Verify) -> None:
        self._first = first
        self._opinions = opinions
        self._settings = settings

    async def verify(self, question: Question, draft: Draft, evidence: Evidence) -> Verified:
        first = await self._first.verify(question, draft, evidence)
        given = {hit.passage.id: hit.passage for hit in evidence.hits}
        claims = list(first.draft.claims)
        pairs = self._doubtful(claims, given)
        if not pairs:
            return first
        doubts = [
            Doubt(claims[index].text, given[passage_id], proof.score if proof is not None else None)
            for index, passage_id, proof in pairs
        ]
        found = await self._opinions(doubts)
        changed = False
        for (index, passage_id, proof), said in zip(pairs, found, strict=True):
            lowered = self._lowered(passage_id, proof, said) if said is not None else None
            if lowered is not None:
                changed = True
                others = [old for old in claims[index].proofs if old.passage_id != passage_id]
                claims[index] = labelled(claims[index], (*others, lowered), given)
        return verified(first.draft, claims) if changed else first

    def _doubtful(self, claims: Sequence[Claim], given: dict[str, Passage]) -> list[tuple[int, str, Proof | None]]:
        """At most `max_judged`, the least certain first; what is unsupported already can sink no lower."""
        pairs: list[tuple[float, int, str, Proof | None]] = []
        for index, claim in enumerate(claims):
            proofs = {proof.passage_id: proof for proof in claim.proofs}
            if claim.support == UNSUPPORTED or any(proof.by == "quote" for proof in claim.proofs):
                continue
            for passage_id in dict.fromkeys((*claim.passage_ids, *proofs)):
                proof = proofs.get(passage_id)
                if passage_id in given and (proof is None or proof.support != UNSUPPORTED):
                    pairs.append((abs((proof.score if proof else EVEN) - EVEN), index, passage_id, proof))
        pairs.sort(key=lambda pair: pair[:3])
        return [pair[1:] for pair in pairs[: self._settings.max_judged]]

    def _lowered(self, passage_id: str, proof: Proof | None, said: float) -> Proof | None:
        """None where the decision takes nothing away."""
        before = proof.score if proof is not None else EVEN
        if said >= before:
            return None
        support = UNVERIFIED if said >= self._settings.unsupported_below else UNSUPPORTED
        if proof is not None and proof.support == SUPPORTED and said >= self._settings.supported_above:
            return replace(proof, score=round(said, 4))
        return Proof(passage_id, support, round(said, 4), "decision")
