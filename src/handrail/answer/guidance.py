"""The operator's rules for written answers: whom they are for, and whether an answer keeps them."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence

from handrail.answer.blocks import Count, within
from handrail.errors import RetryableError
from handrail.settings import Guidance
from handrail.types import Draft, Question

logger = logging.getLogger(__name__)

BROKEN = 0.5
"""Probability from which a rule counts as broken."""
Check = Callable[[Question, str, Sequence[str]], Awaitable[float | None]]
"""`(question, reply, rules)` to the probability that the reply goes against one of them; None where nobody can tell."""


class RuleBroken(RetryableError):
    """An answer goes against one of the operator's rules."""

    reason = "guidance"


def rules_for(audience: str, settings: Guidance, count: Count) -> tuple[str, ...]:
    """Those for an audience, as far as they fit; those that will never be read are said in the log."""
    meant = [rule.text for rule in settings.rules if rule.audience in ("everyone", audience)]
    given = within(meant, settings.tokens, count)
    if len(given) < len(meant):
        logger.warning(
            "guidance.rules: only the first %d of %d rules reach the model, the others do not fit into "
            "guidance.tokens = %d",
            *(len(given), len(meant), settings.tokens),
        )
    return tuple(given)


async def kept(draft: Draft, question: Question, rules: Sequence[str], check: Check | None) -> Draft:
    """The draft, if it breaks none of the rules. Raises RuleBroken."""
    said = [draft.acknowledgement or "", *(claim.text for claim in draft.claims), draft.closing or ""]
    text = "\n".join(part for part in said if part)
    if check is None or not rules or not text:
        return draft
    broken = await check(question, text, rules)
    if broken is not None and broken >= BROKEN:
        raise RuleBroken(f"the answer goes against a rule of guidance.rules (probability {broken:.2f})")
    return draft
