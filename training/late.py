"""The fixed projection of late interaction: `python -m training.late --articles FOLDER… --out FILE`.

The directions in which the encoder's token states differ most over open help articles: principal components, not
centred, of up to `--tokens` states of each folder, every folder counting the same. No question and no label is read.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from eval.datasets.corpus import loader_of
from handrail.assembly.models import build_embedder, build_late
from handrail.knowledge import Article
from handrail.knowledge.chunker import Chunker
from handrail.models.late import PASSAGE, LateEncoder
from handrail.settings import Settings, load_settings

SEED = 7


def moments(folder: Path, settings: Settings, chunker: Chunker, encoder: LateEncoder, tokens: int) -> np.ndarray:
    """`(width, width)` float64: mean outer product of states of passages taken at random, at least `tokens` of them."""
    articles = [item for item in loader_of(folder, settings).articles() if isinstance(item, Article)]
    texts = [passage.embedding_text for article in articles for passage in chunker.passages(article)]
    total, seen = np.zeros(()), 0
    for at in np.random.default_rng(SEED).permutation(len(texts)):
        states = encoder.states([texts[at]], PASSAGE, settings.models.embed_max_tokens)[0].astype(np.float64)
        total, seen = total + states.T @ states, seen + len(states)
        if seen >= tokens:
            break
    print(f"{folder.name}: {seen} states")
    return np.asarray(total / seen)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--articles", type=Path, nargs="+", required=True)
    parser.add_argument("--tokens", type=int, default=20_000)
    parser.add_argument("--dimensions", type=int, default=96)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    settings = load_settings()
    encoder = build_late(settings, "en")
    if encoder is None:
        parser.error("models.late is `none`")
    chunker = Chunker(settings.knowledge, build_embedder(settings).count)
    mean = sum(moments(folder, settings, chunker, encoder, options.tokens) for folder in options.articles)
    values, directions = np.linalg.eigh(np.asarray(mean) / len(options.articles))
    kept = directions[:, ::-1][:, : options.dimensions]
    print(f"{values[::-1][: options.dimensions].sum() / values.sum():.3f} of the states' size is kept")
    np.save(options.out, kept.astype(np.float16))


if __name__ == "__main__":
    main()
