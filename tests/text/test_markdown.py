"""Markdown as blocks of units that must never be cut."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.text.markdown import gist, parse, plain, sentences, slug

HOSTILE = {
    "quotes": ">" * 5000 + " x",
    "nested list": "\n".join("  " * depth + "- x" for depth in range(600)),
    "brackets": "[" * 100_000,
    "pairs of brackets": "[](" * 33_000,
    "images": "![a" * 33_000,
    "comments never closed": "<!--" * 25_000,
    "stray tags": "<" * 100_000,
    "open tags": "<a b" * 25_000,
    "ticks": "`" * 100_000,
    "emphasis": "**a __b " * 12_000,
    "one long line": "word " * 20_000,
    "links in a heading": "# " + "[a](" * 25_000,
    "huge table": "| a | b |\n|---|---|\n" + "| x | y |\n" * 8_000,
}


def units(text: str) -> list[str]:
    return [unit for block in parse(text) for unit in block.units]


def test_blocks_know_their_kind_and_the_headings_above_them() -> None:
    text = "Intro.\n\n# One\n\n1. First\n2. Second\n\n## Two\n\n- a\n\n# Three\n\n> Careful.\n\n```\ncode\n```\n"

    blocks = [(block.kind, block.headings) for block in parse(text)]

    assert blocks == [
        ("paragraph", ()),
        ("ordered", ("One",)),
        ("bullets", ("One", "Two")),
        ("note", ("Three",)),
        ("code", ("Three",)),
    ]


def test_a_list_item_keeps_everything_nested_in_it() -> None:
    text = "1. Tick the permissions.\n   - Publish\n     - Draft\n\n   A second paragraph.\n2. Save."

    assert units(text) == ["1. Tick the permissions.\n   - Publish\n     - Draft\n   A second paragraph.", "2. Save."]


def test_what_is_nested_in_a_step_stays_so_when_its_number_has_two_digits() -> None:
    (step,) = units("10. Ten\n    - Detail")

    assert units(step) == [step] == ["10. Ten\n    - Detail"]


def test_ordered_lists_keep_their_numbers() -> None:
    assert units("4. Four\n5. Five") == ["4. Four", "5. Five"]


def test_empty_list_items_are_left_out() -> None:
    assert units("- one\n-\n- three\n") == ["- one", "- three"]


def test_an_item_whose_text_starts_on_the_next_line_has_one_marker() -> None:
    assert units("-\n  late text\n  goes on") == ["- late text\n   goes on"]


def test_a_table_has_a_header_and_rows() -> None:
    (block,) = parse("| Plan | Price |\n| --- | --- |\n| Solo | 9<br>euros |\n| Studio | 19 |")

    assert block.header == "| Plan | Price |\n| --- | --- |"
    assert block.units == ("| Solo | 9 euros |", "| Studio | 19 |")


def test_a_table_without_rows_is_not_lost() -> None:
    assert units("| Plan | Price |\n| --- | --- |") == ["| Plan | Price |\n| --- | --- |"]


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("Replace `<shop-id>` with yours.", "Replace `<shop-id>` with yours."),
        ("Write to <help@acme.example>.", "Write to <help@acme.example>."),
        ("See <https://acme.example/a>.", "See <https://acme.example/a>."),
        ("If a < b and c > d, stop.", "If a < b and c > d, stop."),
        ("Press <kbd>Enter</kbd> twice.", "Press Enter twice."),
        ("One<br>or two.", "One or two."),
        ("Before <!-- hidden --> after.", "Before  after."),
        ("Never <!-- closed.", "Never <!-- closed."),
    ],
)
def test_tags_and_comments_go_and_everything_else_stays(markdown: str, text: str) -> None:
    assert "".join("".join(units(markdown)).split()) == "".join(text.split())


def test_code_in_a_quote_is_not_lost() -> None:
    assert "handrail serve" in " ".join(units("> Run this:\n>\n> ```\n> handrail serve\n> ```"))


@pytest.mark.parametrize("separator", ["\x0b", "\x0c", "\x1c", "\x85", "\u2028"])
def test_unusual_line_separators_do_not_shift_what_is_read(separator: str) -> None:
    text = f"First{separator}part.\n\n1. One\n2. Two\n\nLast."

    assert units(text)[1:] == ["1. One", "2. Two", "Last."]


def test_glued_sentences_are_separated_but_not_inside_code_and_links() -> None:
    text = "Payments are off.You can wait. Open `app.Settings` or [it](https://acme.example/a.Page) now."

    assert sentences(text) == [
        "Payments are off.",
        "You can wait.",
        "Open `app.Settings` or [it](https://acme.example/a.Page) now.",
    ]


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=300))
def test_sentences_lose_no_character(text: str) -> None:
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())


def test_plain_text_has_no_markup() -> None:
    assert plain("**Use** the `<head>` of [this page](a.md)") == "Use the <head> of this page"


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [("Create a role", "create-a-role"), ("What's new?", "whats-new"), ("Ünïcode  ok", "ünïcode-ok"), ("🎉", "")],
)
def test_anchors_are_as_common_sites_make_them(heading: str, anchor: str) -> None:
    assert slug(heading) == anchor


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_markdown_ends_soon(text: str) -> None:
    start = time.thread_time()

    parse(text)

    assert time.thread_time() - start < 30


def test_gist_is_one_line_without_marks() -> None:
    text = "**Before you start:**\n\n1. Open [Settings](https://a.example) [1].\n> - Choose `Domains` [2]\n\n## Then"

    assert gist(text) == "Before you start: Open Settings. Choose Domains Then"


@pytest.mark.parametrize("text", ["![A tag](https://t.example/t.png)", "![a](b.png)![Two. Three](c.png)"])
def test_an_image_is_never_cut_from_its_mark(text: str) -> None:
    """A mark that stands alone would be read, and a picture that nobody took out would be loaded."""
    assert sentences(text) == [text]
    assert sentences(f"Press it. {text}") == ["Press it.", text]


def test_a_heading_in_bold_belongs_to_the_sentence_behind_it() -> None:
    text = "**Pass a key on.** Many accept one. **Is it safe?** Yes. A pattern called **islands.** Use `f(**kw)`. "
    text += "It is *new.* Now. 5 * 3 is it? * no"

    assert sentences(text) == [
        "**Pass a key on.** Many accept one.",
        "**Is it safe?** Yes.",
        "A pattern called **islands.**",
        "Use `f(**kw)`.",
        "It is *new.*",
        "Now.",
        "5 * 3 is it?",
        "* no",
    ]
    assert sentences("**All of it is bold.**") == ["**All of it is bold.**"]


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("**UNO**\\\nChip: A\\\nCore: `B<br>c`", ("**UNO**", "Chip: A", "Core: `B<br>c`")),
        ("12 Mill Lane  \nBath, on\nthe river", ("12 Mill Lane", "Bath, on the river")),
        ("Mon: 9 to 5<br>Sat: closed<br/>", ("Mon: 9 to 5", "Sat: closed")),
    ],
)
def test_lines_that_an_article_breaks_stay_lines(text: str, units: tuple[str, ...]) -> None:
    (block,) = parse(text)

    assert block.units == units
    assert block.render() == "  \n".join(units)


@pytest.mark.parametrize("text", ["One line.  ", "Code: `a\\\nb`.", "One\nline."])
def test_what_breaks_no_line_is_a_paragraph(text: str) -> None:
    (block,) = parse(text)

    assert block.kind == "paragraph"


def test_a_list_item_keeps_the_lines_it_breaks() -> None:
    (block,) = parse("1. Open **Cart**.\\\n   It has your items.\n2. Run `a\\\n   b`.")

    assert block.units == ("1. Open **Cart**.  \n   It has your items.", "2. Run `a\\\n   b`.")
