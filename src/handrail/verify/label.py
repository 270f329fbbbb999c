"""From proofs to the label of a claim."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from handrail.types import Claim, Draft, Passage, Proof, Verified

SUPPORTED, UNSUPPORTED, UNVERIFIED = "supported", "unsupported", "unverified"


def labelled(claim: Claim, proofs: Sequence[Proof], passages: Mapping[str, Passage]) -> Claim:
    """The claim with what its proofs amount to; citations that prove nothing are dropped where another one does."""
    if not proofs:
        return replace(claim, support=UNVERIFIED, score=None, quote=None, proofs=())
    best = max(proofs, key=lambda proof: (proof.support == SUPPORTED, proof.score))
    supporting = [proof for proof in proofs if proof.support == SUPPORTED]
    text = passages[best.passage_id].text
    return replace(
        claim,
        passage_ids=tuple(proof.passage_id for proof in supporting) or claim.passage_ids,
        support=best.support,
        score=best.score,
        quote=text[best.spans[0][0] : best.spans[0][1]] if supporting and best.spans else None,
        proofs=tuple(proofs),
    )


def verified(draft: Draft, claims: Sequence[Claim]) -> Verified:
    """The draft with these labelled claims, and the share of the checked ones that are supported."""
    checked = [claim.support == SUPPORTED for claim in claims if claim.support != UNVERIFIED]
    return Verified(replace(draft, claims=tuple(claims)), sum(checked) / len(checked) if checked else None)
