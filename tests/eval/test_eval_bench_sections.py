"""Labelled sections, and those that answers quote."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from eval import bench_sections
from eval.bench_sections import BEST_FIRST, UNKNOWN, labels_of, show

FILE = Path(bench_sections.__file__).parent / "datasets" / "sections" / "sections.jsonl"


def section(article: str, label: str, *headings: str) -> dict[str, object]:
    return {"article": article, "headings": list(headings), "label": label}


def test_a_section_quoted_in_two_parts_has_its_better_label() -> None:
    row = {"sections": [section("a", "answers", "How"), section("a", "beside", "How"), section("b", "helps")]}

    assert labels_of(row) == {("a", ("How",)): "answers", ("b", ()): "helps"}


def test_what_is_printed_counts_answers_and_sections(capsys: pytest.CaptureFixture[str]) -> None:
    show("kb", [["answers", "beside"], ["beside", UNKNOWN], ["helps"], ["answers"]])

    said = capsys.readouterr().out
    assert "n=4, a section that answers in 0.500" in said
    assert "1.50 sections each, 2 answers of several" in said
    assert "2 answers, 1 helps, 2 beside, 1 unlabelled" in said


def test_the_file_has_nothing_but_known_labels() -> None:
    rows = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]

    assert len({(row["kb"], row["id"]) for row in rows}) == len(rows) > 700
    assert {found["label"] for row in rows for found in row["sections"]} == set(BEST_FIRST)
