"""What `handrail tune` found for one knowledge base, weights and a map of the query's embedding, and when it holds.

The file lies in the knowledge base's `fitted` folder. It counts only for the index and the models it was fitted with,
and only where the operator's settings keep their default.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from handrail.settings import Models, Retrieval
from handrail.types import Vectors

logger = logging.getLogger(__name__)

FILE = "retrieval.json"
WEIGHTS = ("dense_weight", "article_weight", "article_keyword_weight", "late_weight")


class Fit(BaseModel):
    """The file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    generation: str
    """Of the index."""
    embedder: str
    reranker: str
    late: str = "none"
    weights: dict[str, float] = Field(default_factory=dict)
    """Values of `retrieval` settings by name, each a share in [0, 1]."""
    adapter: str | None = None
    """File beside this one."""
    fitted_on: str
    n: int
    decided_on: str
    before: dict[str, float]
    after: dict[str, float]
    gain: tuple[float, float, float]
    """Of nDCG@10 where it was decided: lower end of the 95 % interval, mean, upper end."""


@dataclass(frozen=True, slots=True)
class Tuned:
    """A fit that holds for the index and models in use."""

    weights: Mapping[str, float]
    adapter: Vectors | None
    """`(d, d)` float32, added to the identity."""

    @property
    def digest(self) -> str:
        """Changes with anything that changes what is found."""
        adapter = b"" if self.adapter is None else self.adapter.tobytes()
        return hashlib.sha256(repr(sorted(self.weights.items())).encode() + adapter).hexdigest()[:16]

    def over(self, settings: Retrieval) -> Retrieval:
        """`settings` with what was fitted wherever they are at their defaults."""
        defaults = Retrieval()
        kept = {
            name: value for name, value in self.weights.items() if getattr(settings, name) == getattr(defaults, name)
        }
        return settings.model_copy(update=kept)

    def adapt(self, embedding: Vectors) -> Vectors:
        """`(d,)` float32, L2-normalised."""
        if self.adapter is None:
            return embedding
        moved = embedding + embedding @ self.adapter
        return np.asarray(moved / max(float(np.linalg.norm(moved)), 1e-12), dtype=np.float32)


def load_tuned(folder: Path, generation: str, models: Models) -> Tuned | None:
    """None without a file, and, said in one line, where it is damaged or was fitted to something else."""
    try:
        fit = read(folder)
        if fit is None:
            return None
        was = (fit.generation, fit.embedder, fit.reranker, fit.late)
        if was != (generation, models.embedder, models.reranker, models.late):
            changed = "articles" if fit.generation != generation else "models"
            logger.warning(
                "%s is not used: the %s have changed since; run `handrail tune` again", folder / FILE, changed
            )
            return None
        adapter = None
        if fit.adapter is not None:
            with (folder / fit.adapter).open("rb") as stream, np.load(stream, allow_pickle=False) as stored:
                adapter = stored["map"].astype(np.float32)
        return Tuned(fit.weights, adapter)
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        logger.warning("%s is not used: %s; run `handrail tune` again", folder / FILE, _one_line(error))
        return None


def read(folder: Path) -> Fit | None:
    """The file as it is, stale or not. Raises ValueError when it is no such file."""
    try:
        text = (folder / FILE).read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    try:
        fit = Fit.model_validate(json.loads(text))
    except ValidationError as error:
        raise ValueError(f"{error.error_count()} wrong value(s)") from None
    if not set(fit.weights) <= set(WEIGHTS) or not all(0 <= value <= 1 for value in fit.weights.values()):
        raise ValueError("weights must be known and between 0 and 1")
    if fit.adapter is not None and Path(fit.adapter).name != fit.adapter:
        raise ValueError("the adapter is outside its folder")
    return fit


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
