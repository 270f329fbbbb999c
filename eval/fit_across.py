"""Fit the gate for messages in another language than the articles: `python -m eval.fit_across --set KB FILE
[--set KB FILE …]`.

Files are in the retrieval or the refusal format and hold questions in other languages; each knowledge base is indexed
beforehand. Signals are cosines alone. Figures are leave-one-knowledge-base-out.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from pathlib import Path

from eval.fit_gates import FITTED, PENALTY, left_out, show, table
from eval.observed import Question, named, sets_of, strange
from handrail.assembly import build_parts
from handrail.assembly.stages import ACROSS
from handrail.calibrate import Asked, Observed
from handrail.calibrate.fit import fit
from handrail.calibrate.rows import read_rows
from handrail.retrieve.abroad import ACROSS as SIGNAL
from handrail.settings import Settings, load_settings

SIGNALS = tuple(f"{SIGNAL}{name}" for name in ("dense_lift", "dense_gap"))
"""The best cosine above that of unrelated texts, and above the next ones."""


async def seen(kb: str, rows: Sequence[Asked], settings: Settings) -> list[Question]:
    """Of those that are surely in another language."""
    knowledge = settings.knowledge.model_copy(update={"kb": kb})
    settings = settings.model_copy(update={"knowledge": knowledge})
    parts = await asyncio.to_thread(build_parts, settings)
    try:
        retriever = parts.retriever(settings)
        found = [(row, (await retriever.retrieve(row.question, {})).signals) for row in rows]
    finally:
        parts.close()
    return [
        Question(kb, Observed(row, signals, found=False, cited=False, static=0.0, overall={}))
        for row, signals in found
        if SIGNALS[0] in signals
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", nargs=2, action="append", required=True, metavar=("KB", "FILE"), dest="sets")
    given = parser.parse_args()
    settings, sets = load_settings(), sets_of(given)
    rows: list[Question] = []
    for kb, files in sets.items():
        asked = list(dict.fromkeys(row for file in files for row in read_rows(Path(file), leave_out="test")))
        others = [Asked(text, answerable=False, origin="foreign") for text in strange(kb, sets)]
        rows += asyncio.run(seen(kb, [*asked, *others], settings))
    observed, owners = [row.seen for row in rows], [row.kb for row in rows]
    show(ACROSS, left_out(observed, SIGNALS, owners), observed, owners, settings.gates.relevance)
    models = settings.models
    gate = fit(table(observed, SIGNALS, owners), PENALTY).calibration(
        SIGNALS, reranker="none", embedder=models.foreign, reader="", on=named(sets), n=len(rows)
    )
    (FITTED / f"{ACROSS}.json").write_text(gate.model_dump_json(indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
