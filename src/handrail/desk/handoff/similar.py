"""Resolved conversations that are about the same thing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from math import log, sqrt
from typing import Any

from handrail.records.desk_tables import ConversationRow

WORD = re.compile(r"\w{3,}")
MOST = 5
LEAST = 0.15
SAME_LABEL = 1.15


def nearest(row: ConversationRow, resolved: Sequence[ConversationRow]) -> list[dict[str, Any]]:
    """Up to five, best first: cosine of their words, rare ones weighing more; `score` is in [0, 1]."""
    others = [other for other in resolved if other.id != row.id]
    texts = [_words(other) for other in others]
    seen = Counter(word for text in texts for word in text)
    weights = {word: log(1 + len(texts) / n) for word, n in seen.items()}
    own = _words(row)
    scored = sorted(
        (
            (_score(own, text, weights, row, other), place)
            for place, (text, other) in enumerate(zip(texts, others, strict=True))
        ),
        reverse=True,
    )
    return [
        {
            "id": others[place].id,
            "reference": others[place].reference,
            "subject": others[place].subject,
            "resolve_cause": others[place].resolve_cause,
            "last_text": others[place].last_text,
            "updated_at": others[place].updated_at,
            "score": round(score, 3),
        }
        for score, place in scored[:MOST]
        if score >= LEAST
    ]


def _score(
    own: frozenset[str], text: frozenset[str], weights: dict[str, float], row: ConversationRow, other: ConversationRow
) -> float:
    common = sum(weights[word] ** 2 for word in own & text)
    lengths = sqrt(sum(weights.get(word, 1.0) ** 2 for word in own)) * sqrt(sum(weights[word] ** 2 for word in text))
    score = common / lengths if lengths else 0.0
    return min(1.0, score * (SAME_LABEL if row.label == other.label else 1.0))


def _words(row: ConversationRow) -> frozenset[str]:
    return frozenset(WORD.findall(f"{row.subject} {row.last_text if row.last_author == 'visitor' else ''}".lower()))
