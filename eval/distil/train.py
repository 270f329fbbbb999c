"""Training a student on the teacher's logits and states (logits as in Hofstätter et al. 2020; no labels at all)."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Encoding
from torch.nn import functional

from eval.distil.student import INNER, Student, from_teacher
from eval.distil.teacher import floats, padded, pair_tokenizer

BATCH = 32
CHECKED = 400
"""Pairs of queries kept out of training, to watch."""
STATE_WEIGHT = 4.0
WARM_UP = 0.06
SAVED_EVERY = 50


@dataclass(frozen=True, slots=True)
class Plan:
    layers: Sequence[int]
    """Layers of the teacher to start from."""
    inner: int = INNER
    epochs: int = 3
    rate: float = 2e-4
    threads: int = 1
    minutes: float = math.inf
    """The learning rate falls to its end in this time where the epochs would take longer."""


def train(
    teacher: Path, pairs: Sequence[tuple[str, str]], scores: Path, plan: Plan, out: Path, max_tokens: int
) -> None:
    """Writes the student's weights (`.npz`, float32) to `out`. Word, place and kind vectors stay the teacher's.

    An interrupted run goes on from its last checkpoint, with the same batches in the same order.
    """
    torch.manual_seed(0)
    torch.set_num_threads(plan.threads)
    targets = np.load(scores).astype(np.float32)
    encoded = pair_tokenizer(teacher, max_tokens).encode_batch(list(pairs[: len(targets)]))
    student = from_teacher(floats(teacher / "model.onnx"), plan.layers, plan.inner)
    for table in (student.words, student.positions, student.kinds):
        table.weight.requires_grad_(False)
    trained = [parameter for parameter in student.parameters() if parameter.requires_grad]
    optimiser = torch.optim.AdamW(trained, lr=plan.rate, weight_decay=0.01)
    fitted = list(range(len(encoded) - CHECKED))
    order = [batch for epoch in range(plan.epochs) for batch in batches(encoded, fitted, random.Random(epoch))]
    first = restore(student, optimiser, out)
    start = time.monotonic()
    for step, batch in enumerate(order[first:], first + 1):
        gone = max(step / len(order), (time.monotonic() - start) / 60 / plan.minutes)
        if gone > 1:
            break
        for group in optimiser.param_groups:
            group["lr"] = plan.rate * min(step / (WARM_UP * len(order)), 1.02 - gone, 1.0)
        loss = _loss(student, [encoded[i] for i in batch], targets[batch])
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimiser.step()
        if step % SAVED_EVERY == 0:
            keep(student, optimiser, step, out)
            said = check(student, encoded[-CHECKED:], targets[-CHECKED:]) if step % 300 == 0 else ""
            took = (time.monotonic() - start) / 60
            print(f"step {step} of {len(order)}, {took:.1f} min, loss {loss.item():.3f} {said}", flush=True)
    print(check(student, encoded[-CHECKED:], targets[-CHECKED:]), flush=True)
    write(student, out)


def keep(student: Student, optimiser: torch.optim.Optimizer, step: int, out: Path) -> None:
    """Beside `out`, and renamed: an interrupted run goes on from here."""
    beside = out.with_suffix(".part")
    torch.save({"student": student.state_dict(), "optimiser": optimiser.state_dict(), "step": step}, beside)
    beside.replace(out.with_suffix(".checkpoint"))


def restore(student: Student, optimiser: torch.optim.Optimizer, out: Path) -> int:
    """The step reached; 0 where there is no checkpoint."""
    kept = out.with_suffix(".checkpoint")
    if not kept.is_file():
        return 0
    state = torch.load(kept, weights_only=True)
    student.load_state_dict(state["student"])
    optimiser.load_state_dict(state["optimiser"])
    return int(state["step"])


def batches(encoded: Sequence[Encoding], rows: list[int], rng: random.Random) -> list[list[int]]:
    """Rows of about the same length together, in random order."""
    shuffled = rng.sample(rows, len(rows))
    pools = [shuffled[at : at + 50 * BATCH] for at in range(0, len(shuffled), 50 * BATCH)]
    found = []
    for pool in pools:
        pool.sort(key=lambda i: len(encoded[i].ids))
        found += [pool[at : at + BATCH] for at in range(0, len(pool), BATCH)]
    rng.shuffle(found)
    return found


def _loss(student: Student, encodings: Sequence[Encoding], targets: NDArray[np.float32]) -> torch.Tensor:
    logits, states = forward(student, encodings)
    wanted = torch.from_numpy(targets)
    apart = functional.mse_loss(logits, wanted[:, 0]) / 4
    state: torch.Tensor = 1 - functional.cosine_similarity(states, wanted[:, 1:]).mean()
    return apart + STATE_WEIGHT * state


def forward(student: Student, encodings: Sequence[Encoding]) -> tuple[torch.Tensor, torch.Tensor]:
    ids, kinds, attended = (torch.from_numpy(part) for part in padded(encodings))
    with torch.autocast("cpu", torch.bfloat16, enabled=student.training):
        logits, states = student(ids, kinds, attended.bool())
    return logits.float(), states.float()


def check(student: Student, encodings: Sequence[Encoding], targets: NDArray[np.float32]) -> str:
    """Correlation and mean difference to the teacher's logits on pairs that were not trained on."""
    student.eval()
    with torch.inference_mode():
        found = torch.cat([forward(student, encodings[at : at + 50])[0] for at in range(0, len(encodings), 50)]).numpy()
    student.train()
    gap = math.sqrt(float(np.mean((found - targets[:, 0]) ** 2)))
    return f"unseen: correlation {np.corrcoef(found, targets[:, 0])[0, 1]:.4f}, off by {gap:.2f}"


def write(student: Student, out: Path) -> None:
    np.savez(out, **{name: value.detach().numpy() for name, value in student.state_dict().items()})
