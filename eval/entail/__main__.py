"""Trains what tells whether a passage states a claim (`src/handrail/fitted/entailment.npz`); needs the torch extra.

    python -m eval.entail --pairs eval/datasets/sample/claims.dev.jsonl --written eval/training/claims --fold 1/3 \\
        --scores DIR/1.json
    (the same with 2/3 and 3/3)
    python -m eval.entail --pairs eval/datasets/sample/claims.dev.jsonl --written eval/training/claims

The upper layers of the cross-encoder that ships learn low-rank changes (LoRA); what is below stays and is run once.
With `--fold` a part of the voices is left out and scored: `eval.train_claims --scores` fits the trees to such scores,
since those of pairs that were learnt say nothing. A core needs about 40 ms for each pair in each epoch.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from sklearn.metrics import roc_auc_score
from tokenizers import Encoding
from torch import Tensor
from torch.nn import functional

from eval.claim_pairs import Row, groups, key, labelled, read_as, texts
from eval.entail.net import REAL, Lower, Upper
from handrail.local_models.bert import Weights
from handrail.local_models.entailment import CLAIM_TOKENS, MAX_TOKENS, SHIPPED, Entailment
from handrail.local_models.fetch import locate
from handrail.local_models.manifest import find
from handrail.local_models.onnx import OnnxModel, pair_encodings
from handrail.settings import load_settings

OUT = Path(__file__).parent.parent.parent / "src" / "handrail" / "fitted" / SHIPPED
FIRST, LAST = 4, 9
"""Layers that learn, counted from 0; those above the last are left out."""
BATCH = 32
CHUNK = 16
"""Batches whose texts are sorted by length together."""


class Pairs:
    """Pairs as tokens, and their states below the layers that learn."""

    def __init__(self, rows: Sequence[Row], encodings: Sequence[Encoding], lower: Lower) -> None:
        self.truth = np.asarray([row["label"] == "supported" for row in rows], dtype=np.float32)
        self.groups = groups(rows)
        self._encodings = encodings
        self._states: list[Tensor] = [torch.empty(0)] * len(rows)
        for part in self.batches(range(len(rows))):
            ids, kinds, mask = self._padded(part)
            for place, states in zip(part, lower.states(ids, kinds, mask), strict=True):
                self._states[place] = states[: len(encodings[place].ids)].clone()

    def batches(self, places: Sequence[int], seed: int | None = None) -> Iterator[list[int]]:
        """Of texts about as long; with a seed in any order, without one by length."""
        lengths = [len(self._encodings[place].ids) for place in places]
        if seed is None:
            order = [places[at] for at in np.argsort(lengths, kind="stable")]
            yield from (order[at : at + BATCH] for at in range(0, len(order), BATCH))
            return
        chance = np.random.default_rng(seed)
        mixed = [places[at] for at in chance.permutation(len(places))]
        found = []
        for start in range(0, len(mixed), BATCH * CHUNK):
            near = sorted(mixed[start : start + BATCH * CHUNK], key=lambda place: len(self._encodings[place].ids))
            found += [near[at : at + BATCH] for at in range(0, len(near), BATCH)]
        yield from (found[at] for at in chance.permutation(len(found)))

    def given(self, places: Sequence[int]) -> tuple[Tensor, Tensor, Tensor]:
        """States `(texts, tokens, width)`, kinds and mask `(texts, tokens)`."""
        _, kinds, mask = self._padded(places)
        states = torch.zeros(*mask.shape, self._states[places[0]].shape[1], dtype=REAL)
        for row, place in enumerate(places):
            states[row, : len(self._states[place])] = self._states[place]
        return states, kinds, mask

    def _padded(self, places: Sequence[int]) -> tuple[Tensor, Tensor, Tensor]:
        shape = len(places), max(len(self._encodings[place].ids) for place in places)
        ids, kinds = torch.zeros(shape, dtype=torch.long), torch.ones(shape, dtype=torch.long)
        mask = torch.zeros(shape, dtype=torch.bool)
        for row, place in enumerate(places):
            end = len(self._encodings[place].ids)
            ids[row, :end] = torch.tensor(self._encodings[place].ids)
            kinds[row, :end] = torch.tensor(self._encodings[place].type_ids)
            mask[row, :end] = True
        return ids, kinds, mask


def fold_of(name: str, folds: int) -> int:
    return hashlib.sha256(name.encode()).digest()[0] % folds


def train(pairs: Pairs, places: Sequence[int], held: Sequence[int], upper: Upper, given: argparse.Namespace) -> None:
    head = list(upper.head.parameters())
    changes = [parameter for name, parameter in upper.named_parameters() if not name.startswith("head")]
    optimiser = torch.optim.AdamW([{"params": head}, {"params": changes}], weight_decay=0.01)
    each = len(list(pairs.batches(places, 0)))
    rates = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, [given.rate, given.rate], total_steps=given.epochs * each + 1, pct_start=0.1
    )
    start = time.monotonic()
    for epoch in range(given.epochs):
        upper.train()
        total = 0.0
        for step, batch in enumerate(pairs.batches(places, epoch), 1):
            logits = upper(*pairs.given(batch))
            loss = functional.binary_cross_entropy_with_logits(logits, torch.from_numpy(pairs.truth[batch]))
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(changes, 1.0)
            optimiser.step()
            rates.step()
            total += loss.item()
            if step % 40 == 0 or step == each:
                spent = time.monotonic() - start
                print(f"  epoch {epoch + 1}, {step} of {each}: loss {total / step:.3f}, {spent:.0f} s", flush=True)
        if held:
            found = scores(pairs, held, upper)
            print(
                f"  left out: AUC {roc_auc_score(pairs.truth[held], [found[place] for place in held]):.3f}", flush=True
            )


def scores(pairs: Pairs, places: Sequence[int], upper: Upper) -> dict[int, float]:
    upper.eval()
    found: dict[int, float] = {}
    with torch.no_grad():
        for batch in pairs.batches(places):
            found.update(zip(batch, upper(*pairs.given(batch)).tolist(), strict=True))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=Path, action="append", default=[], help="JSON lines")
    parser.add_argument("--written", type=Path, action="append", default=[], help="files or folders of text")
    parser.add_argument("--fold", help="K/N: leave the K-th of N parts out, and score it")
    parser.add_argument("--scores", type=Path, help="where the scores of a fold go")
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--rank", type=int, default=8)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    if bool(given.fold) != bool(given.scores):
        parser.error("--fold and --scores belong together")
    if given.scores and given.scores.exists():
        parser.exit(message=f"{given.scores} is there already\n")
    torch.manual_seed(0)
    torch.set_num_threads(given.threads)
    models = load_settings().models
    folder = locate(find(models.reranker, "reranker"), models.folder)
    source = Weights((folder / "model.onnx").read_bytes())
    rows = labelled(given.pairs, given.written)
    asked = [read_as(row) for row in rows]
    pairs = Pairs(
        rows, pair_encodings(OnnxModel(folder, 1).tokenizer, asked, MAX_TOKENS, CLAIM_TOKENS), Lower(source, FIRST)
    )
    number, folds = (int(part) for part in given.fold.split("/")) if given.fold else (0, 1)
    held = [at for at, name in enumerate(pairs.groups) if given.fold and fold_of(name, folds) == number - 1]
    kept = sorted(set(range(len(rows))) - set(held))
    print(f"{len(kept)} pairs to learn from, {len(held)} left out", flush=True)
    upper = Upper(source, FIRST, LAST, given.rank, given.dropout)
    train(pairs, kept, held, upper, given)
    if given.fold:
        found = scores(pairs, held, upper)
        left = {key(rows[at]["claim"], rows[at]["passage"]): round(found[at], 4) for at in held}
        given.scores.write_text(json.dumps(left) + "\n", encoding="utf-8")
        return
    weights = upper.head.weight.detach().numpy()[0]
    about = ", ".join(path.name for path in (*given.pairs, *texts(given.written)))
    Entailment(models.reranker, upper.delta(), weights, float(upper.head.bias), about).saved(given.out)


if __name__ == "__main__":
    main()
