"""Pairs of question and passage with whether the one answers the other, for `training.encoders.questions`.

They come from knowledge bases and from `eval/training/answerable`. Of a base's questions, those with labelled sections
are paired with these; of the others a gold article's best passages answer, the rest that was found does not, and none
answers a question that should be refused. Of the folder's files, `*.txt` are passages with questions that they answer
(`+`) and questions that they only seem to (`-`); `*.jsonl` are crossed, two passages about the same thing and questions
that mostly one of them answers, so that neither question nor passage gives the label away.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from training import ROWS
from training.encoders.observed import Question, is_named

TRAINING = ROWS / "answerable"
OTHER = 0.5
"""Importance of a passage beside the gold one, of a refused question's fourth and fifth, and of one from elsewhere."""
SECOND_GOLD = 0.3
MOST_OTHERS = 3
FOREIGN = 60
"""Questions of a base that meet a passage of another."""
MADE = 0.5
"""Importance of what was written for this beside questions of knowledge bases, which are what is judged."""

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Labelled:
    pair: Pair
    answers: bool
    importance: float


def written(folder: Path = TRAINING) -> list[Labelled]:
    """Pairs of the passages that were written for this; none of them answers the questions of its neighbours."""
    found: list[Labelled] = []
    articles = [article for file in sorted(folder.glob("*.txt")) for article in _articles(file)]
    for place, (text, answered, beside) in enumerate(articles):
        found += [Labelled((question, text), answers=True, importance=1.0) for question in answered]
        found += [Labelled((question, text), answers=False, importance=1.0) for question in beside]
        for other in (articles[place - 1][0], articles[(place + 1) % len(articles)][0]):
            found += [Labelled((question, other), answers=False, importance=OTHER) for question in answered[::2]]
    return found


def _articles(file: Path) -> list[tuple[str, list[str], list[str]]]:
    found: list[tuple[str, list[str], list[str]]] = []
    for line in file.read_text(encoding="utf-8").splitlines():
        kind, text = line[:2], line[2:]
        if kind == "# ":
            found.append((text.replace(" > ", ": ") + "\n", [], []))
        elif kind == "+ ":
            found[-1][1].append(text)
        elif kind == "- ":
            found[-1][2].append(text)
        elif line.strip():
            head, answered, beside = found[-1]
            found[-1] = (f"{head}{' ' if head[-1] != chr(10) else ''}{line.strip()}", answered, beside)
    return found


def crossed(folder: Path = TRAINING) -> dict[str, list[Labelled]]:
    """Pairs of each crossed file: every question beside both passages of its topic."""
    return {file.stem: _crossed(file) for file in sorted(folder.glob("*.jsonl"))}


def _crossed(file: Path) -> list[Labelled]:
    topics = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    return [
        Labelled((asked["q"], f"{topic['title']}\n{topic[side]}"), answers=asked[side] is not None, importance=1.0)
        for topic in topics
        for asked in topic["questions"]
        for side in ("a", "b")
    ]


def of_base(rows: Sequence[Question]) -> list[Labelled]:
    """Pairs of the questions that people wrote about one knowledge base; both kinds weigh the same together."""
    found: list[Labelled] = []
    for row in rows:
        asked, gold = row.asked, row.asked.article_ids
        if row.labels:
            found += [
                Labelled((asked.question, text), answers=label == "answers", importance=1.0)
                for text, label in row.labels.items()
                if label != "helps"
            ]
            continue
        if asked.answerable and not gold:
            continue
        if not asked.answerable:
            found += [_beside(asked.question, text, place) for place, (_, text) in enumerate(row.read)]
            continue
        mine = [text for article, text in row.read if is_named(gold, article)]
        others = [text for article, text in row.read if not is_named(gold, article)]
        found += [
            Labelled((asked.question, text), answers=True, importance=SECOND_GOLD if place else 1.0)
            for place, text in enumerate(mine[:2])
        ]
        found += [Labelled((asked.question, text), answers=False, importance=OTHER) for text in others[:MOST_OTHERS]]
    return _balanced(found)


def _beside(question: str, text: str, place: int) -> Labelled:
    return Labelled((question, text), answers=False, importance=1.0 if place < MOST_OTHERS else OTHER)


def _balanced(pairs: Sequence[Labelled]) -> list[Labelled]:
    total = {kind: sum(pair.importance for pair in pairs if pair.answers == kind) for kind in (True, False)}
    share = {kind: 0.5 * len(pairs) / max(weight, 1e-9) for kind, weight in total.items()}
    return [replace(pair, importance=pair.importance * share[pair.answers]) for pair in pairs]


def elsewhere(bases: Mapping[str, Sequence[Question]], most: int = FOREIGN) -> dict[str, list[Labelled]]:
    """Questions of each base beside a passage of another one, which answers nothing of theirs."""
    rng = random.Random(1)  # noqa: S311
    found: dict[str, list[Labelled]] = {name: [] for name in bases}
    for name, rows in bases.items():
        others = [other for other in bases if other != name and any(row.read for row in bases[other])]
        for row in rng.sample(list(rows), min(most, len(rows))) if others else ():
            text = rng.choice([other.read for other in bases[rng.choice(others)] if other.read])[0][1]
            found[name].append(Labelled((row.asked.question, text), answers=False, importance=OTHER))
    return found
