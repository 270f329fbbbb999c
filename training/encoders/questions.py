"""Trains what tells whether a passage answers a question (`models/bundle/questions*.npz`); needs the torch extra.

    python -m training.encoders.questions --set KB FILE [--set KB FILE …] --fold 1/2 --scores DIR/1.json
    (the same with 2/2)
    python -m training.encoders.questions --set KB FILE [--set KB FILE …]
    python -m training.encoders.questions --set KB FILE [--set KB FILE …] --of embedder --rank 16
    python -m training.encoders.questions --set KB FILE … --after src/handrail/models/bundle/questions.npz --out FILE

The upper layers of the cross-encoder that ships learn low-rank changes (LoRA) from the pairs of
`training.encoders.answerable`, and keep saying what the cross-encoder says, so that one reading serves the order and
the gates. With `--of embedder` those of the embedder learn it, too, to read pairs: the second reader. With `--after` a
network goes on from what it was taught before, on fewer bases and whatever was written since. With `--fold` some of
the bases are left out and scored, since scores of what was learnt say nothing. A core needs about 40 ms for each pair
in each epoch.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from handrail.assembly.models import QUERY_TOKENS, build_reranker
from handrail.calibrate.fit import auc
from handrail.models.bert import Source, Weights
from handrail.models.fetch import locate
from handrail.models.manifest import find
from handrail.models.onnx import OnnxModel, pair_encodings
from handrail.models.taught import LOGIT, QUESTIONS, QUESTIONS_AGAIN, load_taught
from handrail.models.tuned import Tuned
from handrail.settings import Settings, load_settings
from training import FITTED
from training.encoders.answerable import MADE, Labelled, Pair, crossed, elsewhere, of_base, written
from training.encoders.average import together
from training.encoders.learn import Texts, outputs, parsed, train
from training.encoders.net import Lower, Upper
from training.encoders.observed import Question, add_sets, named, observed, sets_of

OUT = {"reranker": QUESTIONS, "embedder": QUESTIONS_AGAIN}
FIRST, LAST = 4, {"reranker": 9, "embedder": 11}
"""Layers that learn, counted from 0; those above the last are left out."""
WHOLE = 200
"""Tokens of a pair; of 864 passages of crossed files 13 are a little longer and lose their end."""
KEPT = 0.05
"""Weight of saying what the cross-encoder says."""
BLOCK = 400


def by_base(rows: Sequence[Question]) -> dict[str, list[Question]]:
    found: dict[str, list[Question]] = {}
    for row in rows:
        found.setdefault(row.kb, []).append(row)
    return found


def to_learn(bases: Mapping[str, Sequence[Question]], part: float) -> list[Labelled]:
    """Pairs of the bases, and of what was written for this, of which `part` of each crossed file is taken."""
    foreign = elsewhere(bases)
    made = [pair for pairs in crossed().values() for pair in pairs[: round(part * len(pairs))]] + written()
    return [pair for kb, rows in bases.items() for pair in [*of_base(rows), *foreign[kb]]] + [
        Labelled(pair.pair, pair.answers, MADE * pair.importance) for pair in made
    ]


def logits(pairs: Sequence[Pair], settings: Settings) -> list[float]:
    """What the cross-encoder that ships makes of them."""
    plain = build_reranker(settings)
    blocks = [plain.score(pairs[at : at + BLOCK]) for at in range(0, len(pairs), BLOCK)]
    return [float(logit) for block in blocks for logit in block]


def pairs_of(rows: Sequence[Question]) -> list[Pair]:
    """What is read for each question, in order."""
    return [(row.asked.question, text) for row in rows for _, text in row.read]


def area(rows: Sequence[Question], answers: Mapping[Pair, float]) -> str:
    """AUC of the likeliest passage, for the questions of each base."""
    lines = []
    for kb, seen in by_base(rows).items():
        read = [row for row in seen if row.read]
        best = [max(answers[row.asked.question, text] for _, text in row.read) for row in read]
        found = auc(np.asarray(best), np.asarray([float(row.asked.answerable) for row in read]))
        lines.append(f"{kb} {found:.3f}" if found is not None else f"{kb} none")
    return "left out: AUC " + ", ".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_sets(parser)
    parser.add_argument("--fold", help="K/N: leave every N-th base out, from the K-th on, and score it")
    parser.add_argument("--crossed", type=float, default=1.0, help="part of the crossed files that is learnt from")
    parser.add_argument("--of", choices=sorted(OUT), default="reranker", help="which model is taught")
    parser.add_argument("--after", type=Path, help="what the same model was taught before, from which it goes on")
    parser.add_argument("--out", type=Path)
    given = parsed(parser, epochs=3, rate=1e-3)
    settings = load_settings()
    models, sets = settings.models, sets_of(given)
    rows = observed(sets, settings)
    number, folds = (int(part) for part in given.fold.split("/")) if given.fold else (0, 1)
    away = {kb for place, kb in enumerate(sets) if given.fold and place % folds == number - 1}
    left_out = [row for row in rows if row.kb in away]
    learnt = to_learn(by_base([row for row in rows if row.kb not in away]), given.crossed)
    held = list(dict.fromkeys(pairs_of(left_out)))
    print(f"{len(learnt)} pairs to learn from, {len(held)} left out", flush=True)
    name = getattr(models, given.of)
    folder = locate(find(name, given.of), models.folder)
    after = load_taught(given.after.name, given.after) if given.after else None
    if after is not None and after.model != name:
        parser.error(f"{given.after} was made of {after.model}, not of {name}")
    plain = Weights((folder / "model.onnx").read_bytes())
    source: Source = Tuned(plain, after.delta) if after is not None else plain
    asked = [pair.pair for pair in learnt] + held
    encodings = pair_encodings(OnnxModel(folder, 1).tokenizer, asked, WHOLE, QUERY_TOKENS)
    pairs = Texts(encodings, Lower(source, FIRST, given.device))
    truth = torch.tensor([float(pair.answers) for pair in learnt], device=given.device)
    importance = torch.tensor([pair.importance for pair in learnt], device=given.device)
    upper = Upper(source, FIRST, LAST[given.of], given.rank, given.dropout, 2).to(given.device)
    if after is not None:
        upper.starts(after)
        before = torch.from_numpy(outputs(pairs, range(len(learnt)), upper)[:, 0]).to(given.device)
    else:
        before = torch.tensor(logits([pair.pair for pair in learnt], settings), device=given.device) / LOGIT

    def loss_of(found: Tensor, places: Sequence[int]) -> Tensor:
        wrong = functional.binary_cross_entropy_with_logits(found[:, 1], truth[places], weight=importance[places])
        return wrong + KEPT * functional.mse_loss(found[:, 0], before[places])

    def read() -> dict[Pair, float]:
        found = outputs(pairs, range(len(learnt), len(asked)), upper)[:, 1]
        return {pair: round(float(answer), 4) for pair, answer in zip(held, found, strict=True)}

    train(pairs, range(len(learnt)), upper, loss_of, given, (lambda: area(left_out, read())) if held else None)
    if given.fold:
        scores = [[question, text, answer] for (question, text), answer in read().items()]
        given.scores.write_text(json.dumps(scores) + "\n", encoding="utf-8")
        return
    taught = upper.taught(name, f"written passages, crossed, {named(sets)}")
    if after is not None:
        taught = replace(taught, delta=together([after.delta, taught.delta]))
    taught.saved(given.out or FITTED / OUT[given.of])


if __name__ == "__main__":
    main()
