"""Fit when a fixed reply gives way to the articles (`handrail.second_look`):
`python -m eval.fit_second_look --set KB FILE [--set KB FILE …] [--messages KB FILE …]`.

Files of `--set` are in the retrieval or the refusal format, those of `--messages` in the routing format. Only what the
classifier turns away as out of scope or irrelevant counts: of each base the questions that its articles answer, those
that they do not, and messages that get a fixed reply rightly. What a base answers that a reader has learnt from is left
out, since the reader knows it too well. Figures are leave-one-knowledge-base-out.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from eval.observed import add_sets, sets_of
from handrail import second_look
from handrail.assembly import build_parts
from handrail.assembly.models import readers_of
from handrail.assembly.stages import calibration_for, local_classifier
from handrail.calibrate.fit import Array, Data, auc, fit, part
from handrail.calibrate.rows import read_rows
from handrail.gates.logistic import LogisticCalibrator
from handrail.settings import Settings, load_settings
from handrail.types import Classification, Label, Question

PENALTY = 1.0
QUESTIONS = (Label.ANSWERABLE, Label.HIGH_STAKES)
Asked = Sequence[tuple[str, bool]]
"""Messages, with whether the articles answer them."""


async def doubted(kb: str, asked: Asked, settings: Settings) -> list[tuple[float, Classification, bool]]:
    """Of what the classifier turns away: how likely the articles answer it, what it was called, whether they do."""
    knowledge = settings.knowledge.model_copy(update={"kb": kb})
    settings = settings.model_copy(update={"knowledge": knowledge})
    parts = await asyncio.to_thread(build_parts, settings)
    retriever = parts.retriever(settings)
    classifier = local_classifier(settings, retriever.sentences, parts.snapshot.knows)
    gate = calibration_for("relevance", settings, settings.gates.calibration, parts.store.generation)
    calibrator, found = LogisticCalibrator(gate), []
    try:
        for text, answers in asked:
            probe = await retriever.probe(text)
            said = await classifier.classify(Question(text, "", ""), probe)
            if said.label in second_look.DOUBTED and said.rule is None:
                found.append((calibrator.probability(await retriever.retrieve(text, {}, probe)), said, answers))
    finally:
        parts.close()
    answered = sum(answers for *_, answers in found)
    print(f"{kb}: {len(found)} of {len(asked)} turned away, {answered} of them answered", flush=True)
    return found


def messages(file: Path) -> Asked:
    """Those of a routing file that get a fixed reply rightly."""
    rows = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    return [(row["text"], False) for row in rows if Label(row["label"]) not in QUESTIONS]


def shown(name: str, passed: Array, truth: Array) -> str:
    saved, let = int((passed * truth).sum()), int((passed * (1 - truth)).sum())
    return f"{name}: answers {saved} of {int(truth.sum())} rightly, {let} of {int((1 - truth).sum())} wrongly"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_sets(parser)
    parser.add_argument("--messages", nargs=2, action="append", default=[], metavar=("KB", "FILE"))
    given = parser.parse_args()
    settings, rows, owners = load_settings(), [], []
    asked: dict[str, list[tuple[str, bool]]] = {}
    readers = readers_of(settings)
    for kb, files in sets_of(given).items():
        every = [(row.question, row.answerable) for file in files for row in read_rows(file, leave_out="test")]
        learnt = readers is not None and f"{kb}: " in readers.fitted_on
        asked[kb] = [(text, answers) for text, answers in every if not (answers and learnt)]
    for kb, file in given.messages:
        asked.setdefault(kb, []).extend(messages(Path(file)))
    for kb, texts in asked.items():
        found = asyncio.run(doubted(kb, list(dict.fromkeys(texts)), settings))
        rows += found
        owners += [kb] * len(found)
    matrix = np.asarray([second_look.signals(relevance, said) for relevance, said, _ in rows])
    truth, own = np.asarray([float(answers) for _, _, answers in rows]), np.asarray(owners)
    data, left_out = Data(matrix, truth, np.ones(len(rows)), owners), np.zeros(len(rows))
    for kb in asked:
        held = own == kb
        left_out[held] = fit(part(data, ~held), PENALTY).probability(matrix[held])
    all_of_it = fit(data, PENALTY)
    weights = all_of_it.weights / all_of_it.scales
    added = all_of_it.intercept - float(weights @ all_of_it.means)
    print(f"weights {weights[0]:.2f} {weights[1]:.2f}, added {added:.2f}; AUC left out {auc(left_out, truth)}")
    ships = np.asarray([second_look.answered(relevance, said) for relevance, said, _ in rows])
    unsure = np.asarray([said.probability < second_look.SURE for _, said, _ in rows])
    for threshold in (0.3, 0.4, 0.5, 0.6, 0.7):
        print(shown(f"left out, from {threshold}", (left_out >= threshold) & unsure, truth))
        print(shown(f"as it ships, from {threshold}", (ships >= threshold) & unsure, truth))


if __name__ == "__main__":
    main()
