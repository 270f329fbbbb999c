"""Fit the gates that ship: `python -m eval.fit_gates --set KB FILE [--set KB FILE …] [--cache DIR]`.

Files are in the retrieval or the refusal format; several may belong to one knowledge base. A retrieval question is run
twice: as it is, and with its gold articles taken out of the index, which makes a near-miss. The gates say how likely it
is that the knowledge base answers the question. They must travel, so figures are leave-one-knowledge-base-out: each
base is judged by gates that were fitted to the others; rows with `"split": "test"` are never fitted on.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from handrail.assembly import build_parts
from handrail.calibrate import Asked, Observed
from handrail.calibrate.fit import Array, Data, auc, calibration_error, fit, part
from handrail.calibrate.log import ObservationLog
from handrail.calibrate.made_with import made_with
from handrail.calibrate.observe import Observer
from handrail.calibrate.rows import read_rows
from handrail.calibrate.signals import ANSWER, EVIDENCE
from handrail.settings import Settings, load_settings

PENALTY = 12.0
ANSWERABLE = 0.6
"""Assumed share of questions that a help centre's own articles answer, whatever the share in the files."""
NEAR_MISS = 0.1
"""Importance of a question whose gold articles were taken out: some of them are still answered elsewhere."""
FITTED = Path(__file__).parent.parent / "src" / "handrail" / "fitted"
FALSE_REFUSALS = (0.05, 0.1)


async def observe(kb: str, files: Sequence[Path], settings: Settings, cache: Path) -> list[Observed]:
    settings = settings.model_copy(update={"knowledge": settings.knowledge.model_copy(update={"kb": kb})})
    rows = list(dict.fromkeys(row for file in files for row in read_rows(file, leave_out="test")))
    parts = await asyncio.to_thread(build_parts, settings)
    try:
        gold = [row for row in rows if row.article_ids and row.answerable]
        missing = [
            Asked(row.question, row.article_ids, answerable=False, origin="removed", without=row.article_ids)
            for row in gold
        ]
        log = ObservationLog(cache / f"{kb}.jsonl", made_with(parts, settings))
        return await log.observe([*rows, *missing], Observer(parts, settings).observe, lambda: None)
    finally:
        parts.close()


def table(rows: Sequence[Observed], signals: Sequence[str], owners: Sequence[str]) -> Data:
    """Every knowledge base counts by the square root of its rows, so that the largest does not decide alone."""
    truth = np.asarray([float(row.asked.answerable) for row in rows])
    importance = np.asarray([NEAR_MISS if row.asked.origin == "removed" else 1.0 for row in rows])
    for owner in set(owners):
        inside = np.asarray(owners) == owner
        for kind, share in ((1.0, ANSWERABLE), (0.0, 1 - ANSWERABLE)):
            chosen = inside & (truth == kind)
            importance[chosen] *= share * inside.sum() ** 0.5 / max(importance[chosen].sum(), 1e-9)
    importance *= len(rows) / importance.sum()
    return Data(np.asarray([[row.signals[name] for name in signals] for row in rows]), truth, importance, owners)


def left_out(data: Data) -> Array:
    """Probabilities for each knowledge base from the others."""
    owners = np.asarray(data.groups)
    predicted = np.zeros(len(owners))
    for owner in set(data.groups):
        held = owners == owner
        predicted[held] = fit(part(data, ~held), PENALTY).probability(data.matrix[held])
    return predicted


def show(name: str, predicted: Array, rows: Sequence[Observed], owners: Sequence[str], threshold: float) -> None:
    written = np.asarray([row.asked.origin != "removed" for row in rows])
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


def mixed(truth: Array) -> Array:
    """Importance that makes the answerable ones the assumed share."""
    share = min(max(float(truth.mean()), 1e-6), 1 - 1e-6)
    return np.where(truth == 1, ANSWERABLE / share, (1 - ANSWERABLE) / (1 - share))


def _rates(predicted: Array, truth: Array, threshold: float) -> str:
    refused = predicted < threshold
    precision = (truth[refused] == 0).mean() if refused.any() else float("nan")
    return f"P {precision:.2f} R {refused[truth == 0].mean():.2f} FR {refused[truth == 1].mean():.2f} ({threshold:.2f})"


def run(sets: dict[str, list[Path]], cache: Path, write: bool) -> None:
    settings = load_settings()
    rows: list[Observed] = []
    owners: list[str] = []
    for kb, files in sets.items():
        found = asyncio.run(observe(kb, files, settings, cache))
        rows += found
        owners += [kb] * len(found)
    for name, signals, threshold in (
        ("relevance", EVIDENCE, settings.gates.relevance),
        ("critique", ANSWER, settings.generate.critique_partly),
    ):
        data = table(rows, signals, owners)
        show(name, left_out(data), rows, owners, threshold)
        fitted = fit(data, PENALTY)
        print("  " + " ".join(f"{key}={value:.2f}" for key, value in zip(signals, fitted.weights, strict=True)))
        if write:
            models = settings.models
            on = ", ".join(f"{kb}: {' '.join(file.name for file in files)}" for kb, files in sets.items())
            gate = fitted.calibration(signals, reranker=models.reranker, embedder=models.embedder, on=on, n=len(rows))
            (FITTED / f"{name}.json").write_text(gate.model_dump_json(indent=1) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", nargs=2, action="append", required=True, metavar=("KB", "FILE"), dest="sets")
    parser.add_argument("--cache", type=Path, default=Path("var/gates"), help="Folder for observations; kept.")
    parser.add_argument("--dry-run", action="store_true", help="Print the figures and write nothing.")
    options = parser.parse_args()
    sets: dict[str, list[Path]] = {}
    for kb, file in options.sets:
        sets.setdefault(kb, []).append(Path(file))
    run(sets, options.cache, not options.dry_run)


if __name__ == "__main__":
    main()
