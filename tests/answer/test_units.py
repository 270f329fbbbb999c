"""What may be quoted: whole things only."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.answer.units import LONGEST_CODE, Unit, row_as_text, units
from handrail.types import Hit
from tests.generate.articles import DOMAIN, PLANS, evidence
from tests.stages import passage


def of(text: str, headings: tuple[str, ...] = ()) -> list[Unit]:
    return units([Hit(passage("a:a/0", text, headings=headings))])


def test_a_paragraph_is_its_sentences() -> None:
    found = of("Open Settings, e.g. on a phone. It costs EUR 2.50 a month.")

    assert [(unit.kind, unit.lines) for unit in found] == [
        ("sentence", ("Open Settings, e.g. on a phone.",)),
        ("sentence", ("It costs EUR 2.50 a month.",)),
    ]


def test_a_procedure_is_one_unit_with_its_numbers_and_what_is_nested() -> None:
    [unit] = of("To connect:\n\n3. Open **Settings**.\n4. Enter the domain:\n   - without `www`\n5. Save.")

    assert unit.kind == "steps"
    assert unit.lead == "To connect:"
    assert unit.lines == ("3. Open **Settings**.", "4. Enter the domain:\n   - without `www`", "5. Save.")


def test_a_lead_in_is_not_quoted_by_itself() -> None:
    assert [unit.kind for unit in of("You need:\n\n- a domain\n- a plan")] == ["bullets"]


def test_short_bullets_stay_together_and_long_ones_stand_alone() -> None:
    assert len(of("- one\n- two\n- three")) == 1
    assert len(of("\n".join(f"- {'word ' * 50}{n}." for n in range(3)))) == 3


def test_a_table_gives_its_rows_and_itself() -> None:
    found = of("| Plan | Price |\n| --- | --- |\n| Solo | 14 |\n| Studio | 32 |")

    assert [unit.kind for unit in found] == ["table", "row", "row"]
    assert found[1].lines == ("| Solo | 14 |",)
    assert found[1].header == "| Plan | Price |\n| --- | --- |"


def test_a_row_reads_as_names_and_values() -> None:
    assert row_as_text("| Plan | **Price** | |\n|---|---|---|", "| Solo | `14` | yes |") == "Plan: Solo; Price: 14; yes"


def test_code_alone_is_not_quoted() -> None:
    assert of("```\ndig example.com\n```") == []


def test_code_belongs_to_what_introduces_it_or_to_its_heading() -> None:
    text = "Look it up:\n\n```sh\ndig example.com\n```"

    (led,), (headed,) = of(text), of("```sh\ndig example.com\n```", headings=("DNS",))

    assert (led.kind, led.lead, led.lines) == ("code", "Look it up:", ("```sh\ndig example.com\n```",))
    assert (headed.kind, headed.lead, headed.headings) == ("code", "", ("DNS",))
    assert led.for_scoring().endswith("\nLook it up: dig example.com")


def test_a_long_block_of_code_is_for_the_article() -> None:
    block = "```\n{}\n```".format("\n".join(["line"] * (LONGEST_CODE + 1)))

    assert of(f"Write:\n\n{block}") == []


def test_a_note_is_marked_as_one() -> None:
    assert [unit.kind for unit in of("> **Note:** Both are fine.")] == ["note"]


def test_a_long_procedure_is_one_unit() -> None:
    [unit] = of("\n".join(f"{n}. Step." for n in range(1, 30)))

    assert [line.split(".")[0] for line in unit.lines] == [str(n) for n in range(1, 30)]


def test_a_unit_is_scored_under_its_heading_without_markup() -> None:
    [unit] = of("Open **Settings** and read [more](x.md).", headings=("Steps", "First"))

    assert unit.for_scoring() == "Connect a domain: First\nOpen Settings and read more."


def test_the_start_of_a_long_list_says_what_it_is() -> None:
    [unit] = of("\n".join(f"{n}. {'word ' * 20}" for n in range(1, 9)))

    assert len(unit.for_scoring().split()) < 60


def test_ranks_and_order_follow_the_evidence() -> None:
    found = units(evidence("q", DOMAIN, PLANS).hits)

    places = [(unit.rank, unit.order) for unit in found]
    assert places == sorted(places)
    assert len(set(places)) == len(places)


LINES = st.lists(
    st.sampled_from(
        [
            "Go on.",
            "It is so.",
            "1. One.",
            "2. Two.",
            "   - deep",
            "- dot",
            "| a | b |",
            "| - | - |",
            "> note",
            "## H",
            "",
            "```",
        ]
    ),
    max_size=14,
).map("\n".join)


@given(LINES)
def test_whatever_the_markdown_each_line_of_a_unit_is_in_its_passage(text: str) -> None:
    for unit in of(text):
        assert all(re.sub(r"\W|\d", "", line) in re.sub(r"\W|\d", "", text) for line in unit.lines)
        assert unit.for_scoring().strip()


@pytest.mark.parametrize("text", ["", "   ", "![](x.png)", "<!-- hidden -->", "|", "```"])
def test_nothing_to_say_is_no_unit_or_a_scorable_one(text: str) -> None:
    assert all(unit.for_scoring() for unit in of(text))


def test_what_goes_on_from_a_warning_warns_as_well() -> None:
    body = "> **Note:** The preparation is no notice. That one has a default. Notice counts in hours."

    made = {unit.lines[0]: unit.warns for unit in of(body)}

    assert list(made.values()) == [True, True, False]


@pytest.mark.parametrize(
    ("label", "warns"), [("Important", True), ("If you smell gas", False), ("Bei Gasgeruch", False)]
)
def test_what_holds_under_a_condition_is_said_and_no_warning_beside_it(label: str, warns: bool) -> None:
    made = of(f"> **{label}:** Open the windows and leave. Call the emergency line from outside.")

    assert [unit.warns for unit in made] == [warns, False]


def test_bars_and_bullets_are_no_words() -> None:
    body = "| Plan | Price |\n| --- | --- |\n| Solo | EUR 14 |\n| Free | none |\n\n- one thing\n- two"
    found = {unit.kind: unit.words for unit in of(body)}

    assert found == {"table": 7, "row": 2, "bullets": 3}
