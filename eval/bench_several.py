"""`python -m eval.bench_several --set KB FILE …`: are both questions of one message answered?

FILE has lines of `{"question", "keys", "article_ids"}` as for `eval.bench_quotes`. Two plain questions of one sentence
each are joined to one message ("A? And b?"), at most 14 messages a file, drawn with a fixed seed. Each message goes
through the whole pipeline with its gates, once read as one question and once with `generate.split_questions`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from uuid import uuid4

import numpy as np

from eval.bench_quotes import flat
from eval.metrics.paired import paired
from handrail.assembly import Assistant
from handrail.converse.several import ASKING, questions_of
from handrail.settings import Settings, load_settings
from handrail.types import Question

SEED = 7
AT_MOST = 14
LONGEST = 20
"""Words of a plain question."""


@dataclass(frozen=True, slots=True)
class Asked:
    question: str
    keys: tuple[str, ...]
    articles: frozenset[str]


@dataclass(frozen=True, slots=True)
class Answered:
    """One message and its answer; shares are of its two questions."""

    keys: float
    """Share of the questions with a key in the answer."""
    both_keys: float
    both_cited: float
    answered: float
    words: float


def plain_questions(lines: Sequence[str]) -> list[Asked]:
    """Questions of one sentence that begin like one, each of which is read as one question."""
    asked = (json.loads(line) for line in lines)
    rows = [Asked(row["question"], tuple(row["keys"]), frozenset(row["article_ids"])) for row in asked]
    return [row for row in rows if row.keys and _plain(row.question)]


def messages(rows: Sequence[Asked]) -> list[tuple[str, tuple[Asked, Asked]]]:
    """Pairs of questions, no question twice."""
    drawn = random.Random(SEED).sample(list(rows), len(rows))  # noqa: S311
    pairs = list(zip(drawn[::2], drawn[1::2], strict=False))[:AT_MOST]
    return [
        (f"{first.question.rstrip('?')}? And {_lower(second.question)}", (first, second)) for first, second in pairs
    ]


def _plain(question: str) -> bool:
    text = question.strip()
    sentences = text.rstrip("?.! ")
    one = not any(mark in sentences for mark in "?!;\n") and ". " not in sentences
    return one and bool(ASKING.match(text)) and len(text.split()) <= LONGEST and not questions_of(text)


def _lower(question: str) -> str:
    return question[:1].lower() + question[1:]


async def answers(settings: Settings, asked: Sequence[tuple[str, tuple[Asked, Asked]]]) -> list[Answered]:
    assistant = Assistant(settings)
    await assistant.start()
    try:
        return [await _answer(assistant, text, pair) for text, pair in asked]
    finally:
        await assistant.stop()


async def _answer(assistant: Assistant, text: str, pair: tuple[Asked, Asked]) -> Answered:
    turn = await assistant.ask(Question(text, str(uuid4()), str(uuid4())))
    given = flat(turn.outcome.answer)
    cited = {_name(citation.passage.article_id) for citation in turn.outcome.citations}
    found = [any(flat(key) in given for key in asked.keys) for asked in pair]
    right = [bool(cited & {_name(article) for article in asked.articles}) for asked in pair]
    return Answered(float(np.mean(found)), float(all(found)), float(all(right)), float(bool(cited)), len(given.split()))


def _name(article_id: str) -> str:
    """An article's own name, without its knowledge base and folder."""
    return article_id.replace(":", "/").split("/")[-1]


def show(name: str, before: Sequence[Answered], after: Sequence[Answered]) -> None:
    sys.stdout.write(f"{name}: n={len(before)}\n")
    one, two = (np.asarray([astuple(row) for row in rows], dtype=np.float64) for rows in (before, after))
    for place, field in enumerate(fields(Answered)):
        change = paired(one[:, place], two[:, place])
        low, high = change.interval or (float("nan"), float("nan"))
        sys.stdout.write(
            f"  {field.name}: {change.a:.3f} to {change.b:.3f}, {change.difference:+.3f} ({low:+.3f} to {high:+.3f})\n"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", nargs=2, action="append", required=True, metavar=("KB", "FILE"), dest="sets")
    settings = load_settings()
    options = parser.parse_args()
    runs: tuple[list[Answered], list[Answered]] = ([], [])
    for kb, file in options.sets:
        asked = messages(plain_questions(Path(file).read_text(encoding="utf-8").splitlines()))
        for split, rows in zip((False, True), runs, strict=True):
            rows += asyncio.run(answers(_chosen(settings, kb, split=split), asked))
    show("together", *runs)


def _chosen(settings: Settings, kb: str, *, split: bool) -> Settings:
    knowledge = settings.knowledge.model_copy(update={"kb": kb})
    generate = settings.generate.model_copy(update={"split_questions": split})
    return settings.model_copy(update={"knowledge": knowledge, "generate": generate})


if __name__ == "__main__":
    main()
