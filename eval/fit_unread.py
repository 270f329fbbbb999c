"""Fit the gate for articles that the embedder reads and the cross-encoder does not:
`HANDRAIL__MODELS__EMBEDDER=multilingual-e5-small-q4 HANDRAIL__MODELS__RERANKER=none HANDRAIL__CLASSIFY__MODE=off
python -m eval.fit_unread --set KB FILE [--set KB FILE …] [--cache DIR]`.

The articles may be in any language: the two signals mean the same in all. Figures are leave-one-knowledge-base-out.
"""

from __future__ import annotations

import argparse

from eval.fit_gates import FITTED, PENALTY, left_out, show, table
from eval.observed import add_sets, named, observed, sets_of
from handrail.assembly.stages import UNREAD
from handrail.calibrate.fit import fit
from handrail.settings import load_settings

SIGNALS = ("dense_lift", "coverage_all")
"""The best cosine above the base's own noise floor, and the share of the question's words in what was found."""

SHARE = 0.7
"""Assumed share of answerable questions: at the 0.53 that gates ask for, one in ten of these is asked back."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_sets(parser)
    given = parser.parse_args()
    settings, sets = load_settings(), sets_of(given)
    rows = observed(sets, settings, given.cache, unread=set(sets))
    seen, owners = [row.seen for row in rows], [row.kb for row in rows]
    show(UNREAD, left_out(seen, SIGNALS, owners), seen, owners, settings.gates.relevance)
    models = settings.models
    gate = fit(table(seen, SIGNALS, owners, SHARE), PENALTY).calibration(
        SIGNALS, reranker=models.reranker, embedder=models.embedder, reader="", on=named(sets), n=len(rows)
    )
    (FITTED / f"{UNREAD}.json").write_text(gate.model_dump_json(indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
