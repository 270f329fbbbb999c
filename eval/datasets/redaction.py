"""Redaction: sentences with what has to be taken out of them, and ones out of which nothing may be."""

from __future__ import annotations

import re
from pathlib import Path

from eval.datasets import Case, Dataset

MARKED = re.compile(r"⟦(\w+)\|([^⟧]*)⟧")


class RedactionCase(Case):
    text: str
    """With marks around what is personal, such as `⟦card|4111 1111 1111 1111⟧`."""
    lang: str = "en"

    @property
    def plain(self) -> str:
        """As somebody would write it."""
        return MARKED.sub(lambda found: found[2], self.text)

    @property
    def personal(self) -> list[tuple[str, str]]:
        """Kind and words of each mark."""
        return MARKED.findall(self.text)


REDACTION = Dataset("redaction", RedactionCase, Path(__file__).parent / "redaction" / "sentences.jsonl", "text")
