"""Pairs that the reader is fitted to, and readers that never saw a base."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from eval.answerable import (
    CROSSED,
    EMPTY,
    TRAINING,
    KeptStates,
    Labelled,
    Pair,
    Readers,
    crossed,
    of_base,
    with_empty,
    written,
)
from handrail.calibrate import Asked, Observed


class Counting:
    """States in which a word of the question that the passage holds is visible."""

    def __init__(self) -> None:
        self.asked: list[Pair] = []

    def of(self, pairs: Sequence[Pair]) -> NDArray[np.float32]:
        self.asked += pairs
        return np.asarray(
            [[float(set(q.split()) <= set(p.split())), float(len(q))] for q, p in pairs], dtype=np.float32
        )


def observed(question: str, gold: str | None, *read: tuple[str, str], origin: str = "written") -> Observed:
    asked = Asked(question, (gold,) if gold else (), answerable=gold is not None, origin=origin)
    return Observed(asked, {}, found=False, cited=False, static=0.0, overall={}, read=read)


@pytest.fixture
def states(tmp_path: Path) -> KeptStates:
    return KeptStates(Counting(), "model node", tmp_path)  # type: ignore[arg-type]


def test_the_written_passages_hold_both_kinds() -> None:
    pairs = written()
    own = [labelled for labelled in pairs if labelled.importance == 1.0]

    assert len(pairs) > 1000
    assert sum(labelled.answers for labelled in own) > 250
    assert sum(not labelled.answers for labelled in own) > 450
    assert all("\n" in text and len(text) > 60 for _, text in (labelled.pair for labelled in pairs))


def test_crossed_questions_stand_as_often_beside_either_passage() -> None:
    for pairs in crossed().values():
        answered = [labelled for labelled in pairs if labelled.answers]
        questions = {labelled.pair[0] for labelled in answered}

        assert len(pairs) > 2000
        assert 0.4 < len(answered) / len(pairs) < 0.5
        assert len(questions) > 0.9 * len(answered)


@pytest.mark.parametrize("file", sorted(TRAINING.glob("*.jsonl")), ids=lambda file: file.stem)
def test_what_answers_a_crossed_question_stands_in_its_passage(file: Path) -> None:
    for topic in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
        alone = [(asked["a"] is None, asked["b"] is None) for asked in topic["questions"]]
        for asked in topic["questions"]:
            assert all(asked[side] in topic[side] for side in "ab" if asked[side] is not None), asked

        assert alone.count((False, True)) == alone.count((True, False)), topic["id"]


def test_pairs_of_a_base_are_its_gold_passage_and_those_beside_it() -> None:
    rows = [
        observed("colour", "paint", ("wall", "white"), ("paint", "colour"), ("paint", "colour again")),
        observed("price", None, ("a", "one"), ("b", "two"), ("c", "three")),
        observed("gone", None, ("a", "one"), origin="removed"),
    ]

    assert [(labelled.pair, labelled.answers) for labelled in of_base(rows)] == [
        (("colour", "colour"), True),
        (("colour", "white"), False),
        (("price", "one"), False),
        (("price", "two"), False),
    ]


def test_every_question_has_an_empty_passage_too() -> None:
    pairs = with_empty([Labelled(("why", "because"), answers=True, importance=1.0)])

    assert pairs[-1].pair == ("why", EMPTY) and not pairs[-1].answers


def test_states_are_computed_once(tmp_path: Path) -> None:
    first, second = Counting(), Counting()
    pairs = [("a", "a b"), ("c", "a b")]
    found = KeptStates(first, "model node", tmp_path).of([*pairs, pairs[0]])  # type: ignore[arg-type]
    again = KeptStates(second, "model node", tmp_path).of(pairs)  # type: ignore[arg-type]
    KeptStates(second, "other node", tmp_path).of(pairs[:1])  # type: ignore[arg-type]

    assert first.asked == pairs
    assert second.asked == pairs[:1]
    assert found[:2].tolist() == again.tolist() == [[1.0, 1.0], [0.0, 1.0]]


def test_a_reader_is_fitted_without_what_is_left_out(states: KeptStates) -> None:
    right = [Labelled((f"w{n}", f"w{n} is here"), answers=True, importance=1.0) for n in range(40)]
    right += [Labelled((f"w{n}", "nothing"), answers=False, importance=1.0) for n in range(40)]
    wrong = [Labelled(labelled.pair, not labelled.answers, labelled.importance) for labelled in right]
    readers = Readers({"good": right * 3, "bad": wrong}, states, states)
    row = observed("w1", "a", ("a", "w1 is here"), ("b", "nothing"))

    trusted = readers.signals(row, frozenset({"bad"}))
    misled = readers.signals(row, frozenset({"good"}))

    assert trusted["reader_first"] == trusted["reader_top"] > 0
    assert misled["reader_first"] < misled["reader_top"]
    assert readers.signals(observed("w1", "a"), frozenset())["reader_top"] == 0.0


def test_what_the_question_says_alone_is_told_apart_from_what_its_passage_adds(states: KeptStates) -> None:
    right = [Labelled((f"w{n}", f"w{n} is here"), answers=True, importance=1.0) for n in range(40)]
    right += [Labelled((f"w{n}", "nothing"), answers=False, importance=1.0) for n in range(40)]
    readers = Readers({"good": right}, states, states)
    row = observed("w1", "a", ("a", "w1 is here"))

    assert readers.alone(row, frozenset()) < 0 < readers.signals(row, frozenset())["reader_first"]


def test_a_crossed_file_is_read_by_a_reader_of_the_others(states: KeptStates, tmp_path: Path) -> None:
    whole = KeptStates(Counting(), "whole node", tmp_path / "whole")  # type: ignore[arg-type]
    right = [Labelled((f"w{n}", f"w{n} is here"), answers=True, importance=1.0) for n in range(40)]
    right += [Labelled((f"w{n}", "nothing"), answers=False, importance=1.0) for n in range(40)]
    readers = Readers({"good": right, f"{CROSSED} docs": right[30:50]}, states, whole)

    read, alone = readers.apart(f"{CROSSED} docs", right[30:50])

    assert min(read[:10]) > max(read[10:])
    assert len(set(alone)) < len(set(read)) + 2
    assert max(alone) < min(read[:10])
    assert (tmp_path / "whole").is_dir()
