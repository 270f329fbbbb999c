"""What a message calls for whatever its label is: help for a writer in despair, or a person to talk to.

A small network over the tokens' states of some layers of an encoder that hears messages anyway: it makes each token a
few numbers, looks at all of them in several ways and takes the highest of each. Fitted by `eval.fit_calls`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from handrail.errors import SettingsError
from handrail.types import Calls

Floats = NDArray[np.float32]

FILE = "calls.npz"
FOREIGN, ENGLISH = "foreign", "english"
"""Of the encoder that reads a hundred languages, and of the one that hears English where that is turned off."""
PARTS = ("inner", "inner_bias", "looks", "looks_bias", "out", "out_bias")


@dataclass(frozen=True, slots=True)
class CallsHead:
    """One encoder's. Its logits are above 0 from the thresholds on that were chosen when it was fitted."""

    taught: str
    """Digest of what the encoder was taught, whose states it reads."""
    layers: tuple[int, ...]
    inner: Floats
    """`(layers * width, hidden)`, and `(hidden,)` on top."""
    inner_bias: Floats
    looks: Floats
    """`(hidden, looks)`, and `(looks,)`: how much each token counts in each look at all of them."""
    looks_bias: Floats
    out: Floats
    """`((looks + 1) * hidden, 2)`, and `(2,)`: of the means by look, then of the highest; crisis, then person."""
    out_bias: Floats

    def read(self, states: Sequence[Floats]) -> Calls:
        """`states` are `(tokens, width)` for each of the layers. About a tenth of a millisecond."""
        hidden = _gelu(np.concatenate(states, axis=1) @ self.inner + self.inner_bias)
        shares = hidden @ self.looks + self.looks_bias
        shares = np.exp(shares - shares.max(axis=0))
        means = (shares / shares.sum(axis=0)).T @ hidden
        crisis, person = np.concatenate([means.ravel(), hidden.max(axis=0)]) @ self.out + self.out_bias
        return Calls(_probability(float(crisis)), _probability(float(person)))


@cache
def load_calls(kind: str, path: Path | None = None) -> CallsHead:
    """`foreign` or `english`, of the file given, or the one that ships. Raises SettingsError when it is not one."""
    source = path if path is not None else files("handrail") / "fitted" / FILE
    try:
        with np.load(BytesIO(source.read_bytes()), allow_pickle=False) as file:
            parts = {part: file[f"{kind}.{part}"].astype(np.float32) for part in PARTS}
            layers = tuple(int(layer) for layer in file[f"{kind}.layers"])
            return CallsHead(str(file[f"{kind}.taught"]), layers, **parts)
    except (OSError, EOFError, BadZipFile, ValueError, KeyError) as error:
        raise SettingsError(f"{source}: no head of calls: {error}") from None


def _gelu(values: Floats) -> Floats:
    found: Floats = 0.5 * values * (1 + np.tanh(math.sqrt(2 / math.pi) * (values + 0.044715 * values**3)))
    return found


def _probability(logit: float) -> float:
    return 1 / (1 + math.exp(-min(max(logit, -30.0), 30.0)))
