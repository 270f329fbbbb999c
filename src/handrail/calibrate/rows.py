"""Labelled questions from a file in the retrieval or the refusal format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from handrail.calibrate import Asked
from handrail.errors import KnowledgeError


def read_rows(path: Path, leave_out: str = "") -> list[Asked]:
    """Questions of `path`, without those whose `split` is `leave_out`. Raises KnowledgeError naming the bad line."""
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except OSError as error:
        raise KnowledgeError(f"{path} can't be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise KnowledgeError(f"{path} can't be read: it isn't UTF-8 text") from None
    found = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            if not leave_out or row.get("split") != leave_out:
                asked = _asked(row)
                found += [asked] if asked is not None else []
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            why = f"no field {error}" if isinstance(error, KeyError) else f"{error}"
            raise KnowledgeError(f"{path} line {number}: not a retrieval or refusal row: {why}") from None
    if not found:
        raise KnowledgeError(f"{path} contains no labelled questions")
    return found


def _asked(row: dict[str, Any]) -> Asked | None:
    """None for a refusal row that nobody labelled."""
    question = row["question"]
    if not isinstance(question, str) or not question.strip():
        raise ValueError("no question")
    author = str(row.get("author") or "")
    if "should_refuse" not in row:
        gold = tuple(row["article_ids"])
        return Asked(question, gold, answerable=bool(gold), author=author)
    if row["should_refuse"] is None:
        return None
    documents = [row.get("expected_doc"), *(row.get("alt_docs") or ())]
    gold = tuple(name for name in documents if name) if not row["should_refuse"] else ()
    return Asked(question, gold, answerable=not row["should_refuse"], author=author)
