"""What becomes of claims that no cited passage supports: removed, shown with a mark, or the end of the answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from handrail.errors import NotSupported
from handrail.settings import Verify
from handrail.turn.wording import Wording
from handrail.types import Claim, Draft, Verified

STEP = re.compile(r"^\s*\d+[.)]\s", re.M)
SUPPORTED, UNSUPPORTED, UNVERIFIED = "supported", "unsupported", "unverified"
QUOTED = "extractive"
"""The provider whose answers are the articles' own words."""


def settled(verified: Verified, settings: Verify) -> Verified:
    """Once everybody was asked: a claim that is more likely wrong than right is not given the benefit of the doubt.

    The articles' own words are not made likely wrong by a check that does not find their place.
    """
    if verified.draft.provider == QUOTED:
        return verified
    settle = [_doubted(claim, settings.shown_from) for claim in verified.draft.claims]
    if not any(settle):
        return verified
    claims = [
        replace(claim, support=UNSUPPORTED) if doubted else claim
        for claim, doubted in zip(verified.draft.claims, settle, strict=True)
    ]
    checked = [claim.support == SUPPORTED for claim in claims if claim.support != UNVERIFIED]
    return Verified(replace(verified.draft, claims=tuple(claims)), sum(checked) / len(checked))


def _doubted(claim: Claim, shown_from: float) -> bool:
    return claim.support == UNVERIFIED and claim.score is not None and claim.score < shown_from


def withhold(verified: Verified, settings: Verify, wording: Wording) -> Draft:
    """The draft as it may be shown, by the operator's policy.

    Raises NotSupported when the answer has to be withdrawn: always under `withdraw`, under `remove` when too little is
    left to stand on, and under `flag` when nothing is.
    """
    draft = verified.draft
    if not verified.unsupported:
        return draft
    kept = _kept(draft.claims)
    if settings.policy == "flag" and kept:
        mark = wording.say("unconfirmed")
        shown = [_flagged(claim, mark) if claim.support == UNSUPPORTED else claim for claim in draft.claims]
        return replace(draft, claims=tuple(shown))
    enough = verified.factuality is None or verified.factuality >= settings.withdraw_below
    if settings.policy == "withdraw" or not kept or not enough:
        raise NotSupported("claims of the draft are not supported by the passages they cite", verified.factuality)
    return replace(draft, claims=tuple(kept))


def supported_only(verified: Verified) -> Draft:
    """The draft without its unsupported claims, whatever is left: a high-stakes reply stands without any."""
    return replace(verified.draft, claims=tuple(_kept(verified.draft.claims)))


def _kept(claims: Sequence[Claim]) -> list[Claim]:
    """Without the unsupported ones, and without the steps that follow one: a procedure with a hole misleads."""
    kept: list[Claim] = []
    broken = False
    for claim in claims:
        step = bool(STEP.search(claim.text))
        broken = broken and step
        if claim.support == UNSUPPORTED:
            broken = step
        elif not broken:
            kept.append(claim)
    return kept


def _flagged(claim: Claim, mark: str) -> Claim:
    """It cites nothing any more: a number behind it would look like a proof."""
    return replace(claim, text=f"{claim.text.rstrip()} *({mark})*", passage_ids=())
