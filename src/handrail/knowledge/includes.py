"""What a page may include: files of its own site, and no more of them than any page needs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from handrail.errors import KnowledgeError
from handrail.knowledge.files import plain_file

MOST_INCLUDES = 300
"""Of one page, those of its includes and those that lead nowhere among them."""
MOST_CHARS = 2_000_000


@dataclass(slots=True)
class Room:
    """What the includes of a page may still add to it, together."""

    files: int = MOST_INCLUDES
    chars: int = MOST_CHARS

    def read(self, root: Path, most_bytes: int, *places: Path) -> tuple[Path, str] | None:
        """The first of the files that there is, if it lies under `root`, and as long as there is room for it."""
        if self.files <= 0 or self.chars <= 0:
            return None
        self.files -= 1
        for place in places:
            try:
                if place.resolve().is_relative_to(root.resolve()) and place.is_file():
                    text = plain_file(place, most_bytes).decode("utf-8-sig", errors="replace")
                    self.chars -= len(text)
                    return place, text
            except (OSError, KnowledgeError, ValueError):
                continue
        return None
