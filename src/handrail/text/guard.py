"""First look at a visitor's text: made clean, or refused with a reason. Linear in the length of the text."""

from __future__ import annotations

import re
import unicodedata

from handrail.errors import PermanentError
from handrail.text.unveiled import hides_words, readings

CONTROLS = [c for c in (*range(0x20), *range(0x7F, 0xA0)) if c not in (0x09, 0x0A, 0x0D)]
BIDI_OVERRIDES = [*range(0x202A, 0x202F), *range(0x2066, 0x206A)]
INVISIBLE = [0x00AD, 0x180E, 0x200B, 0x2060, 0x2061, 0x2062, 0x2063, 0x2064, 0xFEFF]
TAGS = list(range(0xE0000, 0xE0080))
"""Unicode tag characters: unseen by people, read by models."""

STRIPPED = dict.fromkeys([*CONTROLS, *BIDI_OVERRIDES, *INVISIBLE, *TAGS])
SURROGATE = re.compile("[\ud800-\udfff]")
SPACES = re.compile(r"[^\S\n]+")
EDGES = re.compile(r" ?\n ?")
BLANK_LINES = re.compile(r"\n{3,}")
MAX_MARKS = 30
"""Combining marks kept behind one letter, as in Unicode's stream-safe text format (UAX #15)."""

SIGNALS = [
    re.compile(pattern)
    for pattern in (
        r"\b(?:ignore|disregard|forget)\b.{0,40}\b(?:instructions?|rules|prompts?|guidelines|guardrails)\b",
        r"\b(?:override|bypass|break)\b.{0,20}\b(?:your|previous|prior|safety|content|system)\b.{0,20}"
        r"\b(?:instructions?|rules|prompts?|guidelines|guardrails|filters?|policy)\b",
        r"\b(?:reveal|print|repeat|show|output|leak|tell)\b.{0,40}\b(?:system|hidden|initial|secret|developer)\b.{0,20}"
        r"\b(?:prompt|instructions?|message|rules)\b",
        r"\b(?:system prompt|developer mode|jailbreak|do anything now)\b",
        r"\byou are (?:now|no longer) (?:an?|the|in|my|bound|called|dan)\b",
        r"\b(?:act|behave|respond) as (?:if you|an? (?:unrestricted|unfiltered|evil))\b",
        r"\bpretend (?:to be|you are|that you)\b|\bnew (?:instructions|rules|task) ?:",
        r"<\|[a-z_]{2,20}\|>|\[/?inst\]|<</?sys>>|</?(?:system|assistant|passage|context)>",
        r"^ ?(?:system|assistant|developer) ?:|^#{2,} ?(?:instruction|system)",
        r"!\[[^\]]{0,80}\]\(",
    )
]


class TextRefused(PermanentError):
    """A text that cannot be a question; the message says what to change.

    `reason` is `blank`, `too_long` or `not_text`.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


def clean(text: str, max_chars: int) -> str:
    """`text` as it is understood from here on: NFC, without control and bidi-override characters.

    Runs of spaces become one, runs of blank lines become one. Raises TextRefused when nothing visible is left, when
    more than `max_chars` characters are, or when it holds NUL or half a surrogate pair.
    """
    if "\x00" in text or SURROGATE.search(text):
        raise TextRefused("not_text", "The text contains NUL or invalid Unicode characters. Send plain UTF-8 text.")
    tidied = tidy(text)
    if not tidied:
        raise TextRefused("blank", "The text is empty. Write a question.")
    if len(tidied) > max_chars:
        raise TextRefused(
            "too_long", f"The text has {len(tidied)} characters. At most {max_chars} are allowed, so please shorten it."
        )
    return tidied


def tidy(text: str) -> str:
    """What `clean` makes of `text`, without refusing anything."""
    visible = SURROGATE.sub("", text).replace("\r\n", "\n").replace("\r", "\n").translate(STRIPPED)
    normal = unicodedata.normalize("NFC", _few_marks(visible))
    return BLANK_LINES.sub("\n\n", EDGES.sub("\n", SPACES.sub(" ", normal))).strip()


def suspicious(text: str) -> bool:
    """Whether a cleaned text shows signs of prompt injection, also encoded. Only ever a reason to be stricter."""
    return any(signal.search(line) for line in readings(text) for signal in SIGNALS) or hides_words(text)


def _few_marks(text: str) -> str:
    """Drop combining marks past MAX_MARKS in a row: sorting long runs of them would take quadratic time."""
    if text.isascii():
        return text
    kept: list[str] = []
    run = 0
    for character in text:
        run = run + 1 if unicodedata.combining(character) else 0
        if run <= MAX_MARKS:
            kept.append(character)
    return "".join(kept)
