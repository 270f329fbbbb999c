"""Pictures in Markdown: nobody reads them in an answer, but one in a sentence may stand for a word."""

from __future__ import annotations

import re

ADDRESS = (
    r"(?:\(<[^<>\n]{0,2000}>(?:[ \t]+\"[^\"\n]{0,500}\")?\)"
    r"|\([^()\n]{0,2000}(?:\([^()\n]{0,200}\)[^()\n]{0,500})?\)|\[[^\[\]\n]{0,200}\])"
)
FIGURE = re.compile(r"!\[((?:[^\[\]\\]|\\.|\[[^\[\]\n]{0,200}\]){0,1000})\]" + ADDRESS)
FIGURE_ALONE = re.compile(
    rf"^([ \t>]*)(?:\[?{FIGURE.pattern}(?:\]\([^)\n]{{0,2000}}\))?(?:\{{[^{{}}\n]*\}})?[ \t]*)+$", re.M
)
WORDS_IN_ALT = 5
"""Of a picture in the middle of a sentence, which stands for a word."""
MARKS = " \t*_[`\ue000"
"""What may stand between a picture and the words that it repeats."""
LOOK = 80
"""Characters around a picture that are looked at."""


def without_figures(text: str) -> str:
    """A picture that stands for itself is a figure; one in a sentence gives the few words it stands for."""
    text = FIGURE_ALONE.sub(lambda found: found[1].rstrip(), text) if "![" in text else text
    return FIGURE.sub(_alt, text) if "![" in text else text


def _alt(found: re.Match[str]) -> str:
    said = " ".join(found[1].split())
    before, behind = found.string[max(0, found.start() - 1) : found.start()], found.string[found.end() :][: LOOK + 1]
    words = behind.lstrip(MARKS).casefold()
    repeats = words.startswith(said.casefold()) and not words[len(said) : len(said) + 1].isalnum()
    if not said or len(said.split()) > WORDS_IN_ALT or repeats:
        return ""
    return f"{' ' * before.isalnum()}{said}{' ' * behind[:1].isalnum()}"
