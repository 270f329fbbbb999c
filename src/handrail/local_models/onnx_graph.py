"""Reading the weights of an ONNX file and writing another graph, without the `onnx` package."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from handrail.local_models.protobuf import fields, nested, number, real, text, varints

FLOAT, UINT8, INT8, INT32, INT64 = 1, 2, 3, 6, 7
KINDS: dict[int, type] = {FLOAT: np.float32, UINT8: np.uint8, INT8: np.int8, INT32: np.int32, INT64: np.int64}
NUMBERS = {np.dtype(kind).name: number for number, kind in KINDS.items()}
MICROSOFT = "com.microsoft"

Array = NDArray[np.generic]


@dataclass(frozen=True, slots=True)
class Node:
    kind: str
    name: str
    inputs: Sequence[str]
    outputs: Sequence[str]


def read(model: bytes) -> tuple[list[Node], dict[str, Array]]:
    """Nodes in order, and constants by name. Raises ValueError when it is no ONNX file, or one with unknown types."""
    nodes: list[Node] = []
    constants: dict[str, Array] = {}
    for part, value in fields(memoryview(model)):
        if part != 7 or isinstance(value, int):
            continue
        for inner, content in fields(value):
            if inner == 1 and not isinstance(content, int):
                nodes.append(_node(content))
            elif inner == 5 and not isinstance(content, int):
                name, array = _tensor(content)
                constants[name] = array
    return nodes, constants


def _node(message: memoryview) -> Node:
    inputs, outputs, name, kind = [], [], "", ""
    for part, value in fields(message):
        if isinstance(value, int) or part > 4:
            continue
        said = str(value, "utf-8")
        if part == 1:
            inputs.append(said)
        elif part == 2:
            outputs.append(said)
        elif part == 3:
            name = said
        else:
            kind = said
    return Node(kind, name, inputs, outputs)


def _tensor(message: memoryview) -> tuple[str, Array]:
    """Contents are raw, or listed in a field of their type."""
    shape: list[int] = []
    name, kind, raw = "", 0, b""
    listed: list[int] = []
    for part, value in fields(message):
        if isinstance(value, int):
            if part == 1:
                shape.append(value)
            elif part == 2:
                kind = value
            elif part in (5, 7):
                listed.append(value)
        elif part == 1:
            shape += varints(value)
        elif part in (4, 9):
            raw += bytes(value)
        elif part in (5, 7):
            listed += varints(value)
        elif part == 8:
            name = str(value, "utf-8")
    if kind not in KINDS:
        raise ValueError(f"the constant {name!r} has a type that is not read here: {kind}")
    if raw or not math.prod(shape):
        return name, np.frombuffer(raw, KINDS[kind]).reshape(shape)
    return name, np.array(listed, np.uint64).astype(np.int64).astype(KINDS[kind]).reshape(shape)


@dataclass(slots=True)
class Graph:
    """Nodes and constants in the making."""

    nodes: list[bytes] = field(default_factory=list)
    constants: dict[str, bytes] = field(default_factory=dict)

    def constant(self, name: str, value: Array) -> str:
        if name not in self.constants:
            shape = b"".join(number(1, size) for size in value.shape)
            kind = number(2, NUMBERS[value.dtype.name])
            self.constants[name] = shape + kind + text(8, name) + nested(9, np.ascontiguousarray(value).tobytes())
        return name

    def whole(self, *values: int) -> str:
        """A constant list of whole numbers."""
        return self.constant("whole." + ".".join(map(str, values)), np.array(values, np.int64))

    def add(
        self, kind: str, inputs: Iterable[str], out: str | Sequence[str], domain: str = "", **attributes: object
    ) -> str:
        """The name of its first output."""
        outputs = [out] if isinstance(out, str) else list(out)
        message = b"".join(text(1, name) for name in inputs) + b"".join(text(2, name) for name in outputs)
        message += text(3, outputs[0]) + text(4, kind)
        message += b"".join(nested(5, _attribute(name, value)) for name, value in attributes.items())
        self.nodes.append(message + (text(7, domain) if domain else b""))
        return outputs[0]

    def model(self, inputs: Mapping[str, Sequence[str | int]], outputs: Mapping[str, Sequence[str | int]]) -> bytes:
        """An ONNX file. Inputs are whole numbers, outputs real ones; both with the names or sizes of their axes."""
        graph = b"".join(nested(1, node) for node in self.nodes) + text(2, "handrail")
        graph += b"".join(nested(5, tensor) for tensor in self.constants.values())
        graph += b"".join(nested(11, _value(name, INT64, axes)) for name, axes in inputs.items())
        graph += b"".join(nested(12, _value(name, FLOAT, axes)) for name, axes in outputs.items())
        sets = nested(8, number(2, 17)) + nested(8, text(1, MICROSOFT) + number(2, 1))
        return number(1, 9) + text(2, "handrail") + nested(7, graph) + sets


def _attribute(name: str, value: object) -> bytes:
    head = text(1, name)
    if isinstance(value, float):
        return head + real(2, value) + number(20, 1)
    if isinstance(value, int):
        return head + number(3, value) + number(20, 2)
    if isinstance(value, (list, tuple)):
        return head + b"".join(number(8, item) for item in value) + number(20, 7)
    raise TypeError(f"no attribute: {value!r}")


def _value(name: str, kind: int, axes: Sequence[str | int]) -> bytes:
    shape = b"".join(nested(1, number(1, axis) if isinstance(axis, int) else text(2, axis)) for axis in axes)
    return text(1, name) + nested(2, nested(1, number(1, kind) + nested(2, shape)))
