"""Search across languages: passages ranked by the cosine of an encoder that reads a hundred languages.

Its vectors lean towards the language a text is in, questions and passages alike, and that hides what the text is about.
The mean of questions and the directions in which languages differ are therefore taken out first (Yang et al. 2021, "A
Simple and Effective Method To Eliminate the Self Language Bias in Multilingual Representations"). Both are fitted by
`python -m training.abroad`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from handrail.errors import SettingsError
from handrail.models.batching import Batcher
from handrail.retrieve.exact import DENSE_WEIGHT, exact_terms
from handrail.retrieve.fusion import fuse
from handrail.stores.audience import Audience
from handrail.stores.snapshot import Snapshot
from handrail.text.language import FOREIGN, MAYBE_FOREIGN, foreign
from handrail.types import Hit, Vectors
from handrail.types.filters import Filters

FILE = "abroad.npz"
Keyword = Callable[[str], Mapping[str, float]]
"""BM25 scores of what keyword search finds, by passage id."""
DENSE_WEIGHT_UNREAD = 0.5
"""Weight of cosines beside keyword search for messages in the articles' language that the embedder does not read."""
SHORT = 2
"""Words of a message whose letters say little of its language, and whose words tell whether the articles have them."""


@dataclass(frozen=True, slots=True)
class LanguageBias:
    """What the vectors of an encoder's texts owe to their language."""

    model: str
    mean: Vectors
    """`(d,)`: of questions in many languages."""
    directions: Vectors
    """`(k, d)`, orthonormal: in which the means of languages differ."""
    fitted_on: str

    def saved(self, path: Path) -> None:
        np.savez_compressed(
            path,
            allow_pickle=False,
            model=np.array(self.model),
            mean=self.mean.astype(np.float16),
            directions=self.directions.astype(np.float16),
            fitted_on=np.array(self.fitted_on),
        )

    def without(self, vectors: Vectors, mean: Vectors) -> Vectors:
        """`vectors` less `mean` and the languages' directions, L2-normalised."""
        rest = vectors - mean
        rest = rest - rest @ self.directions.T @ self.directions
        found: Vectors = rest / np.maximum(np.linalg.norm(rest, axis=-1, keepdims=True), 1e-12)
        return found


@cache
def load_bias(path: Path | None = None) -> LanguageBias:
    """The file given, or the one that ships. Raises SettingsError when it is not one."""
    source = path if path is not None else files("handrail.models") / "bundle" / FILE
    try:
        with np.load(BytesIO(source.read_bytes()), allow_pickle=False) as file:
            mean, directions = file["mean"].astype(np.float32), file["directions"].astype(np.float32)
            return LanguageBias(str(file["model"]), mean, directions, str(file["fitted_on"]))
    except (OSError, EOFError, BadZipFile, ValueError, KeyError) as error:
        raise SettingsError(f"{source}: not a language bias file: {error}") from None


def in_another_language(text: str, lang: str, snapshot: Snapshot) -> bool:
    """Whether a message is surely not in `lang`.

    Where the articles are, a word or two that they have are too; one or two that they lack need look less foreign.
    """
    words = re.findall(r"\w+", text)
    if snapshot.lang != lang or not 1 <= len(words) <= SHORT:
        return foreign(text, lang)
    known = [snapshot.knows(word) for word in words]
    return not all(known) and foreign(text, lang, FOREIGN if any(known) else MAYBE_FOREIGN)


class AbroadSearch:
    """Ranks the passages of `snapshot` for messages that its own embedder does not read."""

    def __init__(
        self, snapshot: Snapshot, encode: Batcher[str, Vectors], vectors: Vectors, bias: LanguageBias, *, unread: bool
    ) -> None:
        """`vectors` are `(passages, d)`, L2-normalised, in the snapshot's order; `encode` makes those of questions.

        `unread`: the embedder does not read the articles, so that every message is searched for here.
        """
        self._snapshot = snapshot
        self._encode = encode
        self._bias = bias
        self._unread = unread
        self._plain = vectors.astype(np.float32)
        mean = self._plain.mean(axis=0) if len(vectors) else bias.mean
        self._unbiased = bias.without(self._plain, mean) if len(vectors) else self._plain
        self._floors = snapshot.unrelated(self._plain), snapshot.unrelated(self._unbiased)

    def takes(self, text: str) -> bool:
        """Whether a message is to be searched for here rather than by the embedder."""
        return self._unread or self.across(text)

    def across(self, text: str) -> bool:
        """Whether a message is surely in another language than the articles."""
        return in_another_language(text, self._snapshot.lang, self._snapshot)

    def foresee(self, text: str) -> None:
        """Begin to read a message that will be searched for."""
        if self.takes(text):
            self._encode.foresee(text)

    async def cosines(self, text: str) -> Vectors:
        """`(passages,)`, in the snapshot's order. Raises RetryableError when too many texts wait."""
        if not self._snapshot.passages:
            return np.zeros(0, dtype=np.float32)
        (asked,) = await self._encode.submit([text])
        if not self.across(text):
            return self._plain @ asked
        return self._unbiased @ self._bias.without(asked, self._bias.mean)

    async def search(self, text: str, k: int, filters: Filters, audience: Audience) -> list[tuple[str, float]]:
        """`(passage id, cosine)` pairs of what `audience` may read, best first."""
        return self._snapshot.nearest(await self.cosines(text), k, filters, audience)

    async def hits(self, text: str, k: int, filters: Filters, keyword: Keyword) -> list[Hit]:
        """The same with what keyword search finds of it, best first.

        Of another language only codes and the like are the same in the articles.
        """
        held, across = self._snapshot, self.across(text)
        dense = dict(await self.search(text, k, filters, held.audience))
        exact = sorted(exact_terms(text, held.vocabulary, held.stemming)) if across else [text]
        words = keyword(" ".join(exact)) if exact else {}
        fused = fuse(dense, words, DENSE_WEIGHT if across else DENSE_WEIGHT_UNREAD, self._floors[across])
        found = [
            Hit(held.by_id[i], dense.get(i, 0.0), words.get(i, 0.0), fused=score, final=score)
            for i, score in fused.items()
        ]
        return sorted(found, key=lambda hit: (-hit.fused, hit.passage.id))

    def floor(self, text: str) -> float:
        """Cosine of unrelated texts, on the scale of `cosines`."""
        return self._floors[self.across(text)]
