"""A small network beside the linear part: it reads how near the articles are and what a message says together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
UNITS = 128
EPOCHS = 16
BATCH = 256
RATE = 3e-3
DECAY = 1e-4
SMOOTHING = 0.05
DROPPED_INPUTS, DROPPED_UNITS = 0.1, 0.3
WARM_UP = 100
"""Steps until the full learning rate; from there it falls as a half cosine."""
INT8 = 127
SHAPE = (UNITS, EPOCHS, BATCH, RATE, DECAY, SMOOTHING, DROPPED_INPUTS, DROPPED_UNITS, WARM_UP)


@dataclass(frozen=True, slots=True)
class Network:
    """One hidden layer of rectified units. `inward` is rounded to 8 bits a column, as it is stored."""

    inward: Array
    units: Array
    bias: Array
    outward: Array
    outward_bias: Array

    def __iter__(self) -> Iterator[Array]:
        """Its arrays, in order."""
        return iter((self.inward, self.units, self.bias, self.outward, self.outward_bias))

    def logits(self, inputs: Array) -> Array:
        hidden = np.maximum(inputs @ (self.inward.astype(np.float32) * self.units) + self.bias, 0)
        found: Array = hidden @ self.outward + self.outward_bias
        return found


def train(inputs: Array, labels: Array, weights: Array, classes: int, seeds: int) -> Network:
    """The mean of `seeds` networks, as one."""
    trained = [_train(inputs, labels, weights, classes, seed) for seed in range(seeds)]
    inward = np.hstack([one[0] for one in trained])
    units = np.abs(inward).max(axis=0) / INT8
    return Network(
        np.rint(inward / units).clip(-INT8, INT8).astype(np.int8),
        units.astype(np.float32),
        np.concatenate([one[1] for one in trained]),
        np.vstack([one[2] for one in trained]) / seeds,
        np.mean([one[3] for one in trained], axis=0),
    )


def _train(inputs: Array, labels: Array, weights: Array, classes: int, seed: int) -> list[Array]:
    """Adam with dropout of inputs and units, smoothed labels and decoupled weight decay."""
    rng = np.random.default_rng(seed)
    rows, width = inputs.shape
    parameters = [
        _random(rng, width, UNITS, 2.0),
        np.zeros(UNITS, np.float32),
        _random(rng, UNITS, classes, 1.0),
        np.zeros(classes, np.float32),
    ]
    first = [np.zeros_like(each) for each in parameters]
    second = [np.zeros_like(each) for each in parameters]
    targets = np.full((rows, classes), SMOOTHING / classes, np.float32)
    targets[np.arange(rows), labels] += 1 - SMOOTHING
    shares = (weights / weights.mean()).astype(np.float32)
    steps = EPOCHS * (rows // BATCH)
    step = 0
    for _ in range(EPOCHS):
        order = rng.permutation(rows)
        for start in range(0, rows - BATCH + 1, BATCH):
            chosen = order[start : start + BATCH]
            step += 1
            slopes = _slopes(parameters, inputs[chosen], targets[chosen], shares[chosen], rng)
            rate = RATE * min(1.0, step / WARM_UP) * 0.5 * (1 + np.cos(np.pi * step / steps))
            for each, slope, mean, square in zip(parameters, slopes, first, second, strict=True):
                mean += 0.1 * (slope - mean)
                square += 0.001 * (slope * slope - square)
                shift = (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
                each -= (rate * (shift + (DECAY * each if each.ndim == 2 else 0.0))).astype(np.float32)
    return parameters


def _slopes(parameters: list[Array], inputs: Array, targets: Array, shares: Array, rng: np.random.Generator) -> Any:
    """Gradients of the weighted mean cross-entropy."""
    inward, bias, outward, outward_bias = parameters
    kept = inputs * _mask(rng, inputs.shape, DROPPED_INPUTS)
    raised = kept @ inward + bias
    mask = _mask(rng, raised.shape, DROPPED_UNITS)
    hidden = np.maximum(raised, 0) * mask
    logits = hidden @ outward + outward_bias
    exponents = np.exp(logits - logits.max(axis=1, keepdims=True))
    error = (exponents / exponents.sum(axis=1, keepdims=True) - targets) * shares[:, None] / len(inputs)
    back = (error @ outward.T) * mask * (raised > 0)
    return kept.T @ back, back.sum(axis=0), hidden.T @ error, error.sum(axis=0)


def _mask(rng: np.random.Generator, shape: tuple[int, ...], dropped: float) -> Array:
    mask: Array = (rng.random(shape, dtype=np.float32) > dropped).astype(np.float32) / np.float32(1 - dropped)
    return mask


def _random(rng: np.random.Generator, inward: int, outward: int, gain: float) -> Array:
    drawn: Array = (rng.standard_normal((inward, outward)) * np.sqrt(gain / inward)).astype(np.float32)
    return drawn
