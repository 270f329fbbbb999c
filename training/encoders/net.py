"""The upper layers of a BERT with low-rank changes to learn (LoRA, Hu et al. 2021)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from handrail.models.bert import EPSILON, HEAD, Source
from handrail.models.taught import Taught
from handrail.models.tuned import Delta, Floats

REAL = torch.float32
"""A processor that has no bfloat16 multiplies it some forty times more slowly."""
ATTENTION = tuple(f"attention.self.{part}" for part in ("query", "key", "value"))
CPU = torch.device("cpu")
SCALE = 2.0
"""Of what is learnt, so that its rate is of the size of the other weights'."""


class Changed(nn.Module):  # type: ignore[misc, unused-ignore]
    """Matrices side by side that stay as they are, each with a change of its own."""

    def __init__(self, source: Source, names: Sequence[str], rank: int) -> None:
        super().__init__()
        matrices = [source.matrix(name) for name in names]
        real = np.concatenate([matrix.values * matrix.scale for matrix in matrices], axis=1)
        self.names, self.rank = names, rank
        self.register_buffer("fixed", torch.from_numpy(real).to(REAL))
        bias = np.concatenate([matrix.bias for matrix in matrices])
        self.register_buffer("bias", torch.from_numpy(bias).to(REAL))
        self.down = nn.Parameter(torch.randn(len(real), rank * len(names)) / len(real) ** 0.5)
        self.up = nn.ParameterList([nn.Parameter(torch.zeros(rank, len(matrix.scale))) for matrix in matrices])

    def forward(self, states: Tensor) -> Tensor:
        out = torch.addmm(self.bias, states, self.fixed)
        inner = (states @ (self.down * SCALE).to(REAL)).split(self.rank, dim=1)
        return out + torch.cat([part @ up.to(REAL) for part, up in zip(inner, self.up, strict=True)], dim=1)

    def learnt(self) -> dict[str, tuple[Floats, Floats]]:
        downs = (self.down * SCALE).detach().cpu().split(self.rank, dim=1)
        ups = [up.detach().cpu() for up in self.up]
        return {name: (down.numpy(), up.numpy()) for name, down, up in zip(self.names, downs, ups, strict=True)}


class Layer(nn.Module):  # type: ignore[misc, unused-ignore]
    def __init__(self, source: Source, number: int, rank: int) -> None:
        super().__init__()
        name = f"encoder.layer.{number}."
        self.three = Changed(source, [name + part for part in ATTENTION], rank)
        self.mix = Changed(source, [name + "attention.output.dense"], rank)
        self.grow = Changed(source, [name + "intermediate.dense"], rank)
        self.shrink = Changed(source, [name + "output.dense"], rank)
        for place, norm in (("attention.output.LayerNorm", "mixed"), ("output.LayerNorm", "shrunk")):
            for kind in ("weight", "bias"):
                values = torch.tensor(source.vector(f"{name}{place}.{kind}")).to(REAL)
                self.register_buffer(f"{norm}_{kind}", values)

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """`(texts * tokens, width)` to the same; `mask` is `(texts, tokens)`."""
        texts, tokens = mask.shape
        width = states.shape[1]
        query, key, value = self.three(states).view(texts, tokens, 3, width // HEAD, HEAD).permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask[:, None, None, :])
        mixed = self.mix(seen.transpose(1, 2).reshape(texts * tokens, width))
        states = functional.layer_norm(mixed + states, (width,), self.mixed_weight, self.mixed_bias, EPSILON)
        shrunk = self.shrink(functional.gelu(self.grow(states))) + states
        return functional.layer_norm(shrunk, (width,), self.shrunk_weight, self.shrunk_bias, EPSILON)


class Lower:
    """Word, place and kind vectors and the layers below `first`, which stay as they are."""

    def __init__(self, source: Source, first: int, device: torch.device = CPU) -> None:
        self.device = device
        self._tables = [
            torch.from_numpy(source.real(f"embeddings.{name}_embeddings")).to(device)
            for name in ("word", "position", "token_type")
        ]
        self._norm = [
            torch.tensor(source.vector(f"embeddings.LayerNorm.{kind}")).to(device) for kind in ("weight", "bias")
        ]
        self._layers = [Layer(source, number, 1).to(device) for number in range(first)]

    @torch.no_grad()  # type: ignore[untyped-decorator, unused-ignore]
    def states(self, ids: Tensor, kinds: Tensor, mask: Tensor) -> Tensor:
        """`(texts, tokens, width)`"""
        words, places, sorts = self._tables
        width = words.shape[1]
        real = words[ids] + places[: ids.shape[1]] + sorts[kinds]
        states = functional.layer_norm(real, (width,), self._norm[0], self._norm[1], EPSILON).to(REAL).view(-1, width)
        for layer in self._layers:
            states = layer(states, mask)
        return states.view(*ids.shape, width)


class Upper(nn.Module):  # type: ignore[misc, unused-ignore]
    """Layers from `first` to `last`, and a linear map of the first token's state and the mean of the first text's."""

    def __init__(self, source: Source, first: int, last: int, rank: int, dropout: float, outputs: int = 1) -> None:
        super().__init__()
        self.layers = nn.ModuleList([Layer(source, number, rank) for number in range(first, last + 1)])
        self.head = nn.Linear(2 * source.width, outputs)
        nn.init.normal_(self.head.weight, std=0.01)
        nn.init.zeros_(self.head.bias)
        self._dropout = nn.Dropout(dropout)
        self._depth = last + 1

    def forward(self, states: Tensor, kinds: Tensor, mask: Tensor) -> Tensor:
        """`(texts, outputs)`"""
        shape = states.shape
        flat = states.reshape(-1, shape[2])
        for layer in self.layers:
            flat = layer(flat, mask)
        last = flat.view(shape).float()
        own = (mask & (kinds == 0)).float()
        own[:, 0] = 0
        mean = (last * own[:, :, None]).sum(1) / own.sum(1, keepdim=True)
        return self.head(self._dropout(torch.cat([last[:, 0], mean], 1)))

    def starts(self, before: Taught) -> None:
        """Reads the last states at first as `before` does, whose changes are in the layers already."""
        self.head.weight.data.copy_(torch.from_numpy(before.weights))
        self.head.bias.data.copy_(torch.from_numpy(before.intercepts))

    def taught(self, model: str, fitted_on: str) -> Taught:
        parts = {}
        for layer in self.layers:
            for changed in (layer.three, layer.mix, layer.grow, layer.shrink):
                parts.update(changed.learnt())
        weights, bias = self.head.weight.detach().cpu().numpy(), self.head.bias.detach().cpu().numpy()
        return Taught(model, Delta(self._depth, parts), weights, bias, fitted_on)
