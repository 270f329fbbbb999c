"""Graphs written without the `onnx` package are what ONNX Runtime and the reader here understand."""

from __future__ import annotations

import numpy as np
import onnxruntime as ort
import pytest

from handrail.local_models.onnx_graph import Graph, read
from handrail.local_models.protobuf import fields, nested, number, real, text, varints

WEIGHTS = np.arange(300, dtype=np.float32).reshape(2, 150)


def graph() -> Graph:
    made = Graph()
    made.add("MatMul", ["given", made.constant("weights", WEIGHTS)], "product")
    made.add("Cast", ["given.ids"], "given", to=1)
    made.nodes.reverse()
    return made


def test_what_is_written_runs() -> None:
    model = graph().model({"given.ids": (1, 2)}, {"product": (1, 150)})

    session = ort.InferenceSession(model, providers=["CPUExecutionProvider"])

    assert np.array_equal(session.run(None, {"given.ids": np.array([[1, 2]])})[0], np.array([[1, 2]]) @ WEIGHTS)


def test_what_is_written_is_read_again() -> None:
    made = graph()
    made.constant("whole", np.array([[-3, 2**40]], np.int64))
    made.constant("small", np.array(-7, np.int8))
    made.constant("none", np.zeros((0, 4), np.float32))

    nodes, constants = read(made.model({"given.ids": (1, 2)}, {"product": (1, 150)}))

    assert [(node.kind, node.name, list(node.inputs), list(node.outputs)) for node in nodes] == [
        ("Cast", "given", ["given.ids"], ["given"]),
        ("MatMul", "product", ["given", "weights"], ["product"]),
    ]
    assert np.array_equal(constants["weights"], WEIGHTS)
    assert constants["whole"].tolist() == [[-3, 2**40]]
    assert constants["small"].shape == () and constants["small"].item() == -7
    assert constants["none"].shape == (0, 4)


def test_listed_contents_are_read() -> None:
    """As `onnxruntime.quantization` writes scales and zero points."""
    zeros = nested(5, number(1, 2) + number(2, 3) + text(8, "zero") + nested(5, b"\x01" + b"\xff" * 9 + b"\x01"))
    scale = nested(5, number(2, 1) + text(8, "scale") + real(4, 0.5))
    model = nested(7, zeros + scale)

    _, constants = read(model)

    assert constants["zero"].tolist() == [1, -1] and constants["zero"].dtype == np.int8
    assert constants["scale"].item() == 0.5


def test_fields_of_all_kinds() -> None:
    message = number(1, 300) + number(2, -1) + text(3, "a" * 200) + real(4, 1.5)

    found = list(fields(memoryview(message)))

    assert found[0] == (1, 300) and found[1] == (2, 2**64 - 1)
    assert bytes(found[2][1]) == b"a" * 200
    assert [part for part, _ in found] == [1, 2, 3, 4]
    assert varints(memoryview(b"\x01\xac\x02")) == [1, 300]


@pytest.mark.parametrize("broken", [b"\x0a\x05ab", b"\xff", b"\x0b", b"\x0a" + b"\xff" * 12])
def test_what_is_broken_is_said(broken: bytes) -> None:
    with pytest.raises(ValueError, match="Protocol Buffers"):
        list(fields(memoryview(broken)))
