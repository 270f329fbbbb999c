"""Train the local classifier head: `python -m training.classifier.train --intents DIR [--out FILE]`.

Rows come from `eval/training/intents` (written for this product, with invented companies and their articles), from
generated mash and brand names and, where `--intents` names a folder with the sets of `training.classifier.public`, a
sample of those; only weights derived from them ship, never their sentences. Hyper-parameters are chosen by
cross-validation over groups (a company is never on both sides). The files named by `--held-out` are scored at the end
and never fitted to. Embeddings and fits are kept beside `--cache`: a run that was cut off goes on where it was. The
head can be used once `training.classifier.verdict` has added to it what weighs what it says.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from handrail.assembly import build_embedder
from handrail.retrieve.topic import TopicProbe
from handrail.settings import Settings, load_settings
from handrail.types import Label
from training import CACHE, DATASETS, FITTED, ROWS
from training.classifier import asides, augment, documentations
from training.classifier.bases import CachedEmbedder, company_base, indexed_base
from training.classifier.fit import (
    WRITTEN,
    Calibration,
    Featurizer,
    Fitted,
    Inputs,
    calibrate,
    fit,
    mixed,
    out_of_fold,
)
from training.classifier.public import public_rows
from training.classifier.report import report
from training.classifier.rows import OWN, Company, Row, own, read_companies, read_rows

TRAINING = ROWS / "intents"
ROUTING = DATASETS / "routing"
SAMPLE = DATASETS / "sample" / "routing.jsonl"
HELD = (SAMPLE, *sorted(path for path in ROUTING.glob("*.jsonl") if path.name.startswith(("dev", "test"))))
"""Sets that no training row may come from."""
SEED = 20
LEAN = ((Label.ANSWERABLE, 0.3), (Label.HIGH_STAKES, 1.4), (Label.IRRELEVANT, 0.4), (Label.NONSENSE, 0.4))
"""Chosen on the development sets and by cross-validation: missing what is high stakes costs most, turning an answerable
question away comes next."""
FRAMED = 0.5
"""Weight of a copy among sentences that carry no label."""


def main() -> None:
    arguments = parse()
    settings = load_settings()
    embedder = CachedEmbedder(build_embedder(settings), arguments.cache)
    companies = training_companies()
    bases = build_bases(companies, settings, embedder, arguments.kb, arguments.also or [])
    rows = training_rows(companies, arguments)
    featurizer = Featurizer(embedder, bases, names({**companies}, settings), layers=not arguments.without_layers)
    written = [row for row in rows if row.weight == 1.0]
    copies = [*augment.rough_copies(written), *augment.framed_copies(written, FRAMED)]
    copies += augment.framed_copies(written, FRAMED, "framed again", arguments.again_framed)
    raw = featurizer.raw(rows + copies)
    featurizer.fit(raw)
    inputs = featurizer.inputs(raw)
    lean = dict(arguments.lean)
    if arguments.mix:
        strength, calibration = arguments.strength[0], mixed(arguments.mix, lean)
    else:
        strength, calibration = cross_validated(inputs, rows, copies, arguments)
    fitted = fit(inputs, [*rows, *copies], strength, arguments.cache.parent / "fits")
    fitted.save(arguments.out, featurizer, sentences_told_apart(featurizer, rows, list(bases)))
    print(f"rows {len(rows)}, strength {strength}, {calibration}, {arguments.out.stat().st_size} bytes")
    for path in arguments.held_out or [SAMPLE, ROUTING / "dev.jsonl"]:
        hold_out(path, featurizer, fitted, calibration, embedder, settings)


def sentences_told_apart(featurizer: Featurizer, rows: list[Row], companies: list[str]) -> asides.Asides:
    around = asides.said_around(companies, seeded())
    requests = asides.asked(rows, seeded())
    return asides.fit(*(featurizer.inputs(featurizer.raw(some)).hidden for some in (around, requests)))


def cross_validated(
    inputs: Inputs, rows: list[Row], copies: list[Row], arguments: argparse.Namespace
) -> tuple[float, Calibration]:
    """The strength of the best macro-F1 over groups not trained on, and the calibration there."""
    scores = {}
    for strength in arguments.strength:
        pair = out_of_fold(inputs, [*rows, *copies], len(rows), strength, arguments.cache.parent / "fits")
        calibration = calibrate(rows, pair, dict(arguments.lean))
        scores[strength] = (report("cross-validated", rows, calibration.logits(pair)), calibration)
        named = np.flatnonzero([row.weight == WRITTEN and row.group == row.company for row in rows])
        written = [rows[int(n)] for n in named]
        report("written rows of companies with a name", written, calibration.logits(pair[:, named]), detail=True)
        print(f"  C={strength} {calibration}", file=sys.stderr)
    best = max(scores, key=lambda s: scores[s][0])
    return best, scores[best][1]


def hold_out(
    path: Path,
    featurizer: Featurizer,
    fitted: Fitted,
    calibration: Calibration,
    embedder: CachedEmbedder,
    settings: Settings,
) -> None:
    """Whole messages, nothing heard; `training.classifier.shortcuts` reads sentences and hears, as the product does."""
    rows = [own(row) for row in read_rows(path)]
    beside = path.with_name("companies.jsonl")
    companies = read_companies(beside) if beside.is_file() else {}
    others = Featurizer(
        embedder,
        {**featurizer.bases, **company_bases(companies, embedder)},
        names(companies, settings),
        layers=featurizer.layers,
    )
    others.as_in(featurizer)
    report(path.name, rows, calibration.logits(fitted.pair(others.inputs(others.raw(rows)))), detail=True)


def names(companies: dict[str, Company], settings: Settings) -> dict[str, str]:
    return {OWN: settings.brand.name, **{company.id: company.name for company in companies.values()}}


def company_bases(companies: dict[str, Company], embedder: CachedEmbedder) -> dict[str, TopicProbe]:
    return {c.id: company_base(c, embedder) for c in companies.values() if c.articles}


def build_bases(
    companies: dict[str, Company], settings: Settings, embedder: CachedEmbedder, kb: str, also: list[str]
) -> dict[str, TopicProbe]:
    bases = {OWN: indexed_base(settings, kb, settings.brand.covers, embedder), **company_bases(companies, embedder)}
    for pair in also:
        company, indexed = pair.split("=")
        bases[f"{company}@{indexed}"] = indexed_base(settings, indexed, companies[company].covers, embedder)
    return bases


def training_companies() -> dict[str, Company]:
    return read_companies(TRAINING / "companies.jsonl") | documentations.companies()


def written_rows() -> list[Row]:
    """As they stand in `TRAINING`."""
    files = [path for path in sorted(TRAINING.glob("*.jsonl")) if path.name != "companies.jsonl"]
    return [row for path in files for row in read_rows(path)]


def training_rows(companies: dict[str, Company], arguments: argparse.Namespace) -> list[Row]:
    written = written_rows()
    known = list(companies.values())
    rows = [*written, *again(written, arguments.also or []), *documentations.questions()]
    rows += list(public_rows(arguments.intents, seeded())) if arguments.intents else []
    rows += augment.mash(known, seeded(), arguments.mash)
    rows += augment.other_companies(known, seeded(), arguments.brands)
    rows += augment.own_name(known, seeded())
    rows = augment.placed(rows, [OWN, OWN, *companies], seeded())
    held = {_bare(row.text) for path in HELD for row in read_rows(path)}
    return [row for row in rows if _bare(row.text) not in held]


def _bare(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def seeded() -> random.Random:
    """Afresh for each source, so that one more row here leaves the others as they were."""
    return random.Random(SEED)  # noqa: S311


def again(rows: list[Row], also: list[str]) -> Iterator[Row]:
    """The same messages before a base of hundreds of articles."""
    for pair in also:
        company, _ = pair.split("=")
        for row in rows:
            if row.company == company:
                yield Row(row.text, row.label, pair.replace("=", "@"), row.group, row.weight * 0.7, row.lang)


def leaning(text: str) -> tuple[Label, float]:
    label, value = text.split("=")
    return Label(label), float(value)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kb", default="sample", help="the sample help centre's knowledge base, indexed")
    parser.add_argument("--also", action="append", help="COMPANY=KB: its messages before this indexed base as well")
    parser.add_argument("--intents", type=Path, help="folder with the public intent sets; left out when not given")
    parser.add_argument("--held-out", type=Path, action="append", help="files to score at the end")
    parser.add_argument("--strength", type=float, nargs="+", default=[0.5], help="inverse regularisation to try")
    parser.add_argument(
        "--lean", type=leaning, nargs="*", default=LEAN, metavar="LABEL=X", help="added to a label's logit in the end"
    )
    parser.add_argument(
        "--mix",
        type=float,
        nargs=2,
        help="what the linear part and the network weigh in the figures printed; by cross-validation if not given",
    )
    parser.add_argument("--without-layers", action="store_true", help="leave out what the encoder's layers show")
    parser.add_argument(
        "--again-framed", type=float, default=0.3, help="share of the written rows with a second copy among sentences"
    )
    parser.add_argument("--mash", type=int, default=900, help="generated nonsense messages")
    parser.add_argument("--brands", type=int, default=900, help="generated messages about other companies")
    parser.add_argument("--cache", type=Path, default=CACHE / "embeddings.npz", help="kept embeddings")
    parser.add_argument("--out", type=Path, default=FITTED / "head.npz")
    return parser.parse_args()


if __name__ == "__main__":
    main()
