"""Claims that are quotations: found word for word, whole sentences only, so that "only if …" cannot be cut off."""

from __future__ import annotations

from collections.abc import Sequence

from handrail.text.markdown import without_number
from handrail.text.words import Sentence, Token, sentences, tokens

Span = tuple[int, int]

MARKS = "*_ "
"""Around a heading that is quoted: without them "1." at its beginning is the number it is."""


def quoted(claim: str, passage: str, headings: Sequence[str] = ()) -> list[Span] | None:
    """Where every sentence of `claim` stands in `passage`; None unless all of them do.

    Case, punctuation and markup do not count. A line that is a heading of the passage, with or without its "Step 2:",
    needs no place in its text.
    """
    allowed = {_key(tokens(wording)) for heading in headings for wording in (heading, without_number(heading))}
    allowed.discard(())
    runs = _runs(passage)
    spans: list[Span] = []
    said = "\n".join(line for line in claim.splitlines() if _key(tokens(line.strip(MARKS))) not in allowed)
    for sentence in sentences(said):
        key = _key(sentence.tokens)
        if key in runs:
            spans.append(runs[key])
        elif key not in allowed:
            return None
    return spans or None


def _runs(passage: str) -> dict[tuple[str, ...], Span]:
    """Every sentence, first place first, and every run of sentences on one line that a writer may not have split."""
    found: dict[tuple[str, ...], Span] = {}
    whole = sentences(passage)
    for index, sentence in enumerate(whole):
        found.setdefault(_key(sentence.tokens), _span((sentence,), passage))
        for reach in (2, 3):
            run = whole[index : index + reach]
            if len(run) == reach:
                found.setdefault(_key([token for part in run for token in part.tokens]), _span(run, passage))
    return found


def _span(run: Sequence[Sentence], passage: str) -> Span:
    start, end = run[0].start, run[-1].end
    while start > 0 and passage[start - 1] in "*_`\"“‘'([":
        start -= 1
    return start, start + len(passage[start:end].rstrip())


def _key(words: Sequence[Token]) -> tuple[str, ...]:
    return tuple(word.lower for word in words)


def found_in(quote: str, passage: str) -> Span | None:
    """Where the words of `quote` stand in `passage`, in one run; case, punctuation and markup do not count."""
    wanted, there = _key(tokens(quote)), tokens(passage)
    words = _key(there)
    for start in range(len(words) - len(wanted) + 1 if wanted else 0):
        if words[start : start + len(wanted)] == wanted:
            return there[start].start, there[start + len(wanted) - 1].end
    return None
