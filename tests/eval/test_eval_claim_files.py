"""Passages that claims are tested by are none they are fitted to, and the wording of test2 gives nothing away."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from eval.claim_pairs import Row, labelled
from eval.datasets import SAMPLE

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
