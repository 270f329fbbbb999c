"""A BERT cross-encoder of a few layers, started from layers of the teacher (layer dropping, Sajjad et al. 2023).

Only the first token of the last layer is read, so the last layer computes nothing else: its queries, feed-forward and
normalisation are of one token instead of all. That alone saves most of a layer and changes no result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

WIDTH, HEADS, INNER = 384, 12, 1536
EPSILON = 1e-12


class Layer(nn.Module):  # type: ignore[misc, unused-ignore]
    def __init__(self, inner: int, first_token_only: bool) -> None:
        super().__init__()
        self.first = first_token_only
        self.query, self.key, self.value, self.out = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.norm = nn.LayerNorm(WIDTH, eps=EPSILON)
        self.up, self.down = nn.Linear(WIDTH, inner), nn.Linear(inner, WIDTH)
        self.last_norm = nn.LayerNorm(WIDTH, eps=EPSILON)

    def forward(self, hidden: Tensor, mask: Tensor) -> Tensor:
        """`(batch, tokens, width)`, or `(batch, 1, width)` where only the first token goes on; `mask` is additive."""
        kept = hidden[:, :1] if self.first else hidden
        seen = functional.scaled_dot_product_attention(
            _split(self.query(kept)), _split(self.key(hidden)), _split(self.value(hidden)), attn_mask=mask
        )
        kept = self.norm(kept + self.out(seen.transpose(1, 2).flatten(2)))
        grown: Tensor = self.last_norm(kept + self.down(functional.gelu(self.up(kept))))
        return grown


def _split(projected: Tensor) -> Tensor:
    batch, tokens, _ = projected.shape
    return projected.view(batch, tokens, HEADS, WIDTH // HEADS).transpose(1, 2)


class Student(nn.Module):  # type: ignore[misc, unused-ignore]
    def __init__(self, layers: int, inner: int = INNER, words: int = 30522, positions: int = 512) -> None:
        super().__init__()
        self.words, self.positions = nn.Embedding(words, WIDTH), nn.Embedding(positions, WIDTH)
        self.kinds = nn.Embedding(2, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=EPSILON)
        self.layers = nn.ModuleList(Layer(inner, number == layers - 1) for number in range(layers))
        self.pooler, self.classifier = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, 1)

    def forward(self, ids: Tensor, kinds: Tensor, attended: Tensor) -> tuple[Tensor, Tensor]:
        """Logits `(batch,)` and the first token's state `(batch, width)`; `attended` is true where a token is."""
        places = torch.arange(ids.shape[1])
        hidden = self.norm(self.words(ids) + self.positions(places) + self.kinds(kinds))
        mask = torch.zeros(attended.shape, dtype=hidden.dtype).masked_fill(~attended, -1e4)[:, None, None]
        for layer in self.layers:
            hidden = layer(hidden, mask)
        state = hidden[:, 0]
        return self.classifier(torch.tanh(self.pooler(state)))[:, 0], state


NAMES = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "out": "attention.output.dense",
    "norm": "attention.output.LayerNorm",
    "up": "intermediate.dense",
    "down": "output.dense",
    "last_norm": "output.LayerNorm",
}
TOP = {
    "words": "bert.embeddings.word_embeddings",
    "positions": "bert.embeddings.position_embeddings",
    "kinds": "bert.embeddings.token_type_embeddings",
    "norm": "bert.embeddings.LayerNorm",
    "pooler": "bert.pooler.dense",
    "classifier": "classifier",
}


def from_teacher(teacher: Mapping[str, NDArray[np.float32]], kept: Sequence[int], inner: int = INNER) -> Student:
    """A student of the teacher's layers `kept`; a narrower feed-forward keeps its `inner` heaviest neurons."""
    student = Student(len(kept), inner)
    state: dict[str, NDArray[np.float32]] = {}
    for ours, theirs in TOP.items():
        state |= {
            f"{ours}.{kind}": teacher[f"{theirs}.{kind}"]
            for kind in ("weight", "bias")
            if f"{theirs}.{kind}" in teacher
        }
    for number, source in enumerate(kept):
        rows = heaviest(teacher, source, inner)
        for ours, theirs in NAMES.items():
            for kind in ("weight", "bias"):
                value = teacher[f"bert.encoder.layer.{source}.{theirs}.{kind}"]
                if ours == "up":
                    value = value[rows]
                if ours == "down" and kind == "weight":
                    value = value[:, rows]
                state[f"layers.{number}.{ours}.{kind}"] = value
    student.load_state_dict({name: torch.from_numpy(value.copy()) for name, value in state.items()})
    return student


def heaviest(teacher: Mapping[str, NDArray[np.float32]], layer: int, inner: int) -> NDArray[np.intp]:
    """Neurons with the largest product of incoming and outgoing weight norms, in their old order."""
    up = np.linalg.norm(teacher[f"bert.encoder.layer.{layer}.intermediate.dense.weight"], axis=1)
    down = np.linalg.norm(teacher[f"bert.encoder.layer.{layer}.output.dense.weight"], axis=0)
    return np.sort(np.argsort(-up * down)[:inner])
