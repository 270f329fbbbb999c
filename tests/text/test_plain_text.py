"""Answers as a person would type them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.text.plain_text import plain_text


@pytest.mark.parametrize(
    ("markdown", "typed"),
    [
        ("Open **Settings** and choose `Domains` [1].", "Open Settings and choose Domains [1]."),
        (
            "Mute **all**:\n\n```sh\nquill silence --all  # `x`\n```\n\n[1]\n\nIt ends [1].",
            "Mute all:\n\nquill silence --all  # `x` [1]\n\nIt ends [1].",
        ),
        (
            "**Fee:**\n\n| Plan | Fee |\n| --- | --- |\n| Free | none |\n| Solo | 3% |\n\n[1]\n\nThat is all [2].",
            "Fee:\n\n- Free: none\n- Solo: 3% [1]\n\nThat is all [2].",
        ),
        (
            "| | Undo | History |\n| --- | --- | --- |\n| Reaches back | 50 steps | 30 days |\n| Survives | No | |",
            "- Reaches back: Undo: 50 steps; History: 30 days\n- Survives: Undo: No",
        ),
        ("1. Go there [1].\n   - **A:** b [1]\n2. Save [1].", "1. Go there [1].\n   - A: b [1]\n2. Save [1]."),
        ("> **Note:** Keep it.", "Note: Keep it."),
        ("[1]", "[1]"),
        ("", ""),
    ],
)
def test_tables_and_emphasis_are_written_out(markdown: str, typed: str) -> None:
    assert plain_text(markdown) == typed


@given(st.text(alphabet="a1|-*`[]>#: \n", max_size=120))
def test_nothing_breaks_it(text: str) -> None:
    assert plain_text(plain_text(text)).count("\n\n\n") == 0
