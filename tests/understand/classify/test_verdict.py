"""What is said of a message and of its sentences, added up."""

from __future__ import annotations

import numpy as np
import pytest

from handrail.understand.classify.verdict import Said, Verdict, signals, weighed

LABELS = 2


def said(first: float, second: float, aside: float = 0.0) -> Said:
    """The same by two judges."""
    return Said(np.asarray([[first, second], [first, second]], dtype=np.float32), aside)


def test_a_message_of_one_sentence_is_what_is_said_of_the_whole_and_its_length() -> None:
    found = signals("how do I pay", said(1.0, -1.0), [])

    assert found.tolist() == pytest.approx([1, -1, 1, -1, 0, 0, 0, 0, np.log(5), 0, 0])


def test_sentences_count_by_how_they_differ_from_the_whole() -> None:
    found = signals("It rains. I pay", said(1.0, 0.0), [said(4.0, 0.0), said(2.0, 0.0)])

    assert found[4:8].tolist() == pytest.approx([2, 0, 2, 0])
    assert found[9:].tolist() == pytest.approx([1, np.log(2)])


def test_a_sentence_that_asks_for_nothing_is_left_out_of_account() -> None:
    assert weighed([said(9.0, 0.0, aside=0.9), said(1.0, 5.0)])[0].tolist() == pytest.approx([1, 5], abs=1e-3)


@pytest.mark.parametrize("aside", [1.0, 0.999])
def test_where_no_sentence_asks_for_anything_all_of_them_count(aside: float) -> None:
    found = weighed([said(2.0, 0.0, aside), said(4.0, 0.0, aside)])

    assert np.isfinite(found).all()
    assert found[0].tolist() == pytest.approx([3, 0])


def test_signals_are_standardised_before_they_are_weighed() -> None:
    weights = np.zeros((11, LABELS), dtype=np.float32)
    weights[0] = [1.0, -1.0]
    verdict = Verdict(np.full(11, 2.0), np.full(11, 4.0), weights, np.asarray([0.5, 0.0]))

    assert verdict.logits("pay", said(6.0, 0.0), []).tolist() == pytest.approx([1.5, -1.0])
