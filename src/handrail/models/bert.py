"""The same int8 BERT with less work: what exporters leave in a file is taken out when it is loaded.

Matrices keep their numbers. A text is run alone, so that nothing is padded, and its result does not depend on what it
is run with. Query, key and value are one product; of the last layer only those tokens are worked out that are read of
it; word vectors are made real after they are looked up; and what ONNX Runtime would join into slower
operators is written so that it does not.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from handrail.models.onnx_graph import MICROSOFT, Array, Graph, Node, read

EPSILON = 1e-12
HEAD = 32
"""Width of an attention head of the MiniLM and BGE-small families."""
INPUTS = ("input_ids", "token_type_ids")
WORDS = "words"
"""The input that takes the place of the first of these where vectors of words come with the text."""
STATES = "states.{}"
"""The output that holds every token's state after a layer."""


class Kept(Enum):
    """What of the last layer's states is given."""

    FIRST = "first"
    """The first token's: `(1, outputs)`."""
    FIRST_TEXT = "first text"
    """Those of the first of two texts, the tokens around it included, or of one text alone: `(tokens, outputs)`."""
    ALL = "all"
    """Every token's: `(tokens, outputs)`."""
    MEAN = "mean"
    """The mean over all tokens: `(1, outputs)`."""


@dataclass(frozen=True, slots=True)
class Matrix:
    """`(in, out)` int8, with a scale and a bias per output."""

    values: NDArray[np.int8]
    scale: NDArray[np.float32]
    bias: NDArray[np.float32]


def side_by_side(parts: Sequence[Matrix]) -> Matrix:
    """One matrix that gives the outputs of all, in order."""
    return Matrix(
        np.concatenate([part.values for part in parts], axis=1),
        np.concatenate([part.scale for part in parts]),
        np.concatenate([part.bias for part in parts]),
    )


class Source(Protocol):
    """Weights by the names of BERT's parts."""

    layers: int
    width: int

    def vector(self, name: str) -> NDArray[np.float32]: ...

    def rows(self, name: str) -> tuple[Array, float, int] | None:
        """Quantised rows of an embedding, their scale and zero point; None where vectors of words come with a text."""
        ...

    def real(self, name: str) -> NDArray[np.float32]: ...

    def has(self, name: str) -> bool: ...

    def matrix(self, *names: str) -> Matrix: ...


class Weights:
    """Those of a file by the names of BERT's parts. Raises ValueError or KeyError when it holds something else."""

    def __init__(self, model: bytes) -> None:
        nodes, constants = read(model)
        self._constants = {name.removeprefix("bert."): value for name, value in constants.items()}
        self._products = _products(nodes)
        self.layers = 1 + max(int(name.split(".")[2]) for name in self._products if name.startswith("encoder.layer."))
        self.width = len(self.vector("embeddings.LayerNorm.weight"))

    def vector(self, name: str) -> NDArray[np.float32]:
        return np.asarray(self._constants[name], np.float32)

    def rows(self, name: str) -> tuple[Array, float, int]:
        """Quantised rows of an embedding, their scale and zero point."""
        values, scale, zero = (
            self._constants[f"{name}.weight_{part}"] for part in ("quantized", "scale", "zero_point")
        )
        return values, float(scale.item()), int(zero.item())

    def has(self, name: str) -> bool:
        return name in self._constants

    def matrix(self, *names: str) -> Matrix:
        """Several with the same input side by side."""
        return side_by_side([self._matrix(name) for name in names])

    def _matrix(self, name: str) -> Matrix:
        found = self._products.get(name, f"{name}.weight").removesuffix("_quantized")
        values, scale, zero = (self._constants[f"{found}_{part}"] for part in ("quantized", "scale", "zero_point"))
        if values.dtype != np.int8 or np.any(np.asarray(zero) != 0):
            raise ValueError(f"{name} is not quantised around zero")
        across = np.broadcast_to(np.asarray(scale, np.float32), (values.shape[1],))
        return Matrix(np.asarray(values, np.int8), np.ascontiguousarray(across), self.vector(f"{name}.bias"))

    def real(self, name: str) -> NDArray[np.float32]:
        """The same rows as they are meant."""
        values, scale, zero = self.rows(name)
        return np.asarray((values.astype(np.float32) - np.float32(zero)) * np.float32(scale), np.float32)


def _products(nodes: Sequence[Node]) -> dict[str, str]:
    """The constant that each integer product multiplies by, by the module's name."""
    found = {}
    for node in nodes:
        if node.kind == "MatMulInteger":
            name = node.name.removesuffix("_quant").rpartition("/")[0].strip("/").replace("/", ".")
            found[name.removeprefix("bert.")] = node.inputs[1].removeprefix("bert.")
    return found


def written(weights: Source, states_of: Collection[int] = (), kept: Kept = Kept.FIRST) -> bytes:
    """An ONNX file that takes one text, `(1, tokens)`, and gives what is `kept` of it.

    `states_of` adds an output like STATES, `(tokens, width)`, for each of those layers, counted from 0 and in their
    order from below: what the layer leaves of each token, the last one of those that are kept.
    Raises ValueError or KeyError when the weights are of no BERT as `onnxruntime.quantization` writes them.
    """
    builder = _Builder(weights)
    hidden = builder.embedded()
    outputs: dict[str, Sequence[str | int]] = {}
    for number in range(weights.layers):
        last = number == weights.layers - 1
        hidden = builder.layer(number, hidden, builder.end(kept) if last else None)
        if number in states_of:
            outputs[builder.graph.add("Identity", [hidden], STATES.format(number))] = (
                f"tokens.{number}",
                weights.width,
            )
    if kept is Kept.MEAN:
        hidden = builder.graph.add("ReduceMean", [hidden], "mean", axes=[0], keepdims=1)
    name, width = builder.head(hidden)
    rows = 1 if kept in {Kept.FIRST, Kept.MEAN} else "kept"
    return builder.graph.model(builder.ids(), {name: (rows, width), **outputs}, builder.vectors())


class _Builder:
    def __init__(self, weights: Source) -> None:
        self._weights = weights
        self._heads = weights.width // HEAD
        self._rows = weights.rows("embeddings.word_embeddings")
        self.graph = Graph()

    def ids(self) -> dict[str, Sequence[str | int]]:
        """Inputs of whole numbers and their axes."""
        return dict.fromkeys(INPUTS if self._rows is not None else INPUTS[1:], (1, "tokens"))

    def vectors(self) -> dict[str, Sequence[str | int]]:
        """Inputs of real numbers and their axes."""
        return {WORDS: ("tokens", self._weights.width)} if self._rows is None else {}

    def embedded(self) -> str:
        graph = self.graph
        flat = {name: graph.add("Squeeze", [name, graph.whole(0)], f"{name}.flat") for name in self.ids()}
        words = WORDS if self._rows is None else self._looked_up(flat[INPUTS[0]], *self._rows)
        own = flat[INPUTS[1]]
        kinds = graph.add("Gather", [self._real_rows("token_type_embeddings"), own], "kinds")
        tokens = graph.add("Shape", [own], "tokens")
        places = graph.add(
            "Slice", [self._real_rows("position_embeddings"), graph.whole(0), tokens, graph.whole(0)], "places"
        )
        return self._normed("embeddings.LayerNorm", words, kinds, places)

    def _looked_up(self, ids: str, words: Array, scale: float, zero: int) -> str:
        graph = self.graph
        found = graph.add("Gather", [graph.constant("words.rows", words), ids], "words.found")
        scales = [
            graph.constant("words.scale", np.array(scale, np.float32)),
            graph.constant("words.zero", np.array(zero, words.dtype)),
        ]
        return graph.add("DequantizeLinear", [found, *scales], "words.real")

    def end(self, kept: Kept) -> str | None:
        """Where the tokens end that are kept; None at the text's own end."""
        graph = self.graph
        if kept is Kept.FIRST:
            return graph.whole(1)
        if kept is Kept.FIRST_TEXT:
            own = graph.add("Sub", [graph.whole(1), f"{INPUTS[1]}.flat"], "own")
            return graph.add("ReduceSum", [own], "own.end", keepdims=1)
        return None

    def layer(self, number: int, hidden: str, end: str | None) -> str:
        """`(tokens, width)` to the same, or to the tokens before `end` alone."""
        graph, name = self.graph, f"encoder.layer.{number}"
        wanted = hidden
        if end is not None:
            wanted = graph.add("Slice", [hidden, graph.whole(0), end, graph.whole(0)], f"{name}.wanted")
        seen = self._attention(f"{name}.attention.self", hidden, wanted)
        mixed = self._linear(f"{name}.attention.output.dense", seen)
        hidden = self._normed(f"{name}.attention.output.LayerNorm", mixed, wanted)
        grown = self._linear(f"{name}.intermediate.dense", hidden)
        active = graph.add("Gelu", [grown], f"{name}.active", MICROSOFT)
        shrunk = self._linear(f"{name}.output.dense", active)
        return self._normed(f"{name}.output.LayerNorm", shrunk, hidden)

    def head(self, hidden: str) -> tuple[str, int]:
        """The output's name and width: a classifier's logits where there is one, else the first token's state."""
        graph = self.graph
        if not self._weights.has("classifier.bias"):
            return graph.add("Identity", [hidden], "first"), self._weights.width
        pooled = graph.add("Tanh", [self._linear("pooler.dense", hidden)], "pooled")
        logits = self._linear("classifier", pooled)
        return graph.add("Identity", [logits], "logits"), len(self._weights.vector("classifier.bias"))

    def _attention(self, name: str, hidden: str, wanted: str) -> str:
        """What the tokens of `wanted` see in `hidden`.

        Queries come divided by the root of a head's width, which would else be done to every product.
        """
        graph, heads = self.graph, self._heads
        query, key, value = (f"{name}.{part}" for part in ("query", "key", "value"))
        if wanted != hidden:
            self._split(self._linear(query, wanted, scaled=HEAD**-0.5), f"{query}.heads")
            self._split(self._linear(f"{name}.both", hidden, key, value), f"{key}.heads", f"{value}.heads")
        else:
            three = self._linear(f"{name}.three", hidden, query, key, value, scaled=HEAD**-0.5)
            self._split(three, f"{query}.heads", f"{key}.heads", f"{value}.heads")
        products = graph.add(
            "FusedMatMul",
            [f"{query}.heads", f"{key}.heads"],
            f"{name}.products",
            MICROSOFT,
            transB=1,
            transBatchA=1,
            transBatchB=1,
        )
        shares = graph.add("Softmax", [products], f"{name}.shares", axis=-1)
        mixed = graph.add("FusedMatMul", [shares, f"{value}.heads"], f"{name}.mixed", MICROSOFT, transBatchB=1)
        turned = graph.add("Transpose", [mixed], f"{name}.turned", perm=(1, 0, 2))
        return graph.add("Reshape", [turned, graph.whole(0, heads * HEAD)], f"{name}.seen")

    def _split(self, mixed: str, *names: str) -> None:
        """`(tokens, parts * width)` to parts of `(tokens, heads, head)`."""
        graph, heads = self.graph, self._heads
        if len(names) == 1:
            graph.add("Reshape", [mixed, graph.whole(0, heads, HEAD)], names[0])
            return
        wide = graph.add("Reshape", [mixed, graph.whole(0, len(names) * heads, HEAD)], f"{mixed}.heads")
        graph.add("Split", [wide], names, axis=1)

    def _linear(self, name: str, source: str, *modules: str, scaled: float = 1.0) -> str:
        """The product of `modules`, or of the one called `name`; `scaled` is for the first one's outputs."""
        graph = self.graph
        matrix = self._weights.matrix(*(modules or (name,)))
        factor = np.ones(len(matrix.scale), np.float32)
        factor[: self._weights.width] = scaled
        inputs = [
            source,
            graph.constant(f"{name}.matrix", matrix.values),
            graph.constant(f"{name}.scale", matrix.scale * factor),
            graph.constant(f"{name}.zero", np.zeros(len(factor), np.int8)),
            graph.constant(f"{name}.bias", matrix.bias * factor),
        ]
        return graph.add("DynamicQuantizeMatMul", inputs, f"{name}.out", MICROSOFT)

    def _normed(self, name: str, *sources: str) -> str:
        """`Sum`, not `Add`: ONNX Runtime joins the latter with what follows into an operator four times as slow."""
        graph = self.graph
        parts = [
            graph.constant(f"{name}.{kind}", self._weights.vector(f"{name}.{kind}")) for kind in ("weight", "bias")
        ]
        both = graph.add("Sum", sources, f"{name}.sum")
        return graph.add("LayerNormalization", [both, *parts], f"{name}.out", epsilon=EPSILON)

    def _real_rows(self, name: str) -> str:
        return self.graph.constant(name, self._weights.real(f"embeddings.{name}"))
