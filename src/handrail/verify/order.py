"""Steps of a procedure in the order of the passage: each may be quoted word for word, and their order be wrong."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from handrail.types import Claim, Passage
from handrail.verify.label import SUPPORTED, UNSUPPORTED

STEP = re.compile(r"\s*\d{1,3}[.)]\s")
ITEM = re.compile(r"^ {0,3}(?P<number>\d{1,3})[.)]\s", re.MULTILINE)

Place = tuple[int, int]
"""Which numbered list of a passage, and which of its items."""


def in_order(claims: Sequence[Claim], passages: Mapping[str, Passage]) -> list[Claim]:
    """The claims, with a run of numbered steps unsupported where it turns steps of one numbered list round.

    The run goes as a whole: what is left of a procedure with a step out of place would mislead, too.
    """
    out = list(claims)
    for run in _runs(claims):
        places = [_places(claims[index], passages) for index in run]
        if any(_turned(one, other) for one, other in pairwise(filter(None, places))):
            for index in run:
                out[index] = replace(claims[index], support=UNSUPPORTED, quote=None)
    return out


def _runs(claims: Sequence[Claim]) -> Iterator[list[int]]:
    run: list[int] = []
    for index, claim in enumerate(claims):
        if STEP.match(claim.text):
            run.append(index)
        else:
            yield run
            run = []
    yield run


def _places(claim: Claim, passages: Mapping[str, Passage]) -> dict[str, list[Place]]:
    """Where a proved step stands, by passage; nothing for one that stands in no numbered list."""
    found = {
        proof.passage_id: [
            place for start, _ in proof.spans if (place := _place(passages[proof.passage_id].text, start)) is not None
        ]
        for proof in claim.proofs
        if proof.support == SUPPORTED
    }
    return {id_: places for id_, places in found.items() if places}


def _place(text: str, at: int) -> Place | None:
    items = list(ITEM.finditer(text))
    index = bisect_right([item.start() for item in items], at) - 1
    if index < 0 or "\n\n" in text[items[index].start() : at].strip():
        return None
    numbers = [int(item["number"]) for item in items[: index + 1]]
    return sum(later <= earlier for earlier, later in pairwise(numbers)), numbers[-1]


def _turned(one: Mapping[str, Sequence[Place]], other: Mapping[str, Sequence[Place]]) -> bool:
    """Everything the later step rests on stands, in the same list, before what the earlier one rests on."""
    shared = one.keys() & other.keys()
    return any(
        max(other[id_])[0] == min(one[id_])[0] == max(one[id_])[0] and max(other[id_]) < min(one[id_]) for id_ in shared
    )
