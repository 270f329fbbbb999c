"""Fit what vectors of the multilingual encoder owe to the language of a text (`src/handrail/models/bundle/abroad.npz`):
`python -m training.abroad`. A minute on two cores.

Messages of `eval/training/intents` in thirteen languages and in English, as many of each; no question of any knowledge
base is among them.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from handrail.assembly.models import build_multilingual
from handrail.retrieve.abroad import FILE, LanguageBias
from handrail.settings import load_settings
from handrail.text.courtesies import without_courtesies
from handrail.types import Label
from training.classifier import abroad
from training.classifier.messages import SEED, written_rows

OUT = Path(__file__).parent.parent / "src" / "handrail" / "models" / "bundle" / FILE
EACH = 200
"""Messages of each language."""
DIRECTIONS = 10
"""Of thirteen that fourteen means span; 3 to 13 differ by 0.02 in hit@5."""
ASKS = (Label.ANSWERABLE, Label.HIGH_STAKES)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=OUT)
    given = parser.parse_args()
    rows = [row for row in (*abroad.translated(), *written_rows()) if row.label in ASKS]
    encoder = build_multilingual(load_settings())
    if encoder is None:
        parser.error("models.foreign names no encoder")
    means = {}
    for lang in sorted({row.lang for row in abroad.translated()} | {"en"}):
        texts = sorted({without_courtesies(row.text) for row in rows if row.lang == lang})
        chosen = [texts[at] for at in np.random.default_rng(SEED).permutation(len(texts))[:EACH]]
        means[lang] = encoder.embed_queries(chosen).mean(axis=0)
        print(f"{lang}: {len(chosen)} messages", flush=True)
    mean = np.mean([of for lang, of in means.items() if lang != "en"], axis=0)
    directions = np.linalg.svd(np.stack(list(means.values())) - mean, full_matrices=False)[2][:DIRECTIONS]
    fitted_on = f"eval/training/intents, {EACH} messages in each of {len(means)} languages"
    LanguageBias(encoder.name, mean, directions, fitted_on).saved(given.out)


if __name__ == "__main__":
    main()
