"""The teacher's weights as floats, and its scores for pairs, kept on disk so that training can start again for free."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Encoding, Tokenizer

BLOCK = 500
WIDTH = 384
STATE = "/bert/pooler/Gather_output_0"


def floats(path: Path) -> dict[str, NDArray[np.float32]]:
    """Initialisers by their PyTorch names, dequantised; matrices as `(out, in)`.

    The exporter names a `Linear`'s transposed weight after the node that uses it; the node's own name says which
    layer that is.
    """
    graph = onnx.load(str(path)).graph
    raw = {item.name: numpy_helper.to_array(item) for item in graph.initializer}
    found = {name: value for name, value in raw.items() if name.endswith((".bias", "LayerNorm.weight"))}
    for name in raw:
        if name.endswith(".weight_quantized"):
            found[name.removesuffix("_quantized")] = _dequantised(raw, name.removesuffix("_quantized"))
    for node in graph.node:
        if node.op_type == "MatMulInteger" and node.input[1].startswith("onnx::"):
            layer = node.name.split("/MatMul")[0].strip("/").replace("/", ".")
            found[f"{layer}.weight"] = _dequantised(raw, node.input[1].removesuffix("_quantized")).T
    for name in ("bert.pooler.dense.weight", "classifier.weight"):
        found[name] = found[name].T
    return {name: np.ascontiguousarray(value, dtype=np.float32) for name, value in found.items()}


def _dequantised(raw: dict[str, NDArray[Any]], name: str) -> NDArray[np.float32]:
    shifted = raw[f"{name}_quantized"].astype(np.float32) - raw[f"{name}_zero_point"].astype(np.float32)
    scaled: NDArray[np.float32] = shifted * raw[f"{name}_scale"].astype(np.float32)
    return scaled


class Teacher:
    """The ONNX file with one more output: the first token's last state, a richer target than one logit."""

    def __init__(self, folder: Path, max_tokens: int) -> None:
        model = onnx.load(str(folder / "model.onnx"))
        state = helper.make_tensor_value_info(STATE, TensorProto.FLOAT, ["batch", WIDTH])
        model.graph.output.append(state)
        options = ort.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 3
        self._session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        self.tokenizer = pair_tokenizer(folder, max_tokens)
        self.name = f"{folder.name}@{max_tokens}"

    def score(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float16]:
        """`(n, 1 + width)`: logit and state."""
        encoded = self.tokenizer.encode_batch(list(pairs))
        rows = np.zeros((len(pairs), 1 + WIDTH), dtype=np.float16)
        order = sorted(range(len(pairs)), key=lambda i: len(encoded[i].ids))
        for start in range(0, len(order), 16):
            batch = order[start : start + 16]
            ids, kinds, attended = padded([encoded[i] for i in batch])
            feed = {"input_ids": ids, "token_type_ids": kinds, "attention_mask": attended}
            logits, state = self._session.run(["logits", STATE], feed)
            rows[batch] = np.concatenate([logits, state], axis=1)
        return rows


def pair_tokenizer(folder: Path, max_tokens: int) -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_tokens, strategy="longest_first")
    return tokenizer


def padded(encodings: Sequence[Encoding]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Ids, kinds and mask, `(batch, longest)`."""
    width = max(len(item.ids) for item in encodings)
    ids, kinds, attended = (np.zeros((len(encodings), width), dtype=np.int64) for _ in range(3))
    for row, item in enumerate(encodings):
        size = len(item.ids)
        ids[row, :size], kinds[row, :size], attended[row, :size] = item.ids, item.type_ids, 1
    return ids, kinds, attended


def scores(
    teacher: Teacher, pairs: Sequence[tuple[str, str]], cache: Path, done: Callable[[int, int], None]
) -> NDArray[np.float16]:
    """`(n, 1 + width)`; blocks already on disk are read back, so an interrupted run goes on where it stopped."""
    cache.mkdir(parents=True, exist_ok=True)
    blocks = []
    for start in range(0, len(pairs), BLOCK):
        block = list(pairs[start : start + BLOCK])
        key = hashlib.sha256(json.dumps([teacher.name, block]).encode()).hexdigest()[:20]
        file = cache / f"{key}.npy"
        if not file.is_file():
            np.save(file, teacher.score(block))
        blocks.append(np.load(file))
        done(min(start + BLOCK, len(pairs)), len(pairs))
    return np.concatenate(blocks)
