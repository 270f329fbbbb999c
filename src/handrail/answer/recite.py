"""Quotations cited where they stand: small models quote one passage and name the one beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from handrail.text.quotes import quoted
from handrail.text.words import tokens
from handrail.types import Claim, Passage

FEWEST_WORDS = 4
"""Of a claim: fewer stand word for word in passages that have nothing to do with it."""


def cited_where_said(claim: Claim, given: Sequence[Passage]) -> Claim:
    """The claim with the first given passage that states it word for word, where none of those it cites does.

    A claim that cites nothing, or what was not given, stays as it is: that is for `enforce` to judge.
    """
    cited = set(claim.passage_ids)
    if not cited or not cited <= {passage.id for passage in given} or len(tokens(claim.text)) < FEWEST_WORDS:
        return claim
    says = [passage.id for passage in given if quoted(claim.text, passage.text, (passage.title, *passage.headings))]
    return claim if not says or cited & set(says) else replace(claim, passage_ids=(says[0],))
