"""Trains what hears a message's label (`src/handrail/models/bundle/messages.npz`); needs the torch extra.

    python -m training.encoders.messages --fold 1 --scores FILE.npz
    python -m training.encoders.messages

The upper layers of the encoder that ships learn low-rank changes (LoRA) from the rows of `training.classifier.messages`
and rough copies of them. With `--fold` a part of the companies is left out and scored: what is heard of those it has
not learnt. A core needs about 16 ms for each message in each epoch.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from sklearn.metrics import f1_score
from sklearn.model_selection import GroupKFold
from torch import Tensor
from torch.nn import functional

from handrail.models.bert import Weights
from handrail.models.fetch import locate
from handrail.models.manifest import find
from handrail.models.onnx import OnnxModel
from handrail.models.taught import MESSAGE_TOKENS, MESSAGES
from handrail.settings import load_settings
from handrail.text.courtesies import without_courtesies
from handrail.understand.classify.encoder import LABELS, encoder_text
from training import FITTED
from training.classifier import augment
from training.classifier.messages import names, training_companies, training_rows
from training.classifier.rows import Row
from training.encoders.learn import Loss, Texts, outputs, parsed, train
from training.encoders.net import Lower, Upper

OUT = FITTED / MESSAGES
FIRST, LAST = 4, 11
"""Layers that learn, counted from 0."""
SMOOTHING = 0.05
FOLDS = 3


def split(rows: Sequence[Row]) -> list[np.ndarray[tuple[int], np.dtype[np.int64]]]:
    """Places of the rows of each fold; a group is in one."""
    groups = np.asarray([row.group for row in rows])
    return [test for _, test in GroupKFold(FOLDS, shuffle=True, random_state=7).split(groups, groups=groups)]


def shares(rows: Sequence[Row]) -> Tensor:
    """What each row weighs: every label the same in all."""
    labels, weights = labels_of(rows), np.asarray([row.weight for row in rows], dtype=np.float32)
    totals = np.bincount(labels, weights=weights, minlength=len(LABELS))
    balanced = weights * (totals.mean() / totals)[labels]
    return torch.from_numpy((balanced / balanced.mean()).astype(np.float32))


def labels_of(rows: Sequence[Row]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.asarray([LABELS.index(row.label) for row in rows])


def smoothed(aims: Tensor, weights: Tensor) -> Loss:
    """Cross-entropy with a little of every other label; `aims` and `weights` are of all messages."""

    def loss_of(logits: Tensor, places: Sequence[int]) -> Tensor:
        each = functional.cross_entropy(logits, aims[places], reduction="none", label_smoothing=SMOOTHING)
        return (each * weights[places]).mean()

    return loss_of


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mash", type=int, default=900, help="generated nonsense messages")
    parser.add_argument("--brands", type=int, default=900, help="generated messages about other companies")
    parser.add_argument("--fold", type=int, help=f"leave this one of {FOLDS} parts out, and score it")
    parser.add_argument("--out", type=Path, default=OUT)
    given = parsed(parser, epochs=3, rate=1e-3)
    if given.fold and not 1 <= given.fold <= FOLDS:
        parser.error(f"there are {FOLDS} parts")
    if given.scores and given.scores.suffix != ".npz":
        parser.error("scores go into an .npz file")
    settings = load_settings()
    companies = training_companies()
    own = training_rows(companies, given.mash, given.brands)
    rows = [*own, *augment.rough_copies([row for row in own if row.weight == 1.0])]
    held = split(own)[given.fold - 1] if given.fold else []
    left_out = {own[at].group for at in held}
    kept = [at for at, row in enumerate(rows) if row.group not in left_out]
    folder = locate(find(settings.models.embedder, "embedder"), settings.models.folder)
    source = Weights((folder / "model.onnx").read_bytes())
    tokenizer, known = OnnxModel(folder, 1).tokenizer, names({**companies}, settings)
    texts = [encoder_text(without_courtesies(row.text), known.get(row.company.split("@")[0], "")) for row in rows]
    tokenizer.enable_truncation(MESSAGE_TOKENS)
    messages = Texts(tokenizer.encode_batch(texts), Lower(source, FIRST, given.device))
    print(f"{len(kept)} messages to learn from, {len(held)} left out", flush=True)
    upper = Upper(source, FIRST, LAST, given.rank, given.dropout, outputs=len(LABELS)).to(given.device)
    truth, weights = torch.from_numpy(labels_of(rows)), torch.ones(len(rows))
    weights[kept] = shares([rows[at] for at in kept])
    aims, weights = truth.to(given.device), weights.to(given.device)

    def judged() -> str:
        found = outputs(messages, held, upper).argmax(axis=1)
        return f"left out: macro-F1 {f1_score(truth[held].numpy(), found, average='macro'):.3f}"

    train(messages, kept, upper, smoothed(aims, weights), given, judged if len(held) else None)
    if given.fold:
        keys = [f"{own[at].company}\n{own[at].text}" for at in held]
        np.savez(given.scores, keys=np.asarray(keys), logits=outputs(messages, held, upper))
        return
    upper.taught(settings.models.embedder, f"eval/training/intents, {len(kept)} messages").saved(given.out)


if __name__ == "__main__":
    main()
