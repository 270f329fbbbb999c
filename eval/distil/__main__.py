"""`python -m eval.distil STEP …`: texts, pairs, score, train, export, frontier. The recipe is in `docs/reranker.md`."""

from __future__ import annotations

import argparse
import json
import math
import random
import time
from pathlib import Path

SEED = 11


def texts(options: argparse.Namespace) -> None:
    from eval.distil.texts import write_descriptions

    print(" ".join(write_descriptions(options.folder)))


def pairs(options: argparse.Namespace) -> None:
    from eval.distil.pairs import pairs_of, simulated, utterances
    from handrail.settings import load_settings

    rng = random.Random(SEED)
    settings = load_settings()
    found: dict[str, list[tuple[str, str]]] = {}
    for kb, made, asked in options.kb:
        here = settings.model_copy(update={"knowledge": settings.knowledge.model_copy(update={"kb": kb})})
        texts = utterances(options.intents, int(asked), rng)
        if options.simulated and kb == options.kb[0][0]:
            texts += simulated(options.simulated)
        for pair in pairs_of(here, texts, int(made), rng, _said(f"queries of {kb}")):
            found.setdefault(pair[0], []).append(pair)
    queries = sorted(found)
    rng.shuffle(queries)
    lines = (json.dumps(pair, ensure_ascii=False) for query in queries for pair in found[query])
    options.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


def score(options: argparse.Namespace) -> None:
    import numpy as np

    from eval.distil.teacher import Teacher, scores

    teacher = Teacher(options.teacher, options.max_tokens)
    np.save(options.out, scores(teacher, _pairs(options.pairs)[: options.limit], options.cache, _said("pairs scored")))


def train(options: argparse.Namespace) -> None:
    from eval.distil.train import Plan, train

    plan = Plan(options.layers, options.inner, options.epochs, options.rate, options.threads, options.minutes)
    train(options.teacher, _pairs(options.pairs), options.scores, plan, options.out, options.max_tokens)


def export(options: argparse.Namespace) -> None:
    import shutil

    import numpy as np

    from eval.distil.export import save

    weights = dict(np.load(options.weights))
    options.out.mkdir(parents=True, exist_ok=True)
    save(
        weights,
        1 + max(int(name.split(".")[1]) for name in weights if name.startswith("layers.")),
        options.out / "model.onnx",
    )
    shutil.copy(options.teacher / "tokenizer.json", options.out / "tokenizer.json")


def frontier(options: argparse.Namespace) -> None:
    from eval.distil.frontier import as_json, as_markdown, candidates
    from eval.distil.frontier import frontier as points_of
    from handrail.settings import load_settings

    settings = load_settings()
    settings = settings.model_copy(update={"knowledge": settings.knowledge.model_copy(update={"kb": options.kb})})
    rows = candidates(settings, options.file, options.limit)
    weight = settings.retrieval.rerank_weight
    points = list(points_of(settings, rows, options.models, options.tokens, weight))
    print(f"{options.kb}, {options.file.name}, n = {len(rows)}\n\n{as_markdown(points)}")
    if options.json:
        options.json.write_text(as_json(points), encoding="utf-8")


def _pairs(path: Path) -> list[tuple[str, str]]:
    return [(query, text) for query, text in map(json.loads, path.read_text(encoding="utf-8").splitlines())]


def _said(what: str):  # type: ignore[no-untyped-def]
    start = time.monotonic()

    def done(now: int, total: int) -> None:
        if now % 500 == 0 or now == total:
            print(f"{what}: {now} of {total}, {time.monotonic() - start:.0f} s", flush=True)

    return done


def _common(step: argparse.ArgumentParser) -> None:
    step.add_argument(
        "--teacher", type=Path, required=True, help="folder of the teacher's model.onnx and tokenizer.json"
    )
    step.add_argument("--pairs", type=Path, required=True)
    step.add_argument("--max-tokens", type=int, default=96)
    step.add_argument("--out", type=Path, required=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    steps = parser.add_subparsers(required=True)
    step = steps.add_parser("texts", help="write open text to a folder")
    step.add_argument("folder", type=Path)
    step.set_defaults(run=texts)
    step = steps.add_parser("pairs", help="make query-passage pairs from knowledge bases")
    step.add_argument("--kb", nargs=3, action="append", required=True, metavar=("KB", "MADE", "ASKED"))
    step.add_argument("--intents", type=Path, required=True)
    step.add_argument("--simulated", type=Path)
    step.add_argument("--out", type=Path, required=True)
    step.set_defaults(run=pairs)
    step = steps.add_parser("score", help="the teacher's logits and states")
    _common(step)
    step.add_argument("--cache", type=Path, required=True)
    step.add_argument("--limit", type=int, help="score the first so many pairs only")
    step.set_defaults(run=score)
    step = steps.add_parser("train", help="a student of some of the teacher's layers")
    _common(step)
    step.add_argument("--scores", type=Path, required=True)
    step.add_argument("--layers", type=lambda text: [int(part) for part in text.split(",")], default=[0, 5, 11])
    step.add_argument("--inner", type=int, default=1536)
    step.add_argument("--epochs", type=int, default=3)
    step.add_argument("--rate", type=float, default=2e-4)
    step.add_argument("--threads", type=int, default=1)
    step.add_argument("--minutes", type=float, default=math.inf, help="end within this time, with fewer steps")
    step.set_defaults(run=train)
    step = steps.add_parser("export", help="one int8 ONNX file")
    step.add_argument("--weights", type=Path, required=True)
    step.add_argument("--teacher", type=Path, required=True)
    step.add_argument("--out", type=Path, required=True)
    step.set_defaults(run=export)
    step = steps.add_parser("frontier", help="quality against milliseconds")
    step.add_argument("--kb", required=True)
    step.add_argument("--file", type=Path, required=True, help="JSON lines {question, article_ids}")
    step.add_argument(
        "--models", nargs="+", required=True, help="names or folders; the first is what the others are compared with"
    )
    step.add_argument("--tokens", nargs="+", type=int, default=[96])
    step.add_argument("--limit", type=int)
    step.add_argument("--json", type=Path)
    step.set_defaults(run=frontier)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
