"""The mean of networks that were taught the same thing from one start: better than each of them.

    python -m training.encoders.average ONE.npz OTHER.npz --out src/handrail/models/bundle/questions.npz
    python -m training.encoders.average ONE.npz --keep 24 --out SMALLER.npz

"Model soups" (Wortsman et al. 2022). Their low-rank changes are added up as they are, so that the file has the rank of
all of them together; loaded, it is one network and costs what one costs. With `--keep` the rank is cut to what matters
most.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from handrail.models.taught import Taught, load_taught
from handrail.models.tuned import Delta, Floats


def together(deltas: Sequence[Delta], share: float = 1.0) -> Delta:
    """The sum of changes of the same matrices, each times `share`, kept as the layers of the last."""

    def added(name: str) -> tuple[Floats, Floats]:
        parts = [delta.parts[name] for delta in deltas]
        up = np.concatenate([up for _, up in parts]) * np.float32(share)
        return np.concatenate([down for down, _ in parts], axis=1), up

    return Delta(deltas[-1].layers, {name: added(name) for name in deltas[-1].parts})


def average(networks: Sequence[Taught]) -> Taught:
    """Raises ValueError where they are not changes of the same matrices of one model."""
    first, share = networks[0], 1.0 / len(networks)
    for other in networks[1:]:
        same = (other.model, other.delta.layers, other.weights.shape, other.delta.parts.keys())
        if same != (first.model, first.delta.layers, first.weights.shape, first.delta.parts.keys()):
            raise ValueError("they are not changes of the same matrices of one model")

    return Taught(
        model=first.model,
        delta=together([network.delta for network in networks], share),
        weights=np.mean([network.weights for network in networks], axis=0),
        intercepts=np.mean([network.intercepts for network in networks], axis=0),
        fitted_on="; ".join(network.fitted_on for network in networks),
    )


def lowered(network: Taught, rank: int) -> Taught:
    """With the nearest changes of that rank, by singular values."""

    def nearest(down: Floats, up: Floats) -> tuple[Floats, Floats]:
        (left, one), (right, other) = np.linalg.qr(down), np.linalg.qr(up.T)
        inner, sizes, outer = np.linalg.svd(one @ other.T)
        root = np.sqrt(sizes[:rank])
        return (left @ inner[:, :rank]) * root, ((right @ outer.T[:, :rank]) * root).T

    parts = {name: nearest(*part) for name, part in network.delta.parts.items()}
    return replace(network, delta=Delta(network.delta.layers, parts))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", type=Path, nargs="+", help="as `training.encoders` writes them, of one kind")
    parser.add_argument("--keep", type=int, help="rank of the changes; all of them without it")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    try:
        mean = average([load_taught(path.name, path) for path in given.networks])
    except ValueError as error:
        parser.error(str(error))
    (lowered(mean, given.keep) if given.keep else mean).saved(given.out)


if __name__ == "__main__":
    main()
