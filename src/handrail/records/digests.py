"""How a question is known without its words."""

from __future__ import annotations

import hashlib


def digest(question: str) -> str:
    """SHA-256 of the words, however they are spaced and capitalised."""
    return hashlib.sha256(" ".join(question.casefold().split()).encode()).hexdigest()
