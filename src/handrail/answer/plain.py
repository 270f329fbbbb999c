"""What free text of a model may not hold: links anywhere, promises where nothing is cited."""

from __future__ import annotations

import re

from handrail.answer.promises import promising
from handrail.text.language import of_message

IMAGE = re.compile(r"!\[([^\]\n]*)\]\([^)\n]*\)")
LINK = re.compile(r"\[([^\]\n]+)\]\([^)\n]*\)")
REFERENCE_LINK = re.compile(r"\[([^\]\n]+)\]\[[^\]\n]*\]")
DEFINITION = re.compile(r"^\s{0,3}\[[^\]\n]+\]:\s*\S.*$", re.MULTILINE)
AUTOLINK = re.compile(r"<(?:https?|ftp|mailto|javascript|data):[^>\n]*>", re.IGNORECASE)
HTML = re.compile(r"</?[a-z][^>\n]*>", re.IGNORECASE)
ADDRESS = re.compile(r"(?:https?://|www\.)\S+|\S+@\S+\.\w+", re.IGNORECASE)
PLACE = re.compile(rf"{ADDRESS.pattern}|(?<![\w.@/-])(?:[a-z0-9-]{{1,63}}\.)+[a-z]{{2,}}/\S*", re.IGNORECASE)
"""An address, also without its scheme."""
AROUND = ".,;:!?()[]<>*_`'\"“”„«»/"
OPEN_END = re.compile(r"!?\[[^\]]*\]?$|!?\[[^\]]*\]\([^)]*$|<[^>]*$|\w+:/{0,2}$")
"""A link, an image, a tag or an address that has begun and not ended."""

LONGEST_FREE_TEXT = 400


def without_links(text: str) -> str:
    """The words of `text`: link labels stay, targets, images and HTML go. Links come only from citations."""
    text = DEFINITION.sub("", text)
    text = IMAGE.sub("", text)
    text = LINK.sub(r"\1", text)
    text = REFERENCE_LINK.sub(r"\1", text)
    return AUTOLINK.sub("", text)


def places(text: str) -> list[str]:
    """Addresses of pages and mailboxes in `text`, without the punctuation around them."""
    return [bare for found in PLACE.findall(text) if (bare := found.strip(AROUND))]


def words_alone(text: str) -> str:
    """The words of a text that may end anywhere: no link, image, tag or address, not even half of one."""
    bare = ADDRESS.sub("", HTML.sub("", OPEN_END.sub("", without_links(text))))
    return "\n".join(" ".join(line.split()) for line in bare.splitlines()).strip()


def without_promises(text: str, lang: str = "en") -> str | None:
    """`text` on one line, or None when it must not be sent uncited; always None in languages no sieve can read.

    It may not speak of amounts, promise or report an action, pretend feelings, hold an address, run long, or be in
    another language than it should: whatever is stopped is replaced by fixed words.
    """
    line = " ".join(without_links(text).split())
    spoken = lang.partition("-")[0].lower()
    if not line or len(line) > LONGEST_FREE_TEXT or of_message(line, spoken) != spoken:
        return None
    if promising(line, spoken) or ADDRESS.search(line) or HTML.search(line):
        return None
    return line
