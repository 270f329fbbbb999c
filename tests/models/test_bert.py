"""The graph that is run gives what the model's own file gives."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import onnxruntime as ort
import pytest
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from handrail.errors import ModelUnavailable
from handrail.models.bert import Kept, Weights, written
from handrail.models.fetch import locate
from handrail.models.manifest import find
from handrail.models.onnx import EXACT, OnnxModel
from handrail.models.onnx_graph import Graph

PAIRS = [
    ("how do i refund a customer", "Refund an order under Store, Orders, and choose the amount."),
    ("paper stuck", "Paper jam: turn the printer off. " * 20),
    ("?", ""),
]


def as_it_is(folder: Path, encoding: Encoding) -> NDArray[np.float32]:
    """The first output of the file itself, of the first token."""
    options = ort.SessionOptions()
    options.log_severity_level = 3
    options.add_session_config_entry(EXACT, "1")
    session = ort.InferenceSession(str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"])
    given = {"input_ids": encoding.ids, "attention_mask": encoding.attention_mask, "token_type_ids": encoding.type_ids}
    output = session.run(None, {name: np.array([ids], np.int64) for name, ids in given.items()})[0]
    found: NDArray[np.float32] = (output[:, 0] if output.ndim == 3 else output)[0]
    return found


@pytest.mark.models
@pytest.mark.parametrize(
    ("name", "kind"), [("bge-small-en-v1.5-int8", "embedder"), ("ms-marco-MiniLM-L12-v2-int8", "reranker")]
)
def test_it_agrees_with_the_file(name: str, kind: str) -> None:
    folder = locate(find(name, kind))
    model = OnnxModel(folder, threads=2)
    encodings = model.tokenizer.encode_batch(PAIRS)

    found = model.rows(encodings)

    for row, encoding in zip(found, encodings, strict=True):
        expected = as_it_is(folder, encoding)
        assert row.shape == expected.shape
        assert np.abs(row - expected).max() < 0.3, "logits reach from -11 to 11; processors differ by up to 0.2"
        assert row.shape == (1,) or float(row @ expected / np.linalg.norm(row) / np.linalg.norm(expected)) > 0.999


@pytest.mark.models
def test_the_first_text_is_given_as_among_all_tokens() -> None:
    folder = locate(find("bge-small-en-v1.5-int8", "embedder"))
    whole, part = (OnnxModel(folder, threads=1, kept=kept) for kept in (Kept.ALL, Kept.FIRST_TEXT))
    encodings = [*whole.tokenizer.encode_batch(PAIRS), whole.tokenizer.encode("paper stuck")]

    for encoding, [everything], [first] in zip(encodings, whole.run(encodings), part.run(encodings), strict=True):
        assert len(everything) == len(encoding.ids)
        assert len(first) == encoding.type_ids.count(0)
        assert np.abs(first - everything[: len(first)]).max() < 0.15


def test_another_graph_is_run_as_it_is(tmp_path: Path) -> None:
    tokenizer_of(tmp_path, "model.onnx", doubled())

    model = OnnxModel(tmp_path, threads=1)

    assert model.rows(model.tokenizer.encode_batch(["b", "a b"])).tolist() == [[2.0], [0.0]]
    with pytest.raises(ModelUnavailable, match="states"):
        OnnxModel(tmp_path, threads=1, states_of=[5])


def test_what_is_no_model_is_refused() -> None:
    for content in (b"\xff" * 40, b"\x3a\x02\x0a\x00", b""):
        with pytest.raises((ValueError, KeyError)):
            written(Weights(content))


def test_a_graph_is_loaded_once_for_all_who_ask_for_it_and_anew_when_its_file_is_another(tmp_path: Path) -> None:
    file = tmp_path / "model.onnx"
    tokenizer_of(tmp_path, file.name, doubled())
    first, second = OnnxModel(tmp_path, threads=1), OnnxModel(tmp_path, threads=2)
    assert first._session is second._session
    assert first.tokenizer is not second.tokenizer, "how pairs are cut is kept in it"

    written_at = file.stat().st_mtime_ns
    file.write_bytes(doubled(4))
    os.utime(file, ns=(written_at + 1, written_at + 1))

    [[before]], [[after]] = (
        model.rows(model.tokenizer.encode_batch(["b"])) for model in (first, OnnxModel(tmp_path, threads=1))
    )
    assert (before, after) == (2, 4)


def doubled(by: float = 2) -> bytes:
    """Twice the number of the first token."""
    graph = Graph()
    real = graph.add("Cast", ["input_ids"], "real", to=1)
    first = graph.add("Slice", [real, graph.whole(0), graph.whole(1), graph.whole(1)], "first")
    graph.add("Mul", [first, graph.constant("two", np.full((), by, np.float32))], "out")
    return graph.model({"input_ids": (1, "tokens")}, {"out": (1, 1)})


def tokenizer_of(folder: Path, name: str, model: bytes) -> None:
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace

    tokenizer = Tokenizer(WordLevel({"a": 0, "b": 1}, "a"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / name).write_bytes(model)
