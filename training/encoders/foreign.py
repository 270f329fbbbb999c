"""Trains what hears the label of a message in another language than English, in its own words
(`src/handrail/models/bundle/messages_foreign.npz`); needs the torch extra.

    python -m training.encoders.foreign --epochs 3 --rank 16 --threads 2

The upper layers of an encoder that reads a hundred languages learn low-rank changes (LoRA) from the rows of
`training.encoders.messages` that are not in English, as they are written, and a part of those that are. The routing
files by other hands are never learnt from; after each epoch the accuracy of their messages in other languages is
printed. Some thirteen minutes on two cores.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch

from handrail.models.fetch import locate
from handrail.models.manifest import find
from handrail.models.packed import PackedWeights
from handrail.models.taught import FOREIGN, FOREIGN_TOKENS
from handrail.settings import load_settings
from handrail.text.courtesies import without_courtesies
from handrail.understand.classify.encoder import LABELS, encoder_text
from training import FITTED
from training.classifier import abroad, augment
from training.classifier.messages import ROUTING, names, seeded, training_companies, training_rows, written_rows
from training.classifier.rows import OWN, Row, own, read_companies, read_rows
from training.encoders.learn import Texts, outputs, parsed, train
from training.encoders.messages import FIRST, LAST, labels_of, shares, smoothed
from training.encoders.net import Lower, Upper

OUT = FITTED / FOREIGN
ENGLISH = 8000
"""English rows learnt beside the others, so that what is not told apart from English is heard well, too."""
DEVELOPMENT = ("test5", "test6", "test7", "test8", "test9", "dev16", "dev17", "dev13")
"""By other hands than what is learnt from."""


def learnt(given: argparse.Namespace) -> list[Row]:
    """Rows in other languages, and some in English."""
    companies = training_companies()
    written = written_rows()
    everything = training_rows(companies, given.mash, given.brands)
    english = [row for row in everything if row.lang == "en"]
    some = np.random.default_rng(given.seed).permutation(len(english))[: given.english]
    foreign = [*abroad.translated(), *(row for row in written if row.lang != "en")]
    placed = augment.placed(foreign, [OWN, OWN, *companies], seeded())
    return [*placed, *(english[at] for at in some)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mash", type=int, default=900, help="generated nonsense messages")
    parser.add_argument("--brands", type=int, default=900, help="generated messages about other companies")
    parser.add_argument("--english", type=int, default=ENGLISH, help="English rows beside the others")
    parser.add_argument("--out", type=Path, default=OUT)
    parser.set_defaults(fold=None)
    given = parsed(parser, epochs=3, rate=1e-3)
    settings = load_settings()
    rows = learnt(given)
    asked = [own(row) for name in DEVELOPMENT for row in read_rows(ROUTING / f"{name}.jsonl") if row.lang != "en"]
    known = names({**training_companies(), **read_companies(ROUTING / "companies.jsonl")}, settings)
    spec = find(settings.models.foreign, "embedder")
    source = PackedWeights(next(locate(spec, settings.models.folder).glob("*.bin")).read_bytes())
    tokenizer = source.tokenizer()
    tokenizer.enable_truncation(FOREIGN_TOKENS)
    texts = [
        spec.query_prefix + encoder_text(without_courtesies(row.text), known.get(row.company.split("@")[0], ""))
        for row in (*rows, *asked)
    ]
    messages = Texts(tokenizer.encode_batch(texts), Lower(source, FIRST, given.device))
    kept, held = range(len(rows)), range(len(rows), len(texts))
    print(f"{len(rows)} messages to learn from, {len(asked)} to look at", flush=True)
    upper = Upper(source, FIRST, LAST, given.rank, given.dropout, outputs=len(LABELS)).to(given.device)
    aims, weights = torch.from_numpy(labels_of([*rows, *asked])).to(given.device), shares(rows).to(given.device)

    def judged() -> str:
        found = outputs(messages, held, upper).argmax(axis=1)
        return f"of development messages right: {(found == labels_of(asked)).mean():.3f}"

    train(messages, kept, upper, smoothed(aims, weights), given, judged)
    upper.taught(spec.name, f"eval/training/intents, {len(rows)} messages").saved(given.out)


if __name__ == "__main__":
    main()
