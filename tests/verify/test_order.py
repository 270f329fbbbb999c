"""Steps that are quoted word for word, in another order than their article has them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from handrail.types import Claim, Passage, Proof
from handrail.verify.order import in_order
from tests.stages import passage

TEXT = """To connect it:

1. Open **Settings**.
2. Choose **Domains**.
   The list may be empty.
3. Select **Add**.

To take it off:

1. Open **Domains**.
2. Select **Remove**.

You need the Owner role."""
HOW = passage("domains:connect/1", TEXT)


def step(number: int, words: str, given: Passage = HOW) -> Claim:
    start = given.text.index(words)
    proof = Proof(given.id, "supported", 1.0, "quote", ((start, start + len(words)),))
    return Claim(f"{number}. {words}", (given.id,), "supported", 1.0, words, (proof,))


def labels(*claims: Claim) -> Sequence[str]:
    return [claim.support for claim in in_order(claims, {HOW.id: HOW})]


@pytest.mark.parametrize(
    "words",
    [
        ["Open **Settings**.", "Choose **Domains**.", "Select **Add**."],
        ["Open **Settings**.", "Select **Add**."],
        ["Choose **Domains**.", "The list may be empty.", "Select **Add**."],
        ["Open **Domains**.", "Select **Remove**.", "Open **Settings**.", "Choose **Domains**."],
        ["You need the Owner role.", "Open **Settings**."],
    ],
)
def test_steps_in_their_order_stand(words: Sequence[str]) -> None:
    assert set(labels(*(step(at, one) for at, one in enumerate(words, 1)))) == {"supported"}


def test_a_procedure_with_two_steps_exchanged_is_supported_by_nothing() -> None:
    turned = [step(1, "Choose **Domains**."), step(2, "Open **Settings**."), step(3, "Select **Add**.")]

    assert labels(*turned) == ["unsupported"] * 3


def test_what_stands_beside_the_procedure_is_left_alone() -> None:
    said = Claim("You need the Owner role.", (HOW.id,), "supported")

    assert labels(said, step(1, "Select **Add**."), step(2, "Open **Settings**."), said) == [
        "supported",
        "unsupported",
        "unsupported",
        "supported",
    ]


def test_sentences_without_numbers_tell_no_order() -> None:
    told = [step(1, "Select **Add**."), step(2, "Open **Settings**.")]
    prose = [Claim(one.text[3:], one.passage_ids, one.support, proofs=one.proofs) for one in told]

    assert labels(*prose) == ["supported", "supported"]
