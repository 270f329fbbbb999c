"""What is taught in torch is what is read with ONNX Runtime."""

from __future__ import annotations

import numpy as np
import pytest

from handrail.models.bert import Weights
from handrail.models.fetch import locate
from handrail.models.manifest import find
from handrail.models.onnx import OnnxModel, pair_encodings
from handrail.models.taught import OnnxTaught

pytestmark = [pytest.mark.torch, pytest.mark.models]

NAME = "ms-marco-MiniLM-L12-v2-int8"
PAIRS = [
    ("how long can it run", "Pump\nThe pump may run for six hours a day. Let it rest for an hour afterwards."),
    ("is sea water ok", "Pump\nIt must not be used for salt water."),
    ("who may sign", "Contracts\nOnly owners can sign a contract; editors may prepare it and send it to an owner."),
    ("?", "Help"),
]


def test_a_network_reads_the_same_after_its_changes_were_rounded_to_int8() -> None:
    import torch

    from training.encoders.learn import Texts, outputs
    from training.encoders.net import Lower, Upper

    torch.manual_seed(1)
    folder = locate(find(NAME, "reranker"))
    source = Weights((folder / "model.onnx").read_bytes())
    upper = Upper(source, 4, 9, rank=2, dropout=0.0, outputs=2)
    for name, parameter in upper.named_parameters():
        if ".up." in name:
            torch.nn.init.normal_(parameter, std=0.01)
    torch.nn.init.normal_(upper.head.weight, std=0.1)
    encodings = pair_encodings(OnnxModel(folder, 1).tokenizer, PAIRS, 96, 32)

    learnt = outputs(Texts(encodings, Lower(source, 4)), range(len(PAIRS)), upper)
    taught = upper.taught(NAME, "nothing")
    read = np.stack(OnnxTaught(folder, taught, threads=1, max_tokens=96, first_tokens=32).read(PAIRS))

    assert read.shape == learnt.shape == (len(PAIRS), 2)
    assert np.abs(read - learnt).max() < 0.1 * np.abs(learnt).max()
    assert not np.allclose(learnt[0], learnt[1], atol=0.1)
