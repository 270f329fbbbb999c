"""Evaluators: each runs the real parts over the cases of a file and scores what came out."""

from __future__ import annotations

import uuid

from handrail.guard import clean, suspicious
from handrail.settings import Settings
from handrail.types import Question

NO_GOLD = "the row does not say what is right"


def question(text: str, settings: Settings) -> Question:
    """The first message of a new conversation. Raises TextRefused as the API would."""
    cleaned = clean(text, settings.server.max_question_chars)
    return Question(cleaned, f"c-{uuid.uuid4()}", str(uuid.uuid4()), suspicious=suspicious(cleaned))
