"""Model folders made for a test: variants of the bi-encoder, and cross-encoders too small to know anything."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def variant(model: Path, folder: Path, changes: Mapping[str, Mapping[str, Any] | bytes]) -> Path:
    """`model` with some files replaced: a mapping is merged into the JSON that was there."""
    for original in model.rglob("*"):
        name = original.relative_to(model)
        if original.is_file() and str(name) not in changes:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).symlink_to(original)
    for changed, change in changes.items():
        if isinstance(change, bytes):
            (folder / changed).write_bytes(change)
        else:
            merged = {**json.loads((model / changed).read_text(encoding="utf-8")), **change}
            (folder / changed).write_text(json.dumps(merged), encoding="utf-8")
    return folder


def cross_encoder(bi_encoder: Path, folder: Path, *, labels: int = 1, positions: int = 128) -> Path:
    """Random weights, the same every time; the tokenizer is the bi-encoder's."""
    import torch
    from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification

    tokenizer = AutoTokenizer.from_pretrained(bi_encoder)
    shape = BertConfig(
        vocab_size=tokenizer.vocab_size,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=positions,
        initializer_range=0.5,
    )
    shape.num_labels = labels
    with torch.random.fork_rng():
        torch.manual_seed(7)
        BertForSequenceClassification(shape).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
