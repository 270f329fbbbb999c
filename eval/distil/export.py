"""A trained student as one int8 ONNX file, built from ONNX Runtime's fused operators.

Matrices are int8 per output channel with seven bits used (processors without VNNI add pairs of products in sixteen
bits, which eight would overflow); activations are quantised as they come. Word vectors are int8 with a scale each.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from eval.distil.student import EPSILON, HEADS, WIDTH

LIMIT = 63
MICROSOFT = "com.microsoft"

Weights = Mapping[str, NDArray[np.float32]]


class Graph:
    """Nodes and initialisers in the making."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, name: str, value: NDArray[Any]) -> str:
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def add(self, kind: str, inputs: list[str], out: str, domain: str = "", **attributes: Any) -> str:
        self.nodes.append(helper.make_node(kind, inputs, [out], name=out, domain=domain, **attributes))
        return out

    def linear(self, name: str, source: str, weight: NDArray[np.float32], bias: NDArray[np.float32]) -> str:
        """`weight` is `(out, in)`."""
        scale = np.maximum(np.abs(weight).max(axis=1), 1e-8) / LIMIT
        matrix = np.clip(np.rint(weight / scale[:, None]), -LIMIT, LIMIT).astype(np.int8).T
        inputs = [
            source,
            self.constant(f"{name}.matrix", matrix),
            self.constant(f"{name}.scale", scale.astype(np.float32)),
            self.constant(f"{name}.zero", np.zeros(len(scale), np.int8)),
            self.constant(f"{name}.bias", bias),
        ]
        return self.add("DynamicQuantizeMatMul", inputs, f"{name}.out", MICROSOFT)

    def normed(self, name: str, source: str, residual: str, weights: Weights) -> str:
        """`Sum`, not `Add`: ONNX Runtime joins the latter with what follows into an operator four times as slow."""
        parts = [self.constant(f"{name}.{kind}", weights[f"{name}.{kind}"]) for kind in ("weight", "bias")]
        both = self.add("Sum", [source, residual], f"{name}.sum")
        return self.add("LayerNormalization", [both, *parts], f"{name}.out", epsilon=EPSILON)


def save(weights: Weights, layers: int, path: Path) -> None:
    """`weights` are a Student's by name. The graph takes and gives what the teacher's does."""
    graph = Graph()
    hidden = _embedded(graph, weights)
    mask = _mask(graph)
    for number in range(layers):
        hidden = _layer(graph, weights, f"layers.{number}", hidden, mask, first_only=number == layers - 1)
    flat = graph.add("Squeeze", [hidden, graph.constant("one", np.array([1], np.int64))], "state")
    pooled = graph.add("Gemm", [flat, *_plain(graph, "pooler", weights)], "pooled", transB=1)
    squashed = graph.add("Tanh", [pooled], "squashed")
    graph.add("Gemm", [squashed, *_plain(graph, "classifier", weights)], "logits", transB=1)
    names = ("input_ids", "attention_mask", "token_type_ids")
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"]) for name in names]
    outputs = [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 1])]
    made = helper.make_graph(graph.nodes, "cross-encoder", inputs, outputs, graph.constants)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid(MICROSOFT, 1)]
    onnx.save(helper.make_model(made, opset_imports=opsets, ir_version=9, producer_name="handrail"), str(path))


def _embedded(graph: Graph, weights: Weights) -> str:
    words = weights["words.weight"]
    scale = np.maximum(np.abs(words).max(axis=1, keepdims=True), 1e-8) / 127
    rows = graph.constant("words.rows", np.rint(words / scale).astype(np.int8))
    scales = graph.constant("words.scale", scale.astype(np.float32))
    gathered = graph.add("Gather", [rows, "input_ids"], "words.gathered")
    as_float = graph.add("Cast", [gathered], "words.float", to=TensorProto.FLOAT)
    scaled = graph.add("Mul", [as_float, graph.add("Gather", [scales, "input_ids"], "words.scales")], "words.out")
    kinds = graph.add("Gather", [graph.constant("kinds.rows", weights["kinds.weight"]), "token_type_ids"], "kinds.out")
    length = graph.add("Shape", ["input_ids"], "tokens", start=1, end=2)
    bounds = [graph.constant("zero", np.array([0], np.int64)), length, "zero"]
    places = graph.add(
        "Slice", [graph.constant("positions.rows", weights["positions.weight"]), *bounds], "positions.out"
    )
    both = graph.add("Add", [kinds, places], "kinds.positions")
    return graph.normed("norm", scaled, both, weights)


def _mask(graph: Graph) -> str:
    """`(batch, 1, 1, tokens)`: 0 where a token is, -10000 where none is."""
    attended = graph.add("Cast", ["attention_mask"], "attended", to=TensorProto.FLOAT)
    missing = graph.add("Sub", [attended, graph.constant("whole", np.ones((), np.float32))], "missing")
    heavy = graph.add("Mul", [missing, graph.constant("heavy", np.full((), 1e4, np.float32))], "heavy.mask")
    return graph.add("Unsqueeze", [heavy, graph.constant("head.axes", np.array([1, 2], np.int64))], "mask")


def _layer(graph: Graph, weights: Weights, name: str, hidden: str, mask: str, *, first_only: bool) -> str:
    def joined(kind: str, *parts: str) -> NDArray[np.float32]:
        """Queries come divided by the root of a head's width, which attention would do to every product."""
        scaled = {"query": (WIDTH / HEADS) ** -0.5}
        return np.concatenate([weights[f"{name}.{part}.{kind}"] * np.float32(scaled.get(part, 1)) for part in parts])

    kept = hidden
    if first_only:
        bounds = [
            graph.constant(f"{name}.{n}", np.array([v], np.int64)) for n, v in (("from", 0), ("to", 1), ("axis", 1))
        ]
        kept = graph.add("Slice", [hidden, *bounds], f"{name}.first")
        query = graph.linear(f"{name}.query", kept, joined("weight", "query"), joined("bias", "query"))
        both = graph.linear(f"{name}.kv", hidden, joined("weight", "key", "value"), joined("bias", "key", "value"))
        key, value = _parts(graph, both, f"{name}.key.out", f"{name}.value.out")
    else:
        three = ("query", "key", "value")
        mixed = graph.linear(f"{name}.qkv", hidden, joined("weight", *three), joined("bias", *three))
        query, key, value = _parts(graph, mixed, *(f"{name}.{part}.out" for part in three))
    seen = _attention(graph, name, query, key, value, mask)
    mixed = graph.linear(f"{name}.out", seen, weights[f"{name}.out.weight"], weights[f"{name}.out.bias"])
    kept = graph.normed(f"{name}.norm", mixed, kept, weights)
    grown = graph.linear(f"{name}.up", kept, weights[f"{name}.up.weight"], weights[f"{name}.up.bias"])
    active = graph.add("Gelu", [grown], f"{name}.active", MICROSOFT)
    shrunk = graph.linear(f"{name}.down", active, weights[f"{name}.down.weight"], weights[f"{name}.down.bias"])
    return graph.normed(f"{name}.last_norm", shrunk, kept, weights)


def _attention(graph: Graph, name: str, query: str, key: str, value: str, mask: str) -> str:
    """Written out: ONNX Runtime's fused operator takes twice as long at this head width."""

    def heads(source: str, order: list[int]) -> str:
        shape = np.array([0, 0, HEADS, WIDTH // HEADS], np.int64)
        split = graph.add("Reshape", [source, graph.constant(f"{source}.shape", shape)], f"{source}.heads")
        return graph.add("Transpose", [split], f"{source}.turned", perm=order)

    products = graph.add("MatMul", [heads(query, [0, 2, 1, 3]), heads(key, [0, 2, 3, 1])], f"{name}.products")
    shares = graph.add("Softmax", [graph.add("Add", [products, mask], f"{name}.masked")], f"{name}.shares", axis=-1)
    mixed = graph.add("MatMul", [shares, heads(value, [0, 2, 1, 3])], f"{name}.mixed")
    turned = graph.add("Transpose", [mixed], f"{name}.turned", perm=[0, 2, 1, 3])
    flat = graph.constant(f"{name}.flat", np.array([0, 0, WIDTH], np.int64))
    return graph.add("Reshape", [turned, flat], f"{name}.seen")


def _parts(graph: Graph, mixed: str, *names: str) -> tuple[str, ...]:
    graph.nodes.append(helper.make_node("Split", [mixed], list(names), name=f"{mixed}.split", axis=2))
    return names


def _plain(graph: Graph, name: str, weights: Weights) -> list[str]:
    return [graph.constant(f"{name}.{kind}", weights[f"{name}.{kind}"]) for kind in ("weight", "bias")]
