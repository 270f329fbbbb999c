"""Evaluators: each runs the real parts over the cases of a file and scores what came out.

A module here has `RESULT`, the type of what is measured per row; `measure(job) -> Done`, which asks the models; and
`score(done) -> Evaluation`, which does not. `judge(job, done) -> Done`, where there is one, adds ratings by an LLM,
which are cached apart. Results are kept row by row, so a run can be resumed and scored again. One
whose rows belong together, such as `latency`, has `evaluate(job) -> Evaluation` instead, and can be neither.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from handrail.settings import Settings
from handrail.text.guard import clean, suspicious
from handrail.types import Question

T = TypeVar("T")

NO_GOLD = "the row does not say what is right"


def question(text: str, settings: Settings) -> Question:
    """The first message of a new conversation. Raises TextRefused as the API would."""
    cleaned = clean(text, settings.server.max_question_chars)
    return Question(cleaned, f"c-{uuid.uuid4()}", str(uuid.uuid4()), suspicious=suspicious(cleaned))


def by_category(rows: Sequence[tuple[str | None, T]], score: Callable[[Sequence[T]], dict[str, Any]]) -> dict[str, Any]:
    """The figures of each category that rows are of, in their order; nothing where none is."""
    names = dict.fromkeys(name for name, _ in rows if name is not None)
    found = {name: score([row for own, row in rows if own == name]) for name in names}
    return {"by_category": found} if found else {}
