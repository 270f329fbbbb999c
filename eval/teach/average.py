"""The mean of networks that were taught the same thing from one start: better than each of them.

    python -m eval.teach.average ONE.npz OTHER.npz --out src/handrail/fitted/questions.npz

"Model soups" (Wortsman et al. 2022). Their low-rank changes are added up as they are, so that the file has the rank of
all of them together; loaded, it is one network and costs what one costs.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from handrail.local_models.taught import Taught, load_taught
from handrail.local_models.tuned import Delta, Floats


def average(networks: Sequence[Taught]) -> Taught:
    """Raises ValueError where they are not changes of the same matrices of one model."""
    first, share = networks[0], 1.0 / len(networks)
    for other in networks[1:]:
        same = (other.model, other.delta.layers, other.weights.shape, other.delta.parts.keys())
        if same != (first.model, first.delta.layers, first.weights.shape, first.delta.parts.keys()):
            raise ValueError("they are not changes of the same matrices of one model")

    def added(name: str) -> tuple[Floats, Floats]:
        parts = [network.delta.parts[name] for network in networks]
        up = np.concatenate([up for _, up in parts]) * np.float32(share)
        return np.concatenate([down for down, _ in parts], axis=1), up

    return Taught(
        model=first.model,
        delta=Delta(first.delta.layers, {name: added(name) for name in first.delta.parts}),
        weights=np.mean([network.weights for network in networks], axis=0),
        intercepts=np.mean([network.intercepts for network in networks], axis=0),
        fitted_on="; ".join(network.fitted_on for network in networks),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", type=Path, nargs="+", help="as `eval.teach` writes them, of one kind")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    try:
        average([load_taught(path.name, path) for path in given.networks]).saved(given.out)
    except ValueError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
