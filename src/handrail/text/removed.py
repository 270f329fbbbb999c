"""What is taken out of a text: found in a plain form of it, and left out of the text as it was written."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from handrail.text.folded import folded

Span = tuple[int, int, str]
"""Where it begins and ends, and the note in its place."""
Stage = Callable[[str], Iterable[Span]]
"""Finds what goes, from left to right and one behind the other."""


def without(text: str, stages: Iterable[Stage]) -> str:
    """Each stage is given what the ones before it left, in the form that patterns know; the rest stays as it is."""
    plain = folded(text)
    for stage in stages:
        spans = list(stage(plain))
        plain, text = replaced(plain, spans), replaced(text, spans)
    return text


def replaced(text: str, spans: Iterable[Span]) -> str:
    kept: list[str] = []
    done = 0
    for start, end, note in spans:
        kept += (text[done:start], note)
        done = end
    return "".join((*kept, text[done:]))
