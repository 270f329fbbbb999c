"""Fit the gates that ship, and the reader they listen to:
`python -m eval.fit_gates --set KB FILE [--set KB FILE …] [--cache DIR]`.

Files are in the retrieval or the refusal format; several may belong to one knowledge base. The gates say how likely it
is that the knowledge base answers the question. They must travel, so figures are leave-one-knowledge-base-out: each
base is judged by gates and a reader that were fitted to the others; rows with `"split": "test"` are never fitted on.
Gates are fitted to what a reader says that never saw the row's own base, as will be so wherever they are used.
With `--removed` each retrieval question is also run with its gold articles taken out of the index.
"""

from __future__ import annotations

import argparse
import asyncio
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from eval.answerable import CROSSED, OWN, KeptStates, Labelled, Readers, crossed, elsewhere, of_base, written
from handrail.assembly import build_parts
from handrail.calibrate import Asked, Observed
from handrail.calibrate.fit import Array, Data, auc, calibration_error, fit, part
from handrail.calibrate.log import ObservationLog
from handrail.calibrate.made_with import made_with
from handrail.calibrate.observe import Observer
from handrail.calibrate.rows import read_rows
from handrail.calibrate.signals import ANSWER, EVIDENCE
from handrail.local_models.fetch import locate
from handrail.local_models.manifest import find
from handrail.local_models.reader import QueryStates
from handrail.settings import Settings, load_settings
from handrail.stores.snapshot import Snapshot

LAYERS = (5, 7)
"""Sixth and eighth of the twelve layers of the cross-encoder that ships."""
WHOLE = 200
"""Tokens of a pair of a crossed file; of 864 passages there 13 are a little longer and lose their end."""
PLAIN = ("rerank_top",)
PENALTY = 12.0
ANSWERABLE = 0.6
"""Assumed share of questions that a help centre's own articles answer, whatever the share in the files."""
IMPORTANCE = {"removed": 0.1, "foreign": 1.5, "title": 1.5}
"""Of questions whose gold articles were taken out, since some are still answered elsewhere; and of easy ones, which are
few in the files and many in life: gates that never see them pass what has nothing to do with the articles."""
EASY = 12
"""Titles, questions of other knowledge bases, and general ones asked of each."""
GENERAL = (
    "what's the capital of France",
    "tell me a joke",
    "best pizza place near me",
    "how do I train a puppy",
    "who won the world cup in 2014",
    "write a poem about rain",
    "what's the weather tomorrow",
    "is bitcoin going up",
    "my back hurts, what should I do",
    "how to cook rice",
    "translate good morning into Japanese",
    "recommend a film for tonight",
)
TITLES = ("how do I {}", "{}", "{}?", "help with {}")
FITTED = Path(__file__).parent.parent / "src" / "handrail" / "fitted"
FALSE_REFUSALS = (0.05, 0.1)
DRAWS = 500


async def observe(
    kb: str, files: Sequence[Path], settings: Settings, cache: Path, foreign: Sequence[str], *, removed: bool
) -> list[Observed]:
    settings = settings.model_copy(
        update={
            "knowledge": settings.knowledge.model_copy(update={"kb": kb}),
            "models": settings.models.model_copy(update={"reader": False}),
        }
    )
    rows = list(dict.fromkeys(row for file in files for row in read_rows(file, leave_out="test")))
    parts = await asyncio.to_thread(build_parts, settings)
    log = ObservationLog(cache / f"{kb}.jsonl", made_with(parts, settings))
    try:
        gold = [row for row in rows if row.article_ids and row.answerable]
        missing = [
            Asked(row.question, row.article_ids, answerable=False, origin="removed", without=row.article_ids)
            for row in gold
            if removed
        ]
        easy = [*titles(parts.snapshot), *(Asked(text, answerable=False, origin="foreign") for text in foreign)]
        return await log.observe([*rows, *missing, *easy], Observer(parts, settings).observe, lambda: None)
    finally:
        parts.close()


def titles(snapshot: Snapshot) -> list[Asked]:
    """A few titles as questions: what any gate must let through."""
    rng = random.Random(3)  # noqa: S311
    chosen = rng.sample(sorted(snapshot.titles.items()), min(EASY, len(snapshot.titles)))
    return [
        Asked(rng.choice(TITLES).format(title[:1].lower() + title[1:]), (article,), origin="title")
        for article, title in chosen
    ]


def strange(kb: str, sets: Mapping[str, Sequence[Path]]) -> list[str]:
    """Questions that have nothing to do with `kb`: some that other bases answer, and general ones."""
    rng = random.Random(kb)  # noqa: S311
    others = [row.question for other, files in sets.items() if other != kb for f in files for row in answered(f)]
    return [*rng.sample(others, min(EASY, len(others))), *rng.sample(GENERAL, EASY // 2)]


def answered(file: Path) -> list[Asked]:
    return [row for row in read_rows(file, leave_out="test") if row.answerable]


def table(rows: Sequence[Observed], signals: Sequence[str], owners: Sequence[str]) -> Data:
    """Every knowledge base counts by the square root of its rows, so that the largest does not decide alone."""
    truth = np.asarray([float(row.asked.answerable) for row in rows])
    importance = np.asarray([IMPORTANCE.get(row.asked.origin, 1.0) for row in rows])
    for owner in set(owners):
        inside = np.asarray(owners) == owner
        for kind, share in ((1.0, ANSWERABLE), (0.0, 1 - ANSWERABLE)):
            chosen = inside & (truth == kind)
            importance[chosen] *= share * inside.sum() ** 0.5 / max(importance[chosen].sum(), 1e-9)
    importance *= len(rows) / importance.sum()
    return Data(np.asarray([[row.signals[name] for name in signals] for row in rows]), truth, importance, owners)


def read_without(
    rows: Sequence[Observed], owners: Sequence[str], readers: Readers, left_out: frozenset[str] = frozenset()
) -> list[Observed]:
    """`rows` with what a reader says that saw neither their own base nor those left out."""
    return [
        replace(row, signals={**row.signals, **readers.signals(row, left_out | {owner})})
        for row, owner in zip(rows, owners, strict=True)
    ]


def left_out(rows: Sequence[Observed], signals: Sequence[str], owners: Sequence[str], readers: Readers) -> Array:
    """Probabilities for each knowledge base from the others."""
    predicted = np.zeros(len(rows))
    for owner in dict.fromkeys(owners):
        held = np.asarray(owners) == owner
        data = table(read_without(rows, owners, readers, frozenset({owner})), signals, owners)
        predicted[held] = fit(part(data, ~held), PENALTY).probability(data.matrix[held])
    return predicted


def show(name: str, predicted: Array, rows: Sequence[Observed], owners: Sequence[str], threshold: float) -> None:
    written = np.asarray([row.asked.origin == "written" for row in rows])
    truth = np.asarray([float(row.asked.answerable) for row in rows])
    print(f"{name}: leave one knowledge base out")
    for owner in [*dict.fromkeys(owners), ""]:
        inside: NDArray[np.bool_] = written & (np.asarray(owners) == owner) if owner else written
        if not inside.any():
            continue
        p, t = predicted[inside], truth[inside]
        area = auc(p, t)
        line = f"  {owner or 'together':10} n={len(p):4} ECE={calibration_error(p, t, mixed(t)):.3f}"
        if area is not None:
            line += f" AUC={area:.3f}; at {threshold}: {_rates(p, t, threshold)}"
            for rate in FALSE_REFUSALS:
                line += f"; at {rate:.0%} false refusals: {_rates(p, t, float(np.quantile(p[t == 1], rate)))}"
        print(line)


def gain(before: Array, after: Array, rows: Sequence[Observed], owners: Sequence[str]) -> str:
    """Mean over knowledge bases, and the interval of a bootstrap over each one's questions."""
    rng = np.random.default_rng(4)
    truth = np.asarray([float(row.asked.answerable) for row in rows])
    written = np.asarray([row.asked.origin == "written" for row in rows])
    inside = [np.flatnonzero(written & (np.asarray(owners) == owner)) for owner in dict.fromkeys(owners)]

    def mean(chosen: Sequence[NDArray[np.int64]]) -> float:
        return float(np.mean([(auc(after[i], truth[i]) or 0.5) - (auc(before[i], truth[i]) or 0.5) for i in chosen]))

    draws = [mean([rng.choice(i, len(i)) for i in inside]) for _ in range(DRAWS)]
    low, high = np.percentile(draws, (2.5, 97.5))
    return f"{mean(inside):+.3f} ({low:+.3f} to {high:+.3f})"


def control(rows: Sequence[Observed], owners: Sequence[str], readers: Readers) -> None:
    """How much of what the reader tells stands in the question alone: that much is the hand of whoever wrote it."""
    print("reader: leave one knowledge base out, AUC")
    for owner in dict.fromkeys(owners):
        asked = [row for row, kb in zip(rows, owners, strict=True) if kb == owner and row.asked.origin == "written"]
        truth = np.asarray([float(row.asked.answerable) for row in asked])
        read = [readers.signals(row, frozenset({owner}))["reader_first"] for row in asked]
        alone = [readers.alone(row, frozenset({owner})) for row in asked]
        print(f"  {owner:10} n={len(asked):4} {_area(read, truth)} with its passage, {_area(alone, truth)} without")


def control_crossed(readers: Readers, apart: Mapping[str, Sequence[Labelled]]) -> None:
    """The same for the crossed files, in which a question alone says next to nothing; each file read by the others."""
    for name, pairs in apart.items():
        read, alone = readers.apart(name, pairs)
        truth = np.asarray([float(pair.answers) for pair in pairs])
        print(f"  {name} n={len(truth):4} {_area(read, truth)} with its passage, {_area(alone, truth)} without")


def _area(scores: Sequence[float], truth: Array) -> str:
    area = auc(np.asarray(scores), truth)
    return "none" if area is None else f"{area:.3f}"


def mixed(truth: Array) -> Array:
    """Importance that makes the answerable ones the assumed share."""
    share = min(max(float(truth.mean()), 1e-6), 1 - 1e-6)
    return np.where(truth == 1, ANSWERABLE / share, (1 - ANSWERABLE) / (1 - share))


def _rates(predicted: Array, truth: Array, threshold: float) -> str:
    refused = predicted < threshold
    precision = (truth[refused] == 0).mean() if refused.any() else float("nan")
    return f"P {precision:.2f} R {refused[truth == 0].mean():.2f} FR {refused[truth == 1].mean():.2f} ({threshold:.2f})"


def run(sets: dict[str, list[Path]], cache: Path, *, removed: bool, with_crossed: bool, write: bool) -> None:
    settings = load_settings()
    rows: list[Observed] = []
    owners: list[str] = []
    for kb, files in sets.items():
        found = asyncio.run(observe(kb, files, settings, cache, strange(kb, sets), removed=removed))
        rows += found
        owners += [kb] * len(found)
    on = ", ".join(f"{kb}: {' '.join(file.name for file in files)}" for kb, files in sets.items())
    fit_all(rows, owners, settings, cache, on, with_crossed=with_crossed, write=write)


def fit_all(
    rows: Sequence[Observed],
    owners: Sequence[str],
    settings: Settings,
    cache: Path,
    on: str,
    *,
    with_crossed: bool,
    write: bool,
) -> None:
    models = settings.models
    kept, whole = (
        KeptStates(states(settings, tokens), f"{models.reranker} {LAYERS}{more}", cache)
        for tokens, more in ((models.rerank_max_tokens, ""), (WHOLE, f" {WHOLE}"))
    )
    kept.of([(row.asked.question, text) for row in rows for _, text in row.read])
    apart = crossed()
    readers = Readers({**sources(rows, owners), **(apart if with_crossed else {})}, kept, whole)
    control(rows, owners, readers)
    control_crossed(readers, apart)
    final = read_without(rows, owners, readers)
    own = f"{OWN}, {CROSSED}" if with_crossed else OWN
    reading = readers.of().reading(models.reranker, LAYERS, f"{own}, {on}", readers.n)
    plain = left_out(rows, PLAIN, owners, readers)
    show("the cross-encoder's score", plain, rows, owners, settings.gates.relevance)
    for name, signals, threshold in (
        ("relevance", EVIDENCE, settings.gates.relevance),
        ("critique", ANSWER, settings.generate.critique_partly),
    ):
        predicted = left_out(rows, signals, owners, readers)
        show(name, predicted, rows, owners, threshold)
        print(
            "  AUC less that of the cross-encoder's score, mean over bases, 95 %: "
            + gain(plain, predicted, rows, owners)
        )
        fitted = fit(table(final, signals, owners), PENALTY)
        print("  " + " ".join(f"{key}={value:.2f}" for key, value in zip(signals, fitted.weights, strict=True)))
        if write:
            gate = fitted.calibration(
                signals,
                reranker=models.reranker,
                embedder=models.embedder,
                reader=reading.digest,
                on=on,
                n=len(rows),
            )
            (FITTED / f"{name}.json").write_text(gate.model_dump_json(indent=1) + "\n", encoding="utf-8")
    if write:
        (FITTED / "reader.json").write_text(reading.model_dump_json() + "\n", encoding="utf-8")


def sources(rows: Sequence[Observed], owners: Sequence[str]) -> dict[str, list[Labelled]]:
    people = [(row, owner) for row, owner in zip(rows, owners, strict=True) if row.asked.origin == "written"]
    bases = {kb: [row for row, owner in people if owner == kb] for kb in dict.fromkeys(owners)}
    foreign = elsewhere(bases)
    return {OWN: written(), **{kb: of_base(found) + foreign[kb] for kb, found in bases.items()}}


def states(settings: Settings, max_tokens: int) -> QueryStates:
    models = settings.models
    return QueryStates(
        locate(find(models.reranker, "reranker"), models.folder),
        LAYERS,
        threads=models.threads,
        max_tokens=max_tokens,
        query_tokens=models.query_max_tokens,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", nargs=2, action="append", required=True, metavar=("KB", "FILE"), dest="sets")
    parser.add_argument("--cache", type=Path, default=Path("var/gates"), help="Folder for observations; kept.")
    parser.add_argument("--removed", action="store_true", help="Also ask without the articles that answer.")
    parser.add_argument("--no-crossed", action="store_true", help="Fit the reader without the crossed files.")
    parser.add_argument("--dry-run", action="store_true", help="Print the figures and write nothing.")
    options = parser.parse_args()
    sets: dict[str, list[Path]] = {}
    for kb, file in options.sets:
        sets.setdefault(kb, []).append(Path(file))
    run(sets, options.cache, removed=options.removed, with_crossed=not options.no_crossed, write=not options.dry_run)


if __name__ == "__main__":
    main()
