"""Text that Markdown must show as it is."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from handrail.text.markdown import literal


@pytest.mark.parametrize(
    "text",
    [
        "Choosing <Image /> vs <img>",
        "Set `site` in [astro.config.mjs](x) & *go*",
        "a_b_c **bold** \\ ~~gone~~ | cell",
        "AT&amp;T &copy; Q&A",
        "[1] [x]: https://a.example <https://b.example>",
    ],
)
def test_it_is_shown_as_it_is(text: str) -> None:
    (inline,) = (
        token
        for token in MarkdownIt("gfm-like", {"linkify": False}).parse(f"**{literal(text)}**")
        if token.type == "inline"
    )

    assert "".join(token.content for token in inline.children or []) == text


def test_it_stays_in_one_line() -> None:
    assert literal("a\n\n# b") == "a # b"
