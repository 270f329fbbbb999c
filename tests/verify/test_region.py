"""What is read around the sentences that a claim is held against."""

from __future__ import annotations

from handrail.verify.measure import REGION, Pair, around, chosen_window

RULE = "Refunds take five days."
EXCEPTION = "Gift cards are not refunded."


def region(claim: str, passage: str) -> str:
    window = chosen_window(Pair(claim, passage))
    assert window is not None
    return around(passage, window)


def test_a_short_passage_is_read_whole() -> None:
    passage = f"{RULE} {EXCEPTION} Ask us."

    assert region("A refund needs five days.", passage) == passage


def test_a_long_one_is_read_where_it_speaks_of_the_claim() -> None:
    filler = " ".join(f"Sentence number {n} says nothing that matters here." for n in range(30))
    passage = f"{filler} {RULE} {EXCEPTION} {filler}"

    found = region("A refund needs five days.", passage)

    assert RULE in found and EXCEPTION in found
    assert found in passage
    assert len(found.split()) <= REGION


def test_a_sentence_longer_than_the_room_stands_alone() -> None:
    long = "Refunds take five days " + "and more " * REGION + "at most."

    assert region("Refunds take five days.", f"{long} {EXCEPTION}").startswith(long)
