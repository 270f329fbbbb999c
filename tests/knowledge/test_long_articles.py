"""Articles with a block longer than any passage: bounded passages, nothing lost, and work that grows with the text."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handrail.knowledge.chunker import MOST_CHARS, MOST_TOKENS
from handrail.knowledge.markup import plain_markdown
from handrail.text.markdown import gist, parse
from handrail.types import Kind, Passage
from tests.knowledge.articles import article, chunker, count
from tests.knowledge.growth import growth

WORD = st.sampled_from(["open", "x9", "日本語", "é", "a" * 40, "page"])
LINE = st.lists(WORD, min_size=1, max_size=14).map(" ".join)
HUGE = st.integers(400, 9000).map(lambda size: ("aZ09" * size)[:size])
LONG_LINE = st.one_of(LINE, HUGE, st.integers(300, 700).map(lambda size: " ".join(f"w{n}" for n in range(size))))
LINES = st.lists(LONG_LINE, min_size=1, max_size=12)


def code(lines: list[str]) -> str:
    return "```python\n" + "\n".join(lines) + "\n```"


def indented(lines: list[str]) -> str:
    return "Text:\n\n" + "\n".join(f"    {line}" for line in lines)


def unclosed(lines: list[str]) -> str:
    return "~~~\n" + "\n".join(lines)


def item(lines: list[str]) -> str:
    return "- first\n" + "\n".join(f"  {line}" for line in lines)


def item_with_code(lines: list[str]) -> str:
    return "1. first\n\n   ```sh\n" + "\n".join(f"   {line}" for line in lines) + "\n   ```\n2. second"


def nested(lines: list[str]) -> str:
    return "\n".join("  " * depth + f"- {line}" for depth, line in enumerate(lines[:18]))


def table(lines: list[str]) -> str:
    return "\n".join(("| A | B |", "| --- | --- |", *(f"| {line} | x |" for line in lines)))


def wide(lines: list[str]) -> str:
    words = " ".join(lines).split()
    return "\n".join((f"| {' | '.join(words)} |", "|" + " --- |" * len(words), f"| {' | '.join(words)} |"))


def quotation(lines: list[str]) -> str:
    return "\n".join(f"> {line}" for line in lines)


def paragraph(lines: list[str]) -> str:
    return " ".join(lines)


def heading(lines: list[str]) -> str:
    return f"## {' '.join(lines)} {'and so on ' * 20}\n\nText."


BLOCKS = [code, indented, unclosed, item, item_with_code, nested, table, wide, quotation, paragraph, heading]


def said(text: str) -> list[str]:
    """Every stretch of letters and digits of a text; where a long word is cut does not matter."""
    return re.findall(r"\w", re.sub(r"^[ \t]*(?:```|~~~)\w*$", "", text, flags=re.M))


def without_header(passage: Passage) -> str:
    """Parts that were put together again have it each."""
    return passage.text.replace("| A | B |\n| --- | --- |", "")


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.__name__)
@given(lines=LINES, split=st.integers(60, 480))
@settings(max_examples=20, deadline=None)
def test_no_passage_is_over_the_bound_and_nothing_is_lost(
    block: Callable[[list[str]], str], lines: list[str], split: int
) -> None:
    body = block(lines)

    passages = chunker(split_above_tokens=split, overlap_tokens=0).passages(article(body))

    for passage in passages:
        assert passage.tokens == count(passage.text) <= MOST_TOKENS
        assert len(passage.text) <= MOST_CHARS
        assert len(passage.title) + sum(map(len, passage.headings)) <= 7 * 200
    numbers = r"^(?:\d+[.)])\s" if block is item_with_code else r"(?!)"
    whole = [passage for passage in passages if passage.kind is not Kind.ROW]
    shown = said("\n".join(re.sub(numbers, "", without_header(passage), flags=re.M) for passage in whole))
    assert shown == said(re.sub(numbers, "", body.removeprefix("| A | B |\n| --- | --- |"), flags=re.M))


@given(lines=LINES)
@settings(max_examples=20, deadline=None)
def test_each_part_of_a_code_block_is_shown_as_code_and_lines_stay_whole(lines: list[str]) -> None:
    passages = chunker().passages(article(code(lines)))

    shown = []
    for passage in passages:
        for block in parse(passage.text):  # a short part joins the one before it
            first, *inner, last = block.units[0].split("\n")
            assert (block.kind, first, last) == ("code", "```python", "```")
            shown += inner
    assert "".join(shown).replace(" ", "") == "".join(lines).replace(" ", "")
    assert {line for line in lines if len(line) <= 200} <= set(shown)


def test_code_inside_a_step_stays_code() -> None:
    body = item_with_code([f"call {n} with value" for n in range(400)])

    passages = chunker().passages(article(body))

    assert len(passages) > 3
    for passage in passages[1:-1]:
        assert [block.kind for block in parse(passage.text)] == ["code"]


def test_a_title_and_an_address_of_any_length_do_not_multiply() -> None:
    title = "word " * 5000
    passages = chunker().passages(article("Text.\n\n" + paragraph(["open the page."] * 2000), title=title))

    assert max(len(passage.title) for passage in passages) <= 200
    assert said("".join(passage.text for passage in passages)).count("d") >= 5000


def lines_of(size: int) -> list[str]:
    return [f"    value_{n} = call({n}, 'order')  # refund {n}" for n in range(size // 45)]


SHAPES: dict[str, Callable[[int], str]] = {
    "code": lambda size: code(lines_of(size)),
    "one line": lambda size: "x" * size,
    "base64": lambda size: "QmFzZTY0" * (size // 8),
    "no full stop": lambda size: "open the page " * (size // 14),
    "short lines": lambda size: "- a\n" * (size // 4),
    "short paragraphs": lambda size: "a b.\n\n" * (size // 6),
    "table": lambda size: table(lines_of(size)),
    "wide table": lambda size: wide(["a"] * (size // 10)),
    "nothing a tokenizer counts": lambda size: "\u200b \u200c. " * (size // 5),
    "fences": lambda size: "```\n" * (size // 4),
    "brackets": lambda size: "[a](" * (size // 4),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_cutting_grows_with_the_article(shape: str) -> None:
    cut = chunker()
    assert growth(lambda size: lambda: cut.passages(article(SHAPES[shape](size))), 40_000) < 12, "16 is quadratic"


@pytest.mark.parametrize(
    ("work", "size"),
    [
        pytest.param(lambda size: lambda: gist("a" + " " * size + "b"), 10_000, id="spaces in a line"),
        pytest.param(lambda size: lambda: gist("\n" * size + "b"), 10_000, id="empty lines"),
        pytest.param(
            lambda size: (
                lambda: plain_markdown(
                    "\n".join("`" * n for n in range(int(size**0.5), 2, -1)) + "\nx" * size, mdx=True
                )
            ),
            20_000,
            id="fences that nothing ends",
        ),
        pytest.param(lambda size: lambda: plain_markdown(":::a" + " " * size + "{x"), 20_000, id="spaces in a note"),
        pytest.param(lambda size: lambda: plain_markdown("a" + " " * size + "b"), 20_000, id="spaces before a tag"),
        pytest.param(lambda size: lambda: plain_markdown(":::a\n" * size + ":::\n" * size), 2_000, id="nested notes"),
        pytest.param(lambda size: lambda: parse("# a" + " " * size + "b"), 20_000, id="spaces in a heading"),
    ],
)
def test_reading_grows_with_the_text(work: Callable[[int], Callable[[], object]], size: int) -> None:
    assert growth(work, size) < 7
