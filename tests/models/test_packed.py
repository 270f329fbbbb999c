"""An encoder packed in four bits gives what the same weights give, worked out step by step, and reads other scripts."""

from __future__ import annotations

import math
import struct
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from handrail.models.bert import Kept
from handrail.models.manifest import ModelSpec
from handrail.models.onnx import OnnxEmbedder, OnnxModel
from handrail.models.packed import MAGIC, PARTS, PackedWeights, load
from handrail.models.tuned import Delta

WIDTH, GROWN, HEADS, PLACES = 64, 128, 2, 40
PIECES = ["<s>", "<pad>", "</s>", "<unk>", "▁", *"abcdefghijklmnopqrstuvwxyz:", "▁query", "▁кот", "▁сел", "ел"]
Floats = NDArray[np.float32]
Weights = dict[str, Floats]


def weights() -> Weights:
    rng = np.random.default_rng(5)
    made = {"emb.word": rng.normal(0, 0.2, (len(PIECES), WIDTH)), "emb.pos": rng.normal(0, 0.2, (PLACES, WIDTH))}
    made |= {"emb.type": rng.normal(0, 0.1, (1, WIDTH)), "emb.ln.w": np.ones(WIDTH), "emb.ln.b": np.zeros(WIDTH)}
    for part in PARTS.values():
        rows, width = {"fi": (GROWN, WIDTH), "fo": (WIDTH, GROWN)}.get(part, (WIDTH, WIDTH))
        made[f"l0.{part}.b"] = rng.normal(0, 0.1, rows)
        made[f"l0.{part}.w"] = np.ones(WIDTH) if part.endswith("ln") else rng.normal(0, 0.1, (rows, width))
    return {name: value.astype(np.float32) for name, value in made.items()}


def four_bits(real: Floats) -> tuple[bytes, Floats]:
    """The packed blocks, and the weights that they stand for."""
    blocks = real.reshape(-1, 32)
    scale = (np.abs(blocks).max(axis=1) / 7).astype(np.float16)
    whole = np.clip(np.rint(blocks / scale[:, None].astype(np.float32)) + 8, 0, 15).astype(np.uint8)
    pairs = whole[:, :16] | (whole[:, 16:] << 4)
    packed = b"".join(one.tobytes() + row.tobytes() for one, row in zip(scale, pairs, strict=True))
    meant = (whole.astype(np.float32) - 8) * scale[:, None].astype(np.float32)
    return packed, meant.reshape(real.shape)


def write(file: Path) -> Weights:
    """A packed file of one layer; what its weights mean."""
    meant, stored = {}, {}
    for name, value in weights().items():
        plain = value.ndim == 1 or name in ("emb.pos", "emb.type")
        stored[name], meant[name] = (value.tobytes(), value) if plain else four_bits(value)
    text = [piece.encode() for piece in PIECES]
    offsets = np.cumsum([0, *map(len, text)]).astype("<u4")
    scores = np.asarray([0.0 if "<" in piece else -2.0 - (len(piece) == 1) for piece in PIECES], "<f4")
    head = MAGIC + struct.pack("<I7ifi", 1, WIDTH, 1, HEADS, GROWN, len(PIECES), PLACES, 1, 1e-12, 32)
    head += struct.pack("<5iQ", len(PIECES), 0, 2, 1, 3, int(offsets[-1]))
    head += offsets.tobytes() + scores.tobytes() + b"".join(text) + struct.pack("<iI", 0, 0)
    entries = list(stored.items())
    at = len(head) + 4 + sum(2 + len(name) + 21 for name, _ in entries)
    for_each = b""
    for name, data in entries:
        for_each += struct.pack("<H", len(name)) + name.encode() + struct.pack("<BIQQ", 0, 0, at, len(data))
        at += len(data)
    file.write_bytes(head + struct.pack("<i", len(entries)) + for_each + b"".join(data for _, data in entries))
    return meant


def normed(x: Floats) -> Floats:
    made: Floats = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-12)
    return made


def by_hand(w: Weights, ids: list[int]) -> Floats:
    x = normed(w["emb.word"][ids] + w["emb.pos"][: len(ids)] + w["emb.type"][0])

    def linear(part: str, source: Floats) -> Floats:
        made: Floats = source @ w[f"l0.{part}.w"].T + w[f"l0.{part}.b"]
        return made

    q, k, v = (linear(part, x).reshape(len(ids), HEADS, -1).transpose(1, 0, 2) for part in "qkv")
    raw = np.exp(q @ k.transpose(0, 2, 1) / math.sqrt(WIDTH // HEADS))
    seen = (raw / raw.sum(-1, keepdims=True) @ v).transpose(1, 0, 2).reshape(len(ids), WIDTH)
    x = normed(x + linear("ao", seen)) + w["l0.aln.b"]
    grown = linear("fi", x)
    active = grown * 0.5 * (1 + np.vectorize(math.erf)(grown / math.sqrt(2)))
    x = normed(x + linear("fo", active)) + w["l0.oln.b"]
    mean: Floats = x.mean(0)
    return mean / np.linalg.norm(mean)


def embedder(folder: Path) -> OnnxEmbedder:
    spec = ModelSpec(name="tiny", kind="embedder", title="", licence="", files={}, query_prefix="query: ")
    return OnnxEmbedder(spec, folder, threads=1, max_tokens=32, query_tokens=16)


def test_a_packed_encoder_gives_what_its_weights_give(tmp_path: Path) -> None:
    meant = write(tmp_path / "tiny-q4.bin")
    tokenizer = load(tmp_path / "tiny-q4.bin").tokenizer
    model = embedder(tmp_path)

    for text in ("кот сел", "a cat"):
        ids = tokenizer.encode(text).ids
        assert float(model.embed_passages([text])[0] @ by_hand(meant, ids)) > 0.999
    asked = tokenizer.encode("query: кот").ids
    assert float(model.embed_queries(["кот"])[0] @ by_hand(meant, asked)) > 0.999


def test_a_packed_encoder_can_be_taught(tmp_path: Path) -> None:
    meant = write(tmp_path / "tiny-q4.bin")
    rng = np.random.default_rng(6)
    down, up = (rng.normal(0, 0.3, shape).astype(np.float32) for shape in ((WIDTH, 2), (2, WIDTH)))
    delta = Delta(1, {"encoder.layer.0.attention.output.dense": (down, up)})
    changed = meant | {"l0.ao.w": meant["l0.ao.w"] + (down @ up).T}

    model = OnnxModel(tmp_path, 1, kept=Kept.FIRST_TEXT, delta=delta)
    encoding = model.tokenizer.encode("кот сел")
    states = model.one(encoding, lambda _, outputs: outputs[0])
    mean = states.mean(axis=0)

    assert states.shape == (len(encoding.ids), WIDTH)
    assert float(mean / np.linalg.norm(mean) @ by_hand(changed, encoding.ids)) > 0.999
    assert float(mean / np.linalg.norm(mean) @ by_hand(meant, encoding.ids)) < 0.99


def test_its_words_are_given_as_they_are_meant(tmp_path: Path) -> None:
    meant = write(tmp_path / "tiny-q4.bin")

    found = PackedWeights((tmp_path / "tiny-q4.bin").read_bytes()).real("embeddings.word_embeddings")

    assert np.abs(found - meant["emb.word"]).max() < 1e-6


def test_graphs_of_one_file_share_its_tokenizer(tmp_path: Path) -> None:
    write(tmp_path / "tiny-q4.bin")

    first, second = OnnxModel(tmp_path, 1), OnnxModel(tmp_path, 1, kept=Kept.ALL, delta=Delta(1, {}))

    assert first.tokenizer is second.tokenizer


def test_its_tokenizer_takes_the_likeliest_pieces_between_its_ends(tmp_path: Path) -> None:
    write(tmp_path / "tiny-q4.bin")
    model = embedder(tmp_path)
    tokenizer = load(tmp_path / "tiny-q4.bin").tokenizer

    assert tokenizer.encode("кот  сел").tokens == ["<s>", "▁кот", "▁сел", "</s>"]
    assert tokenizer.encode("ｃab").tokens == ["<s>", "▁", "c", "a", "b", "</s>"]
    assert model.count("кот сел") == 2


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", MAGIC, MAGIC + bytes(20)])
def test_another_file_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "x-q4.bin").write_bytes(data)

    with pytest.raises(ValueError, match=r"packed encoder"):
        load(tmp_path / "x-q4.bin")
