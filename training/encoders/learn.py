"""Training of the upper layers of a BERT on texts, whose states below those layers are worked out once."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Encoding
from torch import Tensor

from training.encoders.net import CPU, REAL, Lower, Upper

BATCH = 32
CHUNK = 16
"""Batches whose texts are sorted by length together."""
DECAY, WARM_UP, STEEPEST = 0.01, 0.1, 1.0
EVERY = 40
"""Steps between two lines of progress."""

Loss = Callable[[Tensor, Sequence[int]], Tensor]
"""Of `(texts, outputs)`, for the texts at these places."""


class Texts:
    """Texts, or pairs of them, as tokens, and their states below the layers that learn."""

    def __init__(self, encodings: Sequence[Encoding], lower: Lower) -> None:
        self._encodings = encodings
        self._device = lower.device
        self._states: list[Tensor] = [torch.empty(0)] * len(encodings)
        for part in self.batches(range(len(encodings))):
            for place, states in zip(part, lower.states(*self._padded(part)), strict=True):
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
        states = torch.zeros(*mask.shape, self._states[places[0]].shape[1], dtype=REAL, device=self._device)
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
        return ids.to(self._device), kinds.to(self._device), mask.to(self._device)


def parsed(parser: argparse.ArgumentParser, *, epochs: int, rate: float) -> argparse.Namespace:
    """With the options that all trainings share; `--fold` is the parser's own. Chance and threads are set."""
    parser.add_argument("--scores", type=Path, help="where the scores of a fold go")
    parser.add_argument("--epochs", type=int, default=epochs)
    parser.add_argument("--rank", type=int, default=8)
    parser.add_argument("--rate", type=float, default=rate)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--device", type=torch.device, default=CPU, help="cuda, where there is one; without it the CPU")
    parser.add_argument("--seed", type=int, default=0, help="another gives another network, for a mean of several")
    given = parser.parse_args()
    if bool(given.fold) != bool(given.scores):
        parser.error("--fold and --scores belong together")
    if given.scores and given.scores.exists():
        parser.exit(message=f"{given.scores} is there already\n")
    torch.manual_seed(given.seed)
    torch.set_num_threads(given.threads)
    return given


def train(
    texts: Texts,
    places: Sequence[int],
    upper: Upper,
    loss_of: Loss,
    given: argparse.Namespace,
    after: Callable[[], str] | None = None,
) -> None:
    """`after` says something at the end of each epoch."""
    learning = list(upper.parameters())
    optimiser = torch.optim.AdamW(learning, weight_decay=DECAY, fused=learning[0].is_cuda)
    each = len(list(texts.batches(places, 0)))
    rates = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, given.rate, total_steps=given.epochs * each + 1, pct_start=WARM_UP
    )
    start = time.monotonic()
    for epoch in range(given.epochs):
        upper.train()
        total = torch.zeros((), device=learning[0].device)
        for step, batch in enumerate(texts.batches(places, epoch), 1):
            loss = loss_of(upper(*texts.given(batch)), batch)
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(learning, STEEPEST)
            optimiser.step()
            rates.step()
            total += loss.detach()
            if step % EVERY == 0 or step == each:
                spent = time.monotonic() - start
                print(f"  epoch {epoch + 1}, {step} of {each}: loss {total / step:.3f}, {spent:.0f} s", flush=True)
        if after is not None:
            print(f"  {after()}", flush=True)


def outputs(texts: Texts, places: Sequence[int], upper: Upper) -> NDArray[np.float32]:
    """`(places, outputs)`"""
    upper.eval()
    found = np.zeros((len(places), upper.head.out_features), dtype=np.float32)
    where = {place: row for row, place in enumerate(places)}
    with torch.no_grad():
        for batch in texts.batches(places):
            found[[where[place] for place in batch]] = upper(*texts.given(batch)).cpu().numpy()
    return found
