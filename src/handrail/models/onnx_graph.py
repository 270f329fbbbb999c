"""Reading the weights of an ONNX file, and writing another graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
from google.protobuf.message import DecodeError
from numpy.typing import NDArray
from onnx import helper, numpy_helper

MICROSOFT = "com.microsoft"
VERSIONS = {"": 17, MICROSOFT: 1}
"""Of the operators that graphs are written with."""
FORMAT = 9
"""Of the file, such as ONNX Runtime reads since 1.17."""

Array = NDArray[np.generic]
Axes = Mapping[str, Sequence[str | int]]
"""By the name of an input or output: the names or sizes of its axes."""


@dataclass(frozen=True, slots=True)
class Node:
    kind: str
    name: str
    inputs: Sequence[str]
    outputs: Sequence[str]


def read(model: bytes) -> tuple[list[Node], dict[str, Array]]:
    """Nodes in order, and constants by name. Raises ValueError when it is no ONNX file, or one with unknown types."""
    try:
        graph = onnx.load_model_from_string(model).graph
    except DecodeError as error:
        raise ValueError(f"not an ONNX file: {error}") from None
    nodes = [Node(node.op_type, node.name, node.input, node.output) for node in graph.node]
    return nodes, {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}


@dataclass(slots=True)
class Graph:
    """Nodes and constants in the making."""

    nodes: list[onnx.NodeProto] = field(default_factory=list)
    constants: dict[str, onnx.TensorProto] = field(default_factory=dict)

    def constant(self, name: str, value: Array) -> str:
        if name not in self.constants:
            self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(value).reshape(value.shape), name)
        return name

    def whole(self, *values: int) -> str:
        """A constant list of whole numbers."""
        return self.constant("whole." + ".".join(map(str, values)), np.array(values, np.int64))

    def add(
        self, kind: str, inputs: Iterable[str], out: str | Sequence[str], domain: str = "", **attributes: Any
    ) -> str:
        """The name of its first output."""
        outputs = [out] if isinstance(out, str) else list(out)
        self.nodes.append(helper.make_node(kind, list(inputs), outputs, name=outputs[0], domain=domain, **attributes))
        return outputs[0]

    def model(self, ids: Axes, outputs: Axes, vectors: Axes | None = None) -> bytes:
        """An ONNX file. `ids` are inputs of whole numbers, `vectors` of real ones, as outputs are."""
        given = [helper.make_tensor_value_info(name, onnx.TensorProto.INT64, axes) for name, axes in ids.items()]
        given += [
            helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, axes) for name, axes in (vectors or {}).items()
        ]
        made = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, axes) for name, axes in outputs.items()]
        graph = helper.make_graph(self.nodes, "handrail", given, made, initializer=list(self.constants.values()))
        versions = [helper.make_opsetid(domain, version) for domain, version in VERSIONS.items()]
        model = helper.make_model(graph, opset_imports=versions, ir_version=FORMAT, producer_name="handrail")
        return bytes(model.SerializeToString())
