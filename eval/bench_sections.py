"""`python -m eval.bench_sections FILE [--kb KB …]`: are the sections that an answer quotes to the point?

FILE has lines of `{"kb", "id", "question", "sections": [{"article", "headings", "label"}]}`: sections that were once
quoted for a question, and whether each `answers` it, `helps` beside the answer or is `beside` the point. Each question
goes through the whole pipeline with its gates, in a knowledge base of that name. Prints how many answers quote a
section that answers, how many sections they quote, and how many of these are beside the point; and the same of all that
FILE labels. A section that has no label is counted as such.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np

from eval.bench_quotes import of_base
from eval.metrics.bootstrap import mean_interval
from handrail.assembly import Assistant
from handrail.settings import Settings, load_settings
from handrail.types import Question, Turn

BEST_FIRST = ("answers", "helps", "beside")
UNKNOWN = "unlabelled"

Section = tuple[str, tuple[str, ...]]


def labels_of(row: Mapping[str, Any]) -> dict[Section, str]:
    """The best label of each section: one may have been quoted in two parts."""
    worst_first = sorted(row["sections"], key=lambda found: -BEST_FIRST.index(found["label"]))
    return {(found["article"], tuple(found["headings"])): found["label"] for found in worst_first}


def quoted(turn: Turn) -> list[Section]:
    """Different sections that the answer cites, in its order."""
    return list(dict.fromkeys(citation.passage.section for citation in turn.outcome.citations))


async def ask(settings: Settings, rows: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """For each question that is answered, the labels of the sections quoted."""
    assistant = Assistant(settings)
    await assistant.start()
    try:
        found = []
        for row in rows:
            turn = await assistant.ask(Question(row["question"], uuid4().hex, uuid4().hex))
            known = labels_of(row)
            if turn.outcome.answers:
                found.append([known.get(section, UNKNOWN) for section in quoted(turn)])
        return found
    finally:
        await assistant.stop()


def show(name: str, answers: Iterable[Sequence[str]]) -> None:
    rows = list(answers)
    right = np.asarray([float("answers" in labels) for labels in rows])
    counts = Counter(label for labels in rows for label in labels)
    low, high = mean_interval(right) or (float("nan"), float("nan"))
    several = sum(len(labels) > 1 for labels in rows)
    sys.stdout.write(
        f"{name}: n={len(rows)}, a section that answers in {right.mean():.3f} ({low:.3f} to {high:.3f}); "
        f"{sum(counts.values()) / len(rows):.2f} sections each, {several} answers of several; "
        f"{', '.join(f'{counts[label]} {label}' for label in (*BEST_FIRST, UNKNOWN))}\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--kb", nargs="+")
    options = parser.parse_args()
    settings = load_settings()
    rows = [json.loads(line) for line in options.file.read_text(encoding="utf-8").splitlines()]
    chosen = [row for row in rows if not options.kb or row["kb"] in options.kb]
    together: list[list[str]] = []
    for kb in dict.fromkeys(row["kb"] for row in chosen):
        of_kb = asyncio.run(ask(of_base(settings, kb), [row for row in chosen if row["kb"] == kb]))
        show(kb, of_kb)
        together += of_kb
    show("together", together)
    show("labelled", (list(labels_of(row).values()) for row in chosen))


if __name__ == "__main__":
    main()
