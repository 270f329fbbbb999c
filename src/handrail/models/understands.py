"""What a message does in the conversation, and what it calls for, whatever its label is.

Small networks over the tokens' states of some layers of an encoder that hears messages anyway: each makes every token a
few numbers, looks at all of them in several ways and takes the highest of each. Fitted by `training.heads`.
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
from handrail.types import Understood

Floats = NDArray[np.float32]

FILE = "understand.npz"
FOREIGN, ENGLISH = "foreign", "english"
"""Of the encoder that reads a hundred languages, and of the one that hears English where that is turned off."""
PARTS = ("inner", "inner_bias", "looks", "looks_bias", "out", "out_bias")


@dataclass(frozen=True, slots=True)
class UnderstandingHead:
    """One encoder's, the mean of some networks, calibrated in fitting."""

    taught: str
    """Digest of what the encoder was taught, whose states it reads."""
    layers: tuple[int, ...]
    acts: tuple[str, ...]
    """Whose logits come first; those of `depends`, `refuses_offer` and `crisis` follow."""
    matters: tuple[str, ...]
    """Whose logits come last."""
    inner: Floats
    """`(networks, layers * width, hidden)`, and `(networks, hidden)` on top."""
    inner_bias: Floats
    looks: Floats
    """`(networks, hidden, looks)`, and `(networks, looks)`: how much each token counts in each look at all of them."""
    looks_bias: Floats
    out: Floats
    """`(networks, (looks + 1) * hidden, acts + 3 + matters)`, and `(networks, acts + 3 + matters)`: of the means by
    look, then of the highest."""
    out_bias: Floats

    def read(self, states: Sequence[Floats]) -> Understood:
        """`states` are `(tokens, width)` for each of the layers. A few tenths of a millisecond."""
        joined = np.concatenate(states, axis=1)
        logits = np.mean([self._logits(joined, at) for at in range(len(self.inner))], axis=0)
        acts, flags, matters = np.split(logits, [len(self.acts), len(logits) - len(self.matters)])
        depends, refuses_offer, crisis = (_probability(float(logit)) for logit in flags)
        about = _shares(self.matters, matters)
        return Understood(_shares(self.acts, acts), depends, refuses_offer, crisis, about)

    def _logits(self, states: Floats, at: int) -> Floats:
        hidden = _gelu(states @ self.inner[at] + self.inner_bias[at])
        shares = hidden @ self.looks[at] + self.looks_bias[at]
        shares = np.exp(shares - shares.max(axis=0))
        means = (shares / shares.sum(axis=0)).T @ hidden
        found: Floats = np.concatenate([means.ravel(), hidden.max(axis=0)]) @ self.out[at] + self.out_bias[at]
        return found


@cache
def load_understanding(kind: str, path: Path | None = None) -> UnderstandingHead:
    """`foreign` or `english`, of the file given, or the one that ships. Raises SettingsError when it is not one."""
    source = path if path is not None else files("handrail.models") / "bundle" / FILE
    try:
        with np.load(BytesIO(source.read_bytes()), allow_pickle=False) as file:
            parts = {part: file[f"{kind}.{part}"].astype(np.float32) for part in PARTS}
            layers = tuple(int(layer) for layer in file[f"{kind}.layers"])
            acts, matters = tuple(file["acts"].tolist()), tuple(file["matters"].tolist())
            return UnderstandingHead(str(file[f"{kind}.taught"]), layers, acts, matters, **parts)
    except (OSError, EOFError, BadZipFile, ValueError, KeyError) as error:
        raise SettingsError(f"{source}: not a head for classifying messages: {error}") from None


def _gelu(values: Floats) -> Floats:
    found: Floats = 0.5 * values * (1 + np.tanh(math.sqrt(2 / math.pi) * (values + 0.044715 * values**3)))
    return found


def _shares(names: Sequence[str], logits: Floats) -> dict[str, float]:
    shares = np.exp(logits - logits.max())
    return dict(zip(names, (shares / shares.sum()).tolist(), strict=True))


def _probability(logit: float) -> float:
    return 1 / (1 + math.exp(-min(max(logit, -30.0), 30.0)))
