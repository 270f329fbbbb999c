"""Pairs of question and passage that the reader learns from."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from handrail.calibrate import Asked
from training.encoders.answerable import TRAINING, crossed, elsewhere, of_base, written
from training.encoders.observed import Question


def observed(question: str, gold: str | None, *read: tuple[str, str]) -> Question:
    return Question("base", Asked(question, (gold,) if gold else (), answerable=gold is not None), read)


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


def test_labelled_sections_say_themselves_whether_they_answer() -> None:
    labels = {"Lids\nTurn it left.": "answers", "Lids\nFour sizes.": "beside", "Caps\nSee lids.": "helps"}
    row = replace(observed("its stuck", "lids"), labels=labels)

    pairs = of_base([row])

    assert {pair.pair: pair.answers for pair in pairs} == {
        ("its stuck", "Lids\nTurn it left."): True,
        ("its stuck", "Lids\nFour sizes."): False,
    }


def test_pairs_of_a_base_are_its_gold_passages_and_those_beside_them() -> None:
    rows = [
        observed("colour", "paint", ("wall", "white"), ("paint", "colour"), ("paint", "again"), ("paint", "once more")),
        observed("price", None, ("a", "one"), ("b", "two"), ("c", "three"), ("d", "four")),
    ]
    pairs = of_base(rows)

    assert [(labelled.pair, labelled.answers) for labelled in pairs] == [
        (("colour", "colour"), True),
        (("colour", "again"), True),
        (("colour", "white"), False),
        (("price", "one"), False),
        (("price", "two"), False),
        (("price", "three"), False),
        (("price", "four"), False),
    ]
    assert pairs[0].importance > pairs[1].importance
    assert pairs[3].importance == pairs[5].importance > pairs[6].importance == pairs[2].importance


def test_both_kinds_of_a_base_weigh_the_same() -> None:
    pairs = of_base([observed(f"q{n}", "a" if n < 2 else None, ("a", "x"), ("b", "y")) for n in range(9)])

    weights = [sum(pair.importance for pair in pairs if pair.answers == kind) for kind in (True, False)]
    assert weights == pytest.approx([len(pairs) / 2] * 2)


def test_a_question_meets_passages_of_other_bases_only() -> None:
    bases = {kb: [observed(f"{kb}{n}", "a", ("a", f"of {kb}")) for n in range(5)] for kb in "xyz"}

    for kb, pairs in elsewhere(bases, most=3).items():
        assert len(pairs) == 3
        assert all(pair.pair[0].startswith(kb) and pair.pair[1] != f"of {kb}" for pair in pairs)
        assert not any(pair.answers for pair in pairs)


def test_one_base_alone_meets_no_other() -> None:
    assert elsewhere({"x": [observed("q", "a", ("a", "text"))]}) == {"x": []}
