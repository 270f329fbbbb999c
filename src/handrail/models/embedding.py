"""An embedding that brings along what the encoder's lower layers show."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from handrail.types import Vectors

States = NDArray[np.float16]
"""`(layers * d,)`: half precision, as many are kept."""


class Embedding(np.ndarray[tuple[Any, ...], np.dtype[np.float32]]):
    """`(d,)`: a message's embedding, with what the encoder's lower layers show of its words.

    What is computed of it is a plain array.
    """

    states: States | None
    """`(layers * d,)`: the mean over its words behind each layer that the manifest names; None where it names none."""

    def __new__(cls, values: Vectors, states: States | None = None) -> Embedding:
        made = np.asarray(values, dtype=np.float32).view(cls)
        made.states = states
        return made

    def __array_finalize__(self, source: object) -> None:
        self.states = None

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        return array[()] if return_scalar else np.asarray(array)
