"""Cases as the files that evaluations read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from eval.datasets import load
from eval.datasets.refusal import REFUSAL
from eval.datasets.retrieval import RETRIEVAL
from handrail.desk.learning.cases import Case, lines, proposal


def case(id_: str, **values: object) -> Case:
    given: dict[str, object] = {
        "id": id_,
        "format": "refusal",
        "status": "confirmed",
        "question": f"Question {id_}?",
        "should_refuse": True,
        "article_ids": (),
    }
    return Case(**{**given, **values})  # type: ignore[arg-type]


def test_exported_files_are_read_by_the_evaluations_as_they_are(tmp_path: Path) -> None:
    cases = [
        case("a"),
        case("b", should_refuse=False, article_ids=("domains:connect", "domains:buy"), lang="de"),
        case("c", format="retrieval", should_refuse=None, article_ids=("domains:connect",)),
        case("d", status="dropped"),
    ]
    refusal, retrieval = tmp_path / "refusal.jsonl", tmp_path / "retrieval.jsonl"
    refusal.write_text(lines(cases, "refusal"), encoding="utf-8")
    retrieval.write_text(lines(cases, "retrieval"), encoding="utf-8")

    refusals, retrievals = load(REFUSAL, refusal), load(RETRIEVAL, retrieval)

    assert not refusals.bad
    assert not retrievals.bad
    assert [(row.should_refuse, row.documents) for row in refusals.cases] == [
        (True, ()),
        (False, ("domains:connect", "domains:buy")),
    ]
    assert [tuple(row.article_ids) for row in retrievals.cases] == [("domains:connect",)]


def test_a_question_is_exported_once_by_its_best_judgement() -> None:
    cases = [
        case("old", question="Same?", should_refuse=True, status="proposed", updated_at=9.0),
        case("new", question=" same? ", should_refuse=False, updated_at=1.0),
    ]

    rows = [json.loads(line) for line in lines(cases, "refusal").splitlines()]

    assert [(row["id"], row["should_refuse"], row["confirmed"]) for row in rows] == [("new", False, True)]


@pytest.mark.parametrize(
    ("routing", "reason", "cited", "expected"),
    [
        ("answered", "wrong", ["a"], ("refusal", True, ())),
        ("answered", "unrelated", ["a"], ("refusal", True, ())),
        ("answered", None, ["a"], ("refusal", True, ())),
        ("answered", "incomplete", ["a"], ("retrieval", None, ("a",))),
        ("answered", "unclear", [], ("refusal", True, ())),
        ("cannot_answer", "wrong", [], ("refusal", False, ())),
    ],
)
def test_what_a_thumb_down_proposes(
    routing: str, reason: str | None, cited: list[str], expected: tuple[str, bool | None, tuple[str, ...]]
) -> None:
    meant = proposal(routing, reason, cited)

    assert (meant.format, meant.should_refuse, meant.article_ids) == expected
