"""Fits the reader: pairs of question and passage with whether the one answers the other, and a linear map of states.

Pairs come from knowledge bases (a gold article's best passage answers its question; the best other passages do not;
none answers a question that should be refused) and from `eval/training/answerable`: `*.txt` are passages with questions
that they answer (`+`) and questions that they only seem to (`-`); `*.jsonl` are crossed, two passages about the same
thing and questions that mostly one of them answers, so that neither question nor passage gives the label away. Each
other question is also paired with an empty passage, which answers nothing, so that its style says little.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from handrail.calibrate import Observed
from handrail.calibrate.fit import Data, fit
from handrail.calibrate.observe import names
from handrail.local_models.reader import QueryStates, Reading

TRAINING = Path(__file__).parent / "training" / "answerable"
OWN, CROSSED = "written passages", "crossed"
EMPTY = "Help"
OTHER, SECOND, EMPTY_WEIGHT = 0.5, 0.5, 0.3
"""Importance of a passage beside the gold one, of each passage of a refused question, and of an empty one."""
FOREIGN, FOREIGN_WEIGHT = 80, 0.7
"""Questions of a base that meet a passage of another, and their importance."""
CROSSED_WEIGHT = 0.5
"""Of a crossed file beside other sources, as far as their sizes go: it is larger, and bases are what is judged."""
PENALTY = 1000.0
BLOCK = 400

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
    return {f"{CROSSED} {file.stem}": _crossed(file) for file in sorted(folder.glob("*.jsonl"))}


def _crossed(file: Path) -> list[Labelled]:
    topics = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    return [
        Labelled((asked["q"], f"{topic['title']}\n{topic[side]}"), answers=asked[side] is not None, importance=1.0)
        for topic in topics
        for asked in topic["questions"]
        for side in ("a", "b")
    ]


def of_base(rows: Sequence[Observed]) -> list[Labelled]:
    """Pairs of the questions that people wrote about one knowledge base."""
    found: list[Labelled] = []
    for row in rows:
        asked, gold = row.asked, row.asked.article_ids
        if asked.origin != "written" or (asked.answerable and not gold):
            continue
        if not asked.answerable:
            found += [Labelled((asked.question, text), answers=False, importance=SECOND) for _, text in row.read[:2]]
            continue
        mine = [text for article, text in row.read if names(gold, article)]
        others = [text for article, text in row.read if not names(gold, article)]
        found += [Labelled((asked.question, text), answers=True, importance=1.0) for text in mine[:1]]
        found += [Labelled((asked.question, text), answers=False, importance=OTHER) for text in others[:2]]
    return found


def elsewhere(bases: Mapping[str, Sequence[Observed]], most: int = FOREIGN) -> dict[str, list[Labelled]]:
    """Questions of each base beside a passage of another one, which answers nothing of theirs."""
    rng = random.Random(1)  # noqa: S311
    found: dict[str, list[Labelled]] = {name: [] for name in bases}
    for name, rows in bases.items():
        others = [other for other in bases if other != name and any(row.read for row in bases[other])]
        for row in rng.sample(list(rows), min(most, len(rows))) if others else ():
            text = rng.choice([other.read for other in bases[rng.choice(others)] if other.read])[0][1]
            found[name].append(Labelled((row.asked.question, text), answers=False, importance=FOREIGN_WEIGHT))
    return found


def with_empty(pairs: Sequence[Labelled]) -> list[Labelled]:
    questions = dict.fromkeys(labelled.pair[0] for labelled in pairs)
    return [*pairs, *(Labelled((text, EMPTY), answers=False, importance=EMPTY_WEIGHT) for text in questions)]


class KeptStates:
    """States by pair, kept on disk."""

    def __init__(self, states: QueryStates, name: str, folder: Path) -> None:
        self._states = states
        self._name = name
        self._folder = folder
        self._held: dict[str, NDArray[np.float32]] = {}
        for file in sorted(folder.glob("*.npz")):
            kept = np.load(file)
            self._held |= dict(zip(kept["keys"].tolist(), kept["states"], strict=True))

    def of(self, pairs: Sequence[Pair]) -> NDArray[np.float32]:
        missing = [pair for pair in dict.fromkeys(pairs) if self._key(pair) not in self._held]
        for start in range(0, len(missing), BLOCK):
            block = missing[start : start + BLOCK]
            keys, states = [self._key(pair) for pair in block], self._states.of(block).astype(np.float16)
            self._folder.mkdir(parents=True, exist_ok=True)
            np.savez(self._folder / f"{keys[0]}.npz", keys=np.asarray(keys), states=states)
            self._held |= dict(zip(keys, states, strict=True))
        return np.asarray([self._held[self._key(pair)] for pair in pairs], dtype=np.float32)

    def _key(self, pair: Pair) -> str:
        return hashlib.sha256(json.dumps([self._name, *pair]).encode()).hexdigest()[:24]


@dataclass(frozen=True, slots=True)
class Map:
    weights: NDArray[np.float64]
    intercept: float

    def scores(self, states: NDArray[np.float32]) -> NDArray[np.float64]:
        found: NDArray[np.float64] = states @ self.weights + self.intercept
        return found

    def reading(self, model: str, layers: Sequence[int], on: str, n: int) -> Reading:
        return Reading(
            model=model,
            layers=list(layers),
            weights=[round(float(weight), 6) for weight in self.weights],
            intercept=round(self.intercept, 5),
            fitted_on=on,
            n=n,
        )


class Readers:
    """Readers fitted to some of the sources; one that was asked for before is not fitted again."""

    def __init__(self, sources: Mapping[str, Sequence[Labelled]], states: KeptStates, whole: KeptStates) -> None:
        """`whole` reads to the end of passages that no window was cut of: those of crossed files."""
        self._parts = {
            name: _data(name, pairs, whole) if name.startswith(CROSSED) else _data(name, with_empty(pairs), states)
            for name, pairs in sources.items()
        }
        self._states = states
        self._whole = whole
        self._fitted: dict[frozenset[str], Map] = {}

    @property
    def n(self) -> int:
        return sum(len(part.truth) for part in self._parts.values())

    def of(self, left_out: frozenset[str] = frozenset()) -> Map:
        if left_out not in self._fitted:
            parts = [part for name, part in self._parts.items() if name not in left_out]
            importance = np.concatenate([part.importance for part in parts])
            fitted = fit(
                Data(
                    np.concatenate([part.matrix for part in parts]),
                    np.concatenate([part.truth for part in parts]),
                    importance * len(importance) / importance.sum(),
                    [group for part in parts for group in part.groups],
                ),
                PENALTY,
            )
            weights = fitted.weights / fitted.scales
            self._fitted[left_out] = Map(weights, float(fitted.intercept - weights @ fitted.means))
        return self._fitted[left_out]

    def apart(self, name: str, pairs: Sequence[Labelled]) -> tuple[list[float], list[float]]:
        """What a reader that never saw this crossed file makes of its pairs, and of their questions alone."""
        found = self.of(frozenset({name}))
        read, alone = (
            found.scores(self._whole.of(of)).tolist()
            for of in ([one.pair for one in pairs], [(one.pair[0], EMPTY) for one in pairs])
        )
        return read, alone

    def signals(self, row: Observed, left_out: frozenset[str]) -> dict[str, float]:
        """What the gates would read of this row with a reader that never saw the bases left out."""
        if not row.read:
            return {"reader_top": 0.0, "reader_first": 0.0}
        found = self.of(left_out).scores(self._states.of([(row.asked.question, text) for _, text in row.read]))
        return {"reader_top": float(found.max()), "reader_first": float(found[0])}

    def alone(self, row: Observed, left_out: frozenset[str]) -> float:
        """What the question says without any passage: what it finds there is the style of the files, not an answer."""
        return float(self.of(left_out).scores(self._states.of([(row.asked.question, EMPTY)]))[0])


def _data(name: str, pairs: Sequence[Labelled], states: KeptStates) -> Data:
    """Both kinds weigh the same, and a source by the square root of its pairs."""
    truth = np.asarray([float(labelled.answers) for labelled in pairs])
    importance = np.asarray([labelled.importance for labelled in pairs])
    for kind in (0.0, 1.0):
        importance[truth == kind] *= 0.5 * len(pairs) ** 0.5 / max(importance[truth == kind].sum(), 1e-9)
    if name.startswith(CROSSED):
        importance *= CROSSED_WEIGHT
    matrix = states.of([labelled.pair for labelled in pairs]).astype(np.float64)
    return Data(matrix, truth, importance, [name] * len(pairs))
