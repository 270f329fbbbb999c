"""Tables as the cross-encoder reads them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.retrieve.section_reader import window
from handrail.retrieve.tables import tables_as_text
from tests.stages import passage, section_of

TABLE = "| Plan | Price |\n| --- | ---: |\n| Solo | EUR 14 |\n| Studio | EUR 32 |"


def test_each_row_says_what_its_values_are() -> None:
    assert tables_as_text(f"Prices exclude VAT.\n\n{TABLE}\n\nSee below.") == (
        "Prices exclude VAT.\n\nPlan: Solo; Price: EUR 14.\nPlan: Studio; Price: EUR 32.\n\nSee below."
    )


@pytest.mark.parametrize(
    ("table", "aloud"),
    [
        ("| | Free |\n|---|---|\n| Seats | 1 |", "Seats; Free: 1."),
        ("| A |\n| - |\n| 1 | 2 |", "A: 1; 2."),
        ("| A | B |\n| - | - |\n| 1 |", "A: 1."),
        ("| 1 | 2 |", "1; 2."),
        ("| A |\n| - |", ""),
    ],
    ids=["no first name", "more values", "fewer values", "no header", "no rows"],
)
def test_uneven_tables_are_read_too(table: str, aloud: str) -> None:
    assert tables_as_text(table) == aloud


def test_a_second_table_has_its_own_names() -> None:
    assert tables_as_text(f"{TABLE}\n\n| Seat |\n| --- |\n| one |").endswith("\n\nSeat: one.")


@given(st.text(alphabet="ab |-:\n", max_size=60))
def test_no_word_of_a_body_is_lost(text: str) -> None:
    lines = text.splitlines()
    ruled = any(set(line.strip()) <= set("|-: ") and "-" in line for line in lines)

    assert ruled or sorted("".join(c for c in tables_as_text(text) if c in "ab")) == sorted(
        c for c in text if c in "ab"
    )


def test_the_window_of_a_long_table_holds_the_row_that_was_asked_for() -> None:
    rows = "\n".join(f"| Plan {n} | EUR {n} |" for n in range(60))

    table = passage("a:a/0", f"| Name | Price |\n| --- | --- |\n{rows}\n| Gold | EUR 99 |")

    seen = window("price of plan gold", section_of(table), 40)

    assert "Name: Gold; Price: EUR 99." in seen
    assert "|" not in seen
