"""Whether a passage states a claim: the cross-encoder for search, taught on claims that are true or false of a passage.

It keeps the lower layers, changes the matrices of the upper ones a little (`tuned`), and is read at the first token and
the mean of the claim's own, by one linear map. Trained by `eval/train_entailment.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from tokenizers import Encoding

from handrail.errors import SettingsError
from handrail.local_models.manifest import ModelSpec
from handrail.local_models.onnx import OnnxModel, Output, pair_encodings
from handrail.local_models.tuned import Delta, Floats

SHIPPED = "entailment.npz"
DOWN, UP = ":down", ":up"
"""Behind a matrix's name: what its input is multiplied by first, and then."""
MAX_TOKENS = 128
"""Of claim and passage together; it was trained on no more."""
CLAIM_TOKENS = 60


@dataclass(frozen=True, slots=True)
class Entailment:
    """What the file holds: of which model, what is added to it, and how its last states are read."""

    model: str
    delta: Delta
    weights: Floats
    """Of the first token's state, then of the mean state of the claim's tokens."""
    intercept: float
    fitted_on: str

    def saved(self, path: Path) -> None:
        """In half precision, to which training does not feel the difference."""
        parts = {}
        for name, (down, up) in self.delta.parts.items():
            parts[name + DOWN], parts[name + UP] = down.astype(np.float16), up.astype(np.float16)
        np.savez_compressed(
            path,
            allow_pickle=False,
            model=np.array(self.model),
            layers=np.array(self.delta.layers),
            weights=self.weights.astype(np.float32),
            intercept=np.array(self.intercept, np.float32),
            fitted_on=np.array(self.fitted_on),
            **parts,
        )


def load_entailment(path: Path | None = None) -> Entailment:
    """The file given, or the one that ships. Raises SettingsError when it is not one."""
    source = path if path is not None else files("handrail") / "fitted" / SHIPPED
    try:
        with np.load(BytesIO(source.read_bytes()), allow_pickle=False) as file:
            names = [name.removesuffix(DOWN) for name in file.files if name.endswith(DOWN)]
            parts = {name: (file[name + DOWN].astype(np.float32), file[name + UP].astype(np.float32)) for name in names}
            return Entailment(
                model=str(file["model"]),
                delta=Delta(int(file["layers"]), parts),
                weights=file["weights"],
                intercept=float(file["intercept"]),
                fitted_on=str(file["fitted_on"]),
            )
    except (OSError, EOFError, BadZipFile, ValueError, KeyError) as error:
        raise SettingsError(f"{source}: not a model of entailment: {error}") from None


class OnnxEntailer:
    """A Reranker of (claim, passage): log-odds, not calibrated, that the passage states the claim."""

    def __init__(self, spec: ModelSpec, folder: Path, fitted: Entailment, *, threads: int) -> None:
        """`folder` holds the files of `spec`, the model that `fitted` was made of."""
        self.name = f"{spec.name}+entailment"
        self._fitted = fitted
        self._model = OnnxModel(folder, threads, every_token=True, delta=fitted.delta)

    def score(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        if not pairs:
            return []
        encodings = pair_encodings(self._model.tokenizer, pairs, MAX_TOKENS, CLAIM_TOKENS)
        return self._model.each(encodings, self._logit)

    def _logit(self, encoding: Encoding, outputs: Output) -> float:
        return float(summed(encoding, outputs) @ self._fitted.weights) + self._fitted.intercept


def summed(encoding: Encoding, outputs: Output) -> Floats:
    """The first token's state, then the mean of the claim's: `(2 * width,)`."""
    states = outputs[0]
    claim = np.asarray(encoding.type_ids) == 0
    claim[0] = False
    return np.concatenate([states[0], states[claim].mean(axis=0)])
