"""An encoder that is at hand, taught another question: low-rank changes of its upper layers, and how it is read.

It keeps the lower layers, changes the matrices of the upper ones a little (`tuned`), may leave the topmost out, and is
read at the first token and the mean of the first text's own, by one linear map. Trained by `training/encoders`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from importlib.resources.abc import Traversable
from io import BytesIO
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from tokenizers import Encoding

from handrail.errors import SettingsError
from handrail.models.bert import Kept
from handrail.models.onnx import OnnxModel, Output, longest_first, pair_encodings
from handrail.models.tuned import Delta, Floats
from handrail.models.understands import UnderstandingHead
from handrail.types import MessageScores

CLAIMS = ("entailment.npz", "entailment_again.npz", "entailment_embedder.npz")
"""Log-odds that the passage states the claim, of three networks that err apart: made of the cross-encoder, of what read
questions already, and of the embedder that did (experiment 165)."""
QUESTIONS = "questions.npz"
"""The cross-encoder's own logit by LOGIT, then log-odds that the passage answers the question."""
LOGIT = 4.0
QUESTIONS_AGAIN = "questions_again.npz"
"""The same of another encoder: what two that were trained for different ends say in the mean errs less (experiment
160)."""
MESSAGES = "messages.npz"
"""Logits of a message's labels, in the order of the head that they belong to."""
FOREIGN = "messages_foreign.npz"
"""The same of messages in other languages than English, by an encoder that reads a hundred (experiment 208)."""
DOWN, UP = ":down", ":up"
"""Behind a matrix's name: what its input is multiplied by first, and then."""
MAX_TOKENS, CLAIM_TOKENS, MESSAGE_TOKENS, FOREIGN_TOKENS = 128, 60, 96, 64
"""Of claim and passage together, of the claim, and of a message in English and in other languages; they were trained on
no more."""


@dataclass(frozen=True, slots=True)
class Taught:
    """What the file holds: of which model, what is added to it, and how its last states are read."""

    model: str
    delta: Delta
    weights: Floats
    """`(outputs, 2 * width)`: of the first token's state, then of the mean state of the first text's tokens."""
    intercepts: Floats
    fitted_on: str
    digest: str = ""
    """Of the file it was read from."""

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
            intercept=self.intercepts.astype(np.float32),
            fitted_on=np.array(self.fitted_on),
            **parts,
        )


def load_taught(name: str, path: Path | None = None) -> Taught:
    """The file given, or the one of that name that ships, read once. Raises SettingsError when it is not one."""
    return _shipped(name) if path is None else _read(path)


@cache
def _shipped(name: str) -> Taught:
    return _read(files("handrail.models") / "bundle" / name)


def _read(source: Traversable) -> Taught:
    try:
        content = source.read_bytes()
        with np.load(BytesIO(content), allow_pickle=False) as file:
            names = [part.removesuffix(DOWN) for part in file.files if part.endswith(DOWN)]
            parts = {part: (file[part + DOWN].astype(np.float32), file[part + UP].astype(np.float32)) for part in names}
            return Taught(
                model=str(file["model"]),
                delta=Delta(int(file["layers"]), parts),
                weights=np.atleast_2d(file["weights"]),
                intercepts=np.atleast_1d(file["intercept"]),
                fitted_on=str(file["fitted_on"]),
                digest=hashlib.sha256(content).hexdigest()[:12],
            )
    except (OSError, EOFError, BadZipFile, ValueError, KeyError) as error:
        raise SettingsError(f"{source}: not a fine-tuned model: {error}") from None


class OnnxTaught:
    """Reads pairs of texts, each pair alone; the second text is truncated, the first only when absurdly long."""

    def __init__(
        self,
        folder: Path,
        fitted: Taught,
        *,
        threads: int,
        max_tokens: int,
        first_tokens: int,
        understands: UnderstandingHead | None = None,
    ) -> None:
        """`folder` holds the files of the model that `fitted` was made of; `understands` was fitted to its states."""
        self._fitted, self._understands = fitted, understands
        layers = understands.layers if understands is not None else ()
        self._model = OnnxModel(folder, threads, layers, kept=Kept.FIRST_TEXT, delta=fitted.delta)
        self._max_tokens = max_tokens
        self._first_tokens = first_tokens

    def read(self, pairs: Sequence[tuple[str, str]]) -> list[Floats]:
        """`(outputs,)` for each pair, not calibrated."""
        if not pairs:
            return []
        encodings = pair_encodings(self._model.tokenizer, pairs, self._max_tokens, self._first_tokens)
        return self._model.each(encodings, self._read)

    def tasks(self, pairs: Sequence[tuple[str, str]]) -> list[tuple[int, Callable[[], Floats]]]:
        """The place of each pair and what reads it, on the thread that calls it; the longest first."""
        encodings = pair_encodings(self._model.tokenizer, pairs, self._max_tokens, self._first_tokens)
        return [(at, partial(self._model.one, encodings[at], self._read)) for at in longest_first(encodings)]

    def score_messages(self, texts: Sequence[str]) -> list[MessageScores]:
        """Each text alone: its outputs, and how it is understood."""
        encodings: list[Encoding] = self._model.tokenizer.encode_batch(list(texts))
        for encoding in encodings:
            encoding.truncate(self._max_tokens)
        return self._model.each(encodings, self._score_message)

    def _score_message(self, encoding: Encoding, outputs: Output) -> MessageScores:
        understood = self._understands.read(outputs[1:]) if self._understands is not None else None
        return MessageScores(self._read(encoding, outputs), understood)

    def _read(self, encoding: Encoding, outputs: Output) -> Floats:
        """Of the first token's state, then of the mean of the first text's."""
        states = outputs[0]
        both = np.concatenate([states[0], states[1:].mean(axis=0)])
        found: Floats = self._fitted.weights @ both + self._fitted.intercepts
        return found
