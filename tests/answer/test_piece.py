"""A section as it is shown: all of it, the sentence that answers, and where a long one is folded."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.answer.piece import LONG, SHOWN, piece_of, share_of, shown, words
from handrail.types import Candidate, Piece
from tests.stages import passage, section_of


def piece(text: str, query: str = "", *, title: str = "Water the beds", headings: tuple[str, ...] = ()) -> Piece:
    held = passage("garden:water/3", text, title=title, headings=headings)
    return piece_of(Candidate(section_of(held, text=text), 0.9), share_of(query, {}, "english"))


def answering(text: str, query: str, **places: tuple[str, ...]) -> str | None:
    found = piece(text, query, **places)  # type: ignore[arg-type]
    return None if found.answering is None else found.markdown[slice(*found.answering)]


STEPS = "\n".join(f"{n}. Open page {n}, and choose what you need there." for n in range(1, 60))
LINES = "\n".join(f"Line {n} of ten words that say nothing of interest here." for n in range(1, 60))


def test_a_piece_says_where_it_comes_from() -> None:
    found = piece("Water early.", headings=("By hand", "In summer"))

    assert (found.title, found.section) == ("Water the beds", "By hand › In summer")
    assert found.heading == "Water the beds › By hand › In summer"
    assert (found.passage_id, found.article_id) == ("garden:water/3", "garden:water")
    assert found.url == "https://help.example/garden:water"


def test_a_heading_that_repeats_the_title_is_said_once() -> None:
    assert piece("Water early.", headings=("Water the beds",)).heading == "Water the beds"


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("how long does the pump run", "The pump runs for 20 minutes."),
        ("how early", "Water early in the day."),
        ("does it cost anything", None),
    ],
)
def test_the_sentence_that_says_most_of_the_question_answers(query: str, sentence: str | None) -> None:
    text = "Water early in the day.\n\nWait for the lamp. The pump runs for 20 minutes. Close the tap."

    assert answering(text, query) == sentence


def test_what_the_headings_say_already_is_no_answer() -> None:
    assert answering("The beds are in the garden.", "water the beds") is None


@pytest.mark.parametrize(
    "line", ["- The pump runs for an hour.", "* The pump runs for an hour.", "> The pump runs for an hour."]
)
def test_the_mark_of_a_list_or_a_note_is_no_part_of_the_sentence(line: str) -> None:
    assert answering(f"Before that:\n\n{line}", "how long does the pump run") == "The pump runs for an hour."


@pytest.mark.parametrize(
    "text",
    [
        "1. Start the pump.\n2. Let the pump run.",
        "| Pump | Runs |\n| --- | --- |\n| old | an hour |",
        "```\npump run --hours 1\n```",
    ],
    ids=["steps", "table", "code"],
)
def test_steps_tables_and_code_answer_as_a_whole(text: str) -> None:
    assert answering(text, "how long does the pump run") is None


def test_pictures_and_numbers_that_look_like_citations_are_left_out() -> None:
    text = "![The garden gate in the morning light](gate.png)\nOpen the gate [3].\n\n![](a.png) Water early."

    assert piece(text).markdown == "Open the gate.\n\nWater early."


def test_steps_are_counted_and_one_alone_is_no_procedure() -> None:
    assert piece("1. Open it.\n2. Save it.\n   - nested\n\n3) Close it.").steps == 3
    assert piece("Before:\n\n1. Open it.").steps == 0
    assert piece("Water early.").steps == 0


@pytest.mark.parametrize("text", [STEPS, LINES], ids=["steps", "paragraphs"])
def test_a_long_section_is_folded_at_the_end_of_a_line_and_nothing_of_it_is_lost(text: str) -> None:
    found = piece(text)

    assert found.markdown == text
    assert found.collapsed_after is not None
    assert found.markdown[found.collapsed_after] == "\n"
    assert SHOWN <= words(shown(found)) < LONG


def test_a_section_that_is_not_long_is_shown_whole() -> None:
    text = " ".join(["word"] * LONG)

    assert piece(text).collapsed_after is None
    assert shown(piece(text)) == text


def test_little_more_than_what_is_shown_is_not_folded_away() -> None:
    first, rest = " ".join(["word"] * (SHOWN + 40)), " ".join(["more"] * (LONG - SHOWN))

    assert piece(f"{first}\n\n{rest}").collapsed_after is None


def test_the_sentence_that_answers_is_never_folded_away() -> None:
    text = LINES.replace("Line 40 of", "The pump of")

    found = piece(text, "which pump")

    assert found.answering is not None and found.collapsed_after is not None
    assert found.answering[1] <= found.collapsed_after


@pytest.mark.parametrize("fence", ["```", "~~~"])
def test_code_is_never_folded_in_its_middle(fence: str) -> None:
    code = "\n".join(f"value_{n} = call(number, order, {n})  # one two three" for n in range(60))
    text = f"Run this:\n\n{fence}python\n{code}\n{fence}\n\n{LINES}"

    at = piece(text).collapsed_after

    assert at is not None
    assert len(re.findall(rf"(?m)^{fence}", text[:at])) % 2 == 0


BODIES = st.lists(
    st.sampled_from(
        [
            "Water early in the day. ",
            "The pump runs. ",
            "\n\n",
            "\n1. Open it.",
            "\n- An item",
            "\n```\ncode\n```\n",
            "🌻 ",
        ]
    ),
    max_size=200,
).map("".join)


@given(BODIES, st.sampled_from(["how long does the pump run", "water", "🌻", ""]))
def test_offsets_are_inside_the_markdown_and_in_order(text: str, query: str) -> None:
    found = piece(text or "x", query)

    if found.answering is not None:
        start, end = found.answering
        assert 0 <= start < end <= len(found.markdown)
        assert "\n" not in found.markdown[start:end]
    if found.collapsed_after is not None:
        assert (found.answering or (0, 0))[1] <= found.collapsed_after < len(found.markdown)
