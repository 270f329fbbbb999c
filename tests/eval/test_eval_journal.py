"""Rows on disk: written as they come, read back as they were, honest about damage."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

import pytest

from eval.datasets import Case
from eval.journal import Entry, Journal, JournalDamaged
from eval.runner import run_each
from handrail.types import Classification, Label


@dataclass(frozen=True, slots=True)
class Seen:
    classification: Classification
    ms: float


CASES = [Case(id=f"r{n}", line=n) for n in range(1, 6)]
SEEN = Seen(Classification(Label.NONSENSE, 0.75, "local", {Label.NONSENSE: 0.75, Label.IRRELEVANT: 0.25}), 1.5)


def nothing() -> None: ...


def test_results_come_back_with_their_types(tmp_path: Path) -> None:
    with Journal[Seen](tmp_path / "rows.jsonl", Seen) as journal:
        journal.keep(CASES[0], Entry(1, result=SEEN))
        journal.keep(CASES[1], Entry(2, not_applicable="too long"))

    read = Journal[Seen](tmp_path / "rows.jsonl", Seen)

    assert read.entries[1].result == SEEN
    assert read.entries[1].case == {"id": "r1", "line": 1}
    assert read.entries[2].not_applicable == "too long"


def test_a_row_is_on_disk_before_the_next_begins(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    lines = []

    async def work(case: Case) -> str:
        lines.append(path.read_bytes().count(b"\n"))
        return case.id

    with Journal[str](path, str) as journal:
        asyncio.run(run_each(CASES, work, nothing, journal))

    assert lines == [0, 1, 2, 3, 4]


def test_only_rows_that_are_missing_or_failed_are_measured_again(tmp_path: Path) -> None:
    asked: list[str] = []
    failing = True

    async def work(case: Case) -> str:
        asked.append(case.id)
        if failing and case.line == 2:
            raise ValueError("busy")
        return case.id.upper()

    with Journal[str](tmp_path / "rows.jsonl", str) as journal:
        asyncio.run(run_each(CASES[:3], work, nothing, journal))
    asked.clear()
    failing = False
    with Journal[str](tmp_path / "rows.jsonl", str) as journal:
        done = asyncio.run(run_each(CASES, work, nothing, journal))

    assert asked == ["r2", "r4", "r5"]
    assert [result for _, result in done.measured] == ["R1", "R2", "R3", "R4", "R5"]
    assert done.unmeasured == []


def test_a_row_cut_off_in_writing_is_measured_again(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    with Journal[str](path, str) as journal:
        journal.keep(CASES[0], Entry(1, result="one"))
    with path.open("a") as cut:
        cut.write('{"line": 2, "case": {"id": "r2", "li')

    with Journal[str](path, str) as journal:
        journal.keep(CASES[2], Entry(3, result="three"))

    assert sorted(Journal[str](path, str).entries) == [1, 3]


@pytest.mark.parametrize(
    "line",
    [
        b"\xff\xfe not text",
        b"[1, 2]",
        b'{"line": 1, "case": {}}',
        b'{"line": 1, "case": {}, "result": {"ms": "soon"}}',
        b'{"line": 1, "case": {}, "result": "a", "error": "b"}',
        b"[" * 100_000,
    ],
)
def test_a_damaged_row_is_named_by_file_and_line(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'{"line": 9, "case": {}, "result": "fine"}\n' + line + b"\n")

    with pytest.raises(JournalDamaged, match=r"rows\.jsonl line 2 is damaged"):
        Journal[str](path, str)
