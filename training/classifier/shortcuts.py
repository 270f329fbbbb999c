"""Does the shipped classifier read requests, or shortcuts? `python -m training.classifier.shortcuts [FILE…] [--json]`.

Scores routing files, whose rows may name a `company` of the `companies.jsonl` beside them, and scores them again with
what must not matter changed: case, punctuation and digits; a greeting in front; the company's name masked or swapped
for another's; sentences without a label around it (`datasets/routing/frames.toml`, held out from training); and by
thirds of length. Minimal pairs differ in little and in the label.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from eval.metrics import routing
from eval.metrics.routing import Routed
from handrail.assembly import build_embedder
from handrail.settings import Settings, load_settings
from handrail.types import Label
from handrail.understand.classify.head import Head, load_head
from training import CACHE, DATASETS
from training.classifier.assistants import Assistants
from training.classifier.bases import CachedEmbedder
from training.classifier.rows import OWN, Row, own, read_rows

FILES = (DATASETS / "sample" / "routing.jsonl", DATASETS / "routing" / "dev.jsonl")
PAIRS = DATASETS / "routing" / "minimal_pairs.jsonl"
FRAMES: Mapping[str, list[str]] = tomllib.loads((DATASETS / "routing" / "frames.toml").read_text("utf-8"))
TERCILES = ("short", "middle", "long")


def variants(assistants: Assistants) -> Mapping[str, Callable[[Row], Row]]:
    """Changes that must not change a label."""
    return {
        "lower case, no punctuation": lambda row: changed(row, re.sub(r"[^\w\s]", "", row.text.lower()) or row.text),
        "capitals": lambda row: changed(row, row.text.upper()),
        "digits gone": lambda row: changed(row, re.sub(r"\d+", "", row.text).strip() or row.text),
        "greeting in front": lambda row: changed(row, f"Hello, {row.text}"),
        "a new greeting in front": lambda row: changed(row, f"Evening! Me again, with one more thing. {row.text}"),
        "a sentence in front": lambda row: framed(row, 1, 0),
        "a sentence behind": lambda row: framed(row, 0, 1),
        "two in front, one behind": lambda row: framed(row, 2, 1),
        "thanks at the end": lambda row: changed(row, f"{row.text} thanks a lot, please help asap"),
        "company's name masked": lambda row: renamed(row, assistants, "you"),
        "company's name swapped": lambda row: renamed(row, assistants, assistants.names[assistants.other(row.company)]),
    }


def framed(row: Row, before: int, after: int) -> Row:
    """With so many sentences about the visitor around it, the same ones every time."""
    rng = random.Random(f"{before}/{after}/{row.text}")  # noqa: S311
    text = row.text if not after or not row.text or row.text[-1] in ".!?" else row.text + "."
    return changed(row, " ".join([*rng.sample(FRAMES["before"], before), text, *rng.sample(FRAMES["after"], after)]))


def renamed(row: Row, assistants: Assistants, name: str) -> Row:
    return changed(row, row.text.replace(assistants.names[row.company], name))


def changed(row: Row, text: str) -> Row:
    return Row(text, row.label, row.company, row.group, row.weight, row.lang)


def check(
    path: Path, settings: Settings, head: Head, embedder: CachedEmbedder, *, plain_only: bool = False
) -> dict[str, Any]:
    assistants = Assistants(settings, head, embedder, path.with_name("companies.jsonl"))
    rows = [own(row) for row in read_rows(path)]
    plain = assistants.score(rows)
    found: dict[str, Any] = {"metrics": routing.score(plain), "intervals": routing.intervals(plain)}
    foreign = [routed for routed, row in zip(plain, rows, strict=True) if row.lang != "en"]
    found["not_english"] = routing.score(foreign) if foreign else None
    changes = {} if plain_only else variants(assistants)
    found["macro_f1_when"] = {
        name: routing.score(assistants.score([change(row) for row in rows]))["macro_f1"]
        for name, change in changes.items()
    }
    found["by_length"] = by_length(rows, plain)
    return found


def by_length(rows: Sequence[Row], found: Sequence[Routed]) -> dict[str, dict[str, float | None]]:
    """Accuracy per label in each third of the lengths, so that no label lives off being short."""
    edges = np.quantile([len(row.text) for row in rows], [1 / 3, 2 / 3])
    third = [TERCILES[int(np.searchsorted(edges, len(row.text)))] for row in rows]
    table: dict[str, dict[str, float | None]] = {}
    for label in Label:
        table[label.value] = {
            name: _share([r.correct for r, t in zip(found, third, strict=True) if (r.label, t) == (label.value, name)])
            for name in TERCILES
        }
    return table


def pairs(path: Path, settings: Settings, head: Head, embedder: CachedEmbedder) -> dict[str, Any]:
    """Share of minimal pairs of which both sides are right."""
    assistants = Assistants(settings, head, embedder, path.with_name("companies.jsonl"))
    right = [all(routed.correct for routed in assistants.score(pair)) for pair in read_pairs(path)]
    return {"n": len(right), "both_right": _share(right)}


def read_pairs(path: Path) -> list[list[Row]]:
    return [
        [Row(text, Label(label), row.get("company", OWN), OWN) for text, label in row["pair"]]
        for row in map(json.loads, path.read_text(encoding="utf-8").splitlines())
    ]


def _share(right: Sequence[bool]) -> float | None:
    return sum(right) / len(right) if right else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "files", type=Path, nargs="*", default=FILES, help="routing files; default: the development sets"
    )
    parser.add_argument("--head", type=Path, help="another head; default is the one that ships")
    parser.add_argument("--cache", type=Path, default=CACHE / "checks.npz", help="kept embeddings")
    parser.add_argument("--plain", action="store_true", help="score the messages as they are, with nothing changed")
    parser.add_argument("--json", action="store_true", help="the whole result for programs")
    arguments = parser.parse_args()
    settings = load_settings()
    embedder = CachedEmbedder(build_embedder(settings), arguments.cache)
    head = load_head(arguments.head or settings.classify.head, embedder.name)
    results = {str(path): check(path, settings, head, embedder, plain_only=arguments.plain) for path in arguments.files}
    results["minimal pairs"] = pairs(PAIRS, settings, head, embedder)
    json.dump(results, sys.stdout, indent=None if arguments.json else 2, ensure_ascii=False, default=_rounded)
    print()


def _rounded(value: Any) -> Any:
    return float(value) if isinstance(value, np.floating) else list(value)


if __name__ == "__main__":
    main()
