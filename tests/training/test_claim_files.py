"""Passages that claims are tested by are none they are fitted to, and the wording of test2 gives nothing away."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from eval.datasets import SAMPLE
from training.claims.pairs import Row, labelled

TRAINING = Path(__file__).parents[2] / "eval" / "training" / "claims"
TESTS = ("claims.test.jsonl", "claims.test2.jsonl", "claims.test3.jsonl")


def rows(name: str) -> list[Row]:
    return [json.loads(line) for line in (SAMPLE / name).read_text(encoding="utf-8").splitlines()]


def fitted_to() -> list[Row]:
    return labelled([SAMPLE / "claims.dev.jsonl"], [TRAINING])


@pytest.mark.parametrize("name", TESTS)
def test_no_passage_of_a_test_is_fitted_to(name: str) -> None:
    assert {row["passage"] for row in rows(name)}.isdisjoint(row["passage"] for row in fitted_to())


def test_every_pair_is_there_once() -> None:
    for found in (fitted_to(), *map(rows, TESTS)):
        pairs = [(row["claim"], row["passage"]) for row in found]
        assert len(pairs) == len(set(pairs))


def test_near_and_far_claims_are_both_true_and_false() -> None:
    tested = rows("claims.test2.jsonl")
    shared = {
        label: [row["kind"] for row in tested if row["label"] == label and row["kind"] in ("light", "told", "heavy")]
        for label in ("supported", "unsupported")
    }

    assert shared["supported"].count("light") >= 90 and shared["unsupported"].count("told") >= 70


@pytest.mark.parametrize("name", ["claims_neighbours.dev.jsonl", "claims_neighbours.test.jsonl"])
def test_half_of_the_claims_cite_the_passage_beside_the_right_one(name: str) -> None:
    found = rows(name)
    stated = [row for row in found if row["label"] == "supported"]

    assert len(found) == 2 * len(stated) == 120
    assert all(row["stated_beside"] < len(row["beside"]) for row in stated)
    assert not any("stated_beside" in row for row in found if row["label"] == "unsupported")
    assert not any(row["claim"] in text for row in found for text in [row["passage"], *_texts(row)])


def _texts(row: Row) -> list[str]:
    return [section["text"] for section in row["beside"]]
