"""Answers that people marked as wrong: a JSON-lines file per knowledge base that the answering model is warned with."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from handrail.errors import KnowledgeError
from handrail.stores.tokens import tokenize

NAME = "wrong.jsonl"
LONGEST = 2000
"""Characters of one field."""
ALIKE = 0.5
"""Jaccard overlap of terms from which two questions ask the same."""
MOST = 3


@dataclass(frozen=True, slots=True)
class KnownWrong:
    """A question, the answer that was wrong, and what is wrong with it."""

    question: str
    answer: str
    why: str = ""


class WrongAnswers:
    """The file of one knowledge base; an edit takes effect with the next question."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME
        self._read: tuple[int, list[KnownWrong]] = (-1, [])

    def all(self) -> list[KnownWrong]:
        """In the order they were added; lines that are none are passed over."""
        try:
            changed = self._path.stat().st_mtime_ns
        except FileNotFoundError:
            return []
        if self._read[0] != changed:
            lines = self._path.read_text(encoding="utf-8", errors="replace").splitlines()
            self._read = (changed, [entry for line in lines if (entry := _entry(line))])
        return self._read[1]

    def add(self, entry: KnownWrong) -> None:
        """Raises KnowledgeError when a text is empty or too long to be one."""
        for name, text in asdict(entry).items():
            if (name != "why" and not text.strip()) or len(text) > LONGEST:
                raise KnowledgeError(f"a wrong answer's {name} needs 1 to {LONGEST} characters")
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(entry), ensure_ascii=False) + "\n")

    def like(self, question: str) -> Sequence[KnownWrong]:
        """Those to questions like this one, the most alike first, at most three."""
        terms = set(tokenize(question))
        scored = [(_overlap(terms, set(tokenize(entry.question))), -n, entry) for n, entry in enumerate(self.all())]
        return [
            entry
            for share, _, entry in sorted(scored, key=lambda item: item[:2], reverse=True)[:MOST]
            if share >= ALIKE
        ]


def _overlap(one: set[str], other: set[str]) -> float:
    return len(one & other) / len(one | other) if one and other else 0.0


def _entry(line: str) -> KnownWrong | None:
    try:
        row = json.loads(line)
        return KnownWrong(str(row["question"]), str(row["answer"]), str(row.get("why", "")))
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
