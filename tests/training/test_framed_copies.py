"""Training copies among sentences that carry no label."""

from handrail.types import Label
from training.classifier.augment import FRAMES, framed_copies
from training.classifier.rows import Row

ROWS = [
    Row("How do I refund {guest}", Label.ANSWERABLE, "tillwick", "a"),
    Row("Abo kündigen!", Label.HIGH_STAKES, "tillwick", "b", lang="de"),
    Row("asdf jklö", Label.NONSENSE, "tillwick", "c", weight=0.5),
    *(Row(f"where is parcel {n}", Label.OUT_OF_SCOPE, "hopper", "d") for n in range(40)),
]


def test_a_copy_keeps_label_company_and_words() -> None:
    copies = list(framed_copies(ROWS, 0.5))

    assert [(copy.label, copy.company, copy.group, copy.weight) for copy in copies] == [
        (row.label, row.company, row.group, row.weight * 0.5) for row in ROWS
    ]
    for row, copy in zip(ROWS, copies, strict=True):
        assert row.text.strip("!?.").casefold() in copy.text.casefold()
        assert len(copy.text) > len(row.text)


def test_a_copy_does_not_change_when_rows_are_added() -> None:
    assert next(framed_copies(ROWS[:1], 0.5)).text == next(framed_copies(ROWS, 0.5)).text


def test_every_slot_can_be_filled() -> None:
    filled = " ".join(copy.text for copy in framed_copies(ROWS[3:] * 20, 1.0))

    assert "{" not in filled
    for said in FRAMES.values():
        assert {"before", "after"} <= set(said)
