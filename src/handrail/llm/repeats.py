"""Whether a text that is being written has begun to repeat itself, as a model does that is caught in a loop."""

from __future__ import annotations

TIMES = 3
LEAST = 240
"""Characters that the same words have to fill, so that rules of a table or an indent are no loop."""
LONGEST = 400
"""Characters of the longest words that are told to be the same."""
MARK = 60
"""Characters at the end that are looked for further up."""


class Repeats:
    """Reads a text piece by piece; what a piece costs does not depend on how much was read before."""

    def __init__(self) -> None:
        self._end = ""

    def found(self, piece: str) -> bool:
        """Whether the text now ends with the same words `TIMES` times in a row, and over `LEAST` characters."""
        self._end = (self._end + piece)[-(TIMES * LONGEST) :]
        before = self._end.rfind(self._end[-MARK:], 0, len(self._end) - 1)
        if len(self._end) < LEAST or before < 0:
            return False
        apart = len(self._end) - len(self._end[-MARK:]) - before
        filled = max(LEAST, TIMES * apart)
        return len(self._end) >= filled and self._end[-filled:-apart] == self._end[apart - filled :]
