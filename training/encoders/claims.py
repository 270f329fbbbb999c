"""Trains what tells whether a passage states a claim (`models/bundle/entailment*.npz`); needs the torch extra.

    python -m training.encoders.claims --pairs eval/datasets/sample/claims.dev.jsonl --written eval/training/claims \\
        --fold 1/3 --scores DIR/1.json
    (the same with 2/3 and 3/3)
    python -m training.encoders.claims --pairs … --written … --out src/handrail/models/bundle/entailment.npz
    python -m training.encoders.claims --pairs … --written … --after src/handrail/models/bundle/questions.npz \\
        --out src/handrail/models/bundle/entailment_again.npz
    python -m training.encoders.claims --pairs … --written … --of embedder --rank 16 \\
        --after src/handrail/models/bundle/questions_again.npz --out FILE
    python -m training.encoders.average FILE --keep 24 --out src/handrail/models/bundle/entailment_embedder.npz

The upper layers of the cross-encoder that ships learn low-rank changes (LoRA); what is below stays and is run once.
With `--of embedder` those of the embedder learn it, too; with `--after` a network goes on from what it was taught
before. Each way errs in its own places, and the product takes the mean of what they say. With `--fold` a part of the
voices is left out and scored: `training.claims.trees --scores` fits the trees to such scores, since those of pairs that
were learnt say nothing. A core needs about 40 ms for each pair in each epoch.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from sklearn.metrics import roc_auc_score
from torch import Tensor
from torch.nn import functional

from handrail.models.bert import Source, Weights
from handrail.models.fetch import locate
from handrail.models.manifest import find
from handrail.models.onnx import OnnxModel, pair_encodings
from handrail.models.taught import CLAIM_TOKENS, CLAIMS, MAX_TOKENS, load_taught
from handrail.models.tuned import Tuned
from handrail.settings import load_settings
from training import FITTED
from training.claims.pairs import groups, key, labelled, read_as, texts
from training.encoders.average import together
from training.encoders.learn import Texts, outputs, parsed, train
from training.encoders.net import Lower, Upper

OUT = FITTED / CLAIMS[0]
FIRST, LAST = 4, {"reranker": 9, "embedder": 11}
"""Layers that learn, counted from 0; those above the last are left out."""


def fold_of(name: str, folds: int) -> int:
    return hashlib.sha256(name.encode()).digest()[0] % folds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=Path, action="append", default=[], help="JSON lines")
    parser.add_argument("--written", type=Path, action="append", default=[], help="files or folders of text")
    parser.add_argument("--fold", help="K/N: leave the K-th of N parts out, and score it")
    parser.add_argument("--of", choices=sorted(LAST), default="reranker", help="which model is taught")
    parser.add_argument("--after", type=Path, help="what the same model was taught before, from which it goes on")
    parser.add_argument("--out", type=Path, default=OUT)
    given = parsed(parser, epochs=3, rate=1e-3)
    models = load_settings().models
    name = getattr(models, given.of)
    folder = locate(find(name, given.of), models.folder)
    after = load_taught(given.after.name, given.after) if given.after else None
    if after is not None and after.model != name:
        parser.error(f"{given.after} was made of {after.model}, not of {name}")
    plain = Weights((folder / "model.onnx").read_bytes())
    source: Source = Tuned(plain, after.delta) if after is not None else plain
    rows = labelled(given.pairs, given.written)
    truth = np.asarray([row["label"] == "supported" for row in rows], dtype=np.float32)
    aims = torch.from_numpy(truth).to(given.device)
    asked = [read_as(row) for row in rows]
    pairs = Texts(
        pair_encodings(OnnxModel(folder, 1).tokenizer, asked, MAX_TOKENS, CLAIM_TOKENS),
        Lower(source, FIRST, given.device),
    )
    number, folds = (int(part) for part in given.fold.split("/")) if given.fold else (0, 1)
    held = [at for at, group in enumerate(groups(rows)) if given.fold and fold_of(group, folds) == number - 1]
    kept = sorted(set(range(len(rows))) - set(held))
    print(f"{len(kept)} pairs to learn from, {len(held)} left out", flush=True)
    upper = Upper(source, FIRST, LAST[given.of], given.rank, given.dropout).to(given.device)

    def loss_of(logits: Tensor, places: Sequence[int]) -> Tensor:
        return functional.binary_cross_entropy_with_logits(logits[:, 0], aims[places])

    def left_out() -> str:
        return f"left out: AUC {roc_auc_score(truth[held], outputs(pairs, held, upper)[:, 0]):.3f}"

    train(pairs, kept, upper, loss_of, given, left_out if held else None)
    if given.fold:
        found = outputs(pairs, held, upper)[:, 0]
        left = {
            key(rows[at]["claim"], rows[at]["passage"]): round(float(score), 4)
            for at, score in zip(held, found, strict=True)
        }
        given.scores.write_text(json.dumps(left) + "\n", encoding="utf-8")
        return
    about = ", ".join(path.name for path in (*given.pairs, *texts(given.written)))
    taught = upper.taught(name, about)
    if after is not None:
        taught = replace(taught, delta=together([after.delta, taught.delta]))
    taught.saved(given.out)


if __name__ == "__main__":
    main()
