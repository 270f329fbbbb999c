"""What free text of a model may not hold: links anywhere, promises where nothing is cited."""

from __future__ import annotations

import re

IMAGE = re.compile(r"!\[([^\]\n]*)\]\([^)\n]*\)")
LINK = re.compile(r"\[([^\]\n]+)\]\([^)\n]*\)")
REFERENCE_LINK = re.compile(r"\[([^\]\n]+)\]\[[^\]\n]*\]")
DEFINITION = re.compile(r"^\s{0,3}\[[^\]\n]+\]:\s*\S.*$", re.MULTILINE)
AUTOLINK = re.compile(r"<(?:https?|ftp|mailto|javascript|data):[^>\n]*>", re.IGNORECASE)
HTML = re.compile(r"</?[a-z][^>\n]*>", re.IGNORECASE)
ADDRESS = re.compile(r"(?:https?://|www\.)\S+|\S+@\S+\.\w+", re.IGNORECASE)

LONGEST_FREE_TEXT = 400
PROMISE = re.compile(
    r"""
    [€$£¥%] | \b(?:eur|usd|gbp)\b | \d
    | \b(?:refund(?:ed|ing)|reimburse\w*|compensat\w*|credit(?:ed|ing)|waive\w*|for\ free)\b
    | \b(?:guarantee\w*|promise\w*|discount\w*)\b
    | (?:\b(?:will|shall|can|going\ to|gladly)|['’]ll)\s+(?:\w+\s+){0,3}
      (?:refund|credit|cancel|delete|restore|reverse|pay)\b
    | \b(?:has|have|had|been|is|are|was|'ve|’ve)\s+(?:been\s+)?(?:cancell?ed|deleted|restored|reversed|processed)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
PRETENCE = re.compile(
    r"\b(?:frustrat\w+|sorry|apologi[sz]e\w*|apologies|sincere\w*|(?:i|we)\s+(?:truly\s+|fully\s+|completely\s+)?understand"
    r"|how\s+you\s+feel|(?:i|we)(?:'re|’re|\s+are|\s+am)?\s+(?:value|sad|upset|disappointed|concerned))\b",
    re.IGNORECASE,
)


def without_links(text: str) -> str:
    """The words of `text`: link labels stay, targets, images and HTML go. Links come only from citations."""
    text = DEFINITION.sub("", text)
    text = IMAGE.sub("", text)
    text = LINK.sub(r"\1", text)
    text = REFERENCE_LINK.sub(r"\1", text)
    return AUTOLINK.sub("", text)


def without_promises(text: str, lang: str = "en") -> str | None:
    """`text` on one line, or None when it must not be sent uncited; always None in languages the sieve cannot read.

    It may not speak of amounts, promise or report an action, pretend feelings, hold an address or run long. A strict
    sieve on purpose: whatever it stops is replaced by fixed words, so being wrong costs only style.
    """
    line = " ".join(without_links(text).split())
    if not line or len(line) > LONGEST_FREE_TEXT or lang.partition("-")[0].lower() != "en":
        return None
    if any(pattern.search(line) for pattern in (PROMISE, PRETENCE, ADDRESS, HTML)):
        return None
    return line
