"""Long texts a stretch at a time, for what takes the square of what it is given."""

from __future__ import annotations

from collections.abc import Iterator


def end_of(text: str, start: int, most: int) -> int:
    """Where a stretch of at most `most` characters ends: behind its last space, if there is one."""
    if len(text) - start <= most:
        return len(text)
    space = text.rfind(" ", start, start + most)
    return space + 1 if space > start else start + most


def windows(text: str, most: int) -> Iterator[str]:
    """Put together, they are the text."""
    start = 0
    while start < len(text):
        end = end_of(text, start, most)
        yield text[start:end]
        start = end
