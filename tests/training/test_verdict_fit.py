"""What adds up the judges is fitted to what is said of messages, and leans to high stakes as far as asked."""

from __future__ import annotations

import numpy as np
import pytest

from handrail.types import Label
from handrail.understand.classify.verdict import Said
from training.classifier.rows import Row
from training.classifier.verdict import MOST, ScoredMessage, fit, left_out, needed, table

LABELS = (Label.ANSWERABLE, Label.HIGH_STAKES, Label.OUT_OF_SCOPE)


def scored(company: str, label: Label, *, sure: float) -> ScoredMessage:
    """The first judge is right, the second names the next label, and is surer of it."""
    place = LABELS.index(label)
    said = Said(np.stack([np.eye(3)[place], sure * np.eye(3)[place - 1]]).astype(np.float32), 0.0)
    return ScoredMessage(Row("cancel it", label, company, company), "dev", 1.0, False, "cancel it", said, [])


MESSAGES = [scored(f"company {n // 9}", LABELS[n % 3], sure=3.0 + n % 5) for n in range(72)]


def test_a_judge_that_is_sure_and_wrong_is_not_followed() -> None:
    found = fit(table(MESSAGES, LABELS, 2))
    whole = Said(np.asarray([[0.0, 0.0, 0.0], [0.0, 5.0, 0.0]], dtype=np.float32), 0.0)

    assert LABELS[int(found.logits("cancel it", whole, []).argmax())] is Label.OUT_OF_SCOPE


def test_every_message_is_judged_by_a_verdict_that_saw_nothing_of_its_company() -> None:
    data = table(MESSAGES, LABELS, 2)

    assert (left_out(data).argmax(axis=1) == data.truth).all()


@pytest.mark.parametrize(("recall", "lean"), [(0.5, 0.0), (0.75, 0.55), (1.0, 2.05)])
def test_the_lean_is_the_least_that_reaches_the_recall(recall: float, lean: float) -> None:
    logits = np.asarray([[0.0, 1.0], [0.0, 0.5], [0.5, 0.0], [2.0, 0.0], [3.0, 0.0]])
    truth = np.asarray([1, 1, 1, 1, 0])

    assert needed(logits, truth, 1, recall) == pytest.approx(lean)


def test_a_recall_out_of_reach_is_leant_to_no_further_than_is_sensible() -> None:
    assert needed(np.asarray([[99.0, 0.0]]), np.asarray([1]), 1, 1.0) == MOST
