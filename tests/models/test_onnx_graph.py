"""Graphs that are written are what ONNX Runtime and the reader here understand."""

from __future__ import annotations

import numpy as np
import onnxruntime as ort
import pytest

from handrail.models.onnx_graph import Graph, read

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


@pytest.mark.parametrize("broken", [b"\x0a\x05ab", b"\xff", b"\x0b", b"PK\x03\x04 and more"])
def test_what_is_broken_is_said(broken: bytes) -> None:
    with pytest.raises(ValueError, match="not an ONNX file"):
        read(broken)
