"""Fit how much less the gates believe in a large knowledge base:
`python -m eval.fit_size --set KB FILE [--set KB FILE …] --set ALL FILE [--set ALL FILE …] [--cache DIR]`.

The more passages there are, the likelier one of them looks like an answer to a question that none answers, while those
that are answered look as they did. The bases that the gates are fitted to are small, so this weight is fitted by
itself, over the gates as they are (`eval.fit_gates`): the same questions are asked of small bases and of one that holds
the articles of many. Each base's answered and unanswered questions count as in `eval.fit_gates`. What a reader has
learnt from must not be among the sets.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np
from scipy.optimize import minimize

from eval.fit_gates import FITTED, table
from eval.observed import add_sets, observed, sets_of
from handrail.calibrate import Observed
from handrail.calibrate.fit import Array, log_loss
from handrail.calibration import Calibration, load_calibration, probability
from handrail.settings import load_settings

SIZE = "size"


def weight(rows: Sequence[Observed], owners: Sequence[str], gate: Calibration) -> float:
    """Log-odds to add for each unit of `size`, with a shift of its own that is not kept: gates stay as they are."""
    data = table(rows, (SIZE,), owners)
    base = gate.model_copy(update={"weights": {key: value for key, value in gate.weights.items() if key != SIZE}})
    said = np.clip([probability(base, row.signals) for row in rows], 1e-6, 1 - 1e-6)
    odds, size = np.log(said / (1 - said)), data.matrix[:, 0]

    def loss(values: Array) -> float:
        predicted = 1 / (1 + np.exp(-(odds + values[0] + values[1] * size)))
        return float(data.importance @ log_loss(predicted, data.truth))

    return float(minimize(loss, np.zeros(2), method="Nelder-Mead").x[1])


def with_size(gate: Calibration, value: float) -> Calibration:
    """`gate` with this weight of `size`, which is 0 where nothing is said of it."""
    return gate.model_copy(
        update={
            "weights": {**gate.weights, SIZE: round(value, 4)},
            "means": {**gate.means, SIZE: 0.0},
            "scales": {**gate.scales, SIZE: 1.0},
        }
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_sets(parser)
    parser.add_argument("--dry-run", action="store_true", help="print the weights and write nothing")
    given = parser.parse_args()
    sets = sets_of(given)
    found = observed(sets, load_settings(), given.cache, unread=())
    found = [row for row in found if row.seen.asked.origin == "written" and row.seen.read]
    rows, owners = [row.seen for row in found], [row.kb for row in found]
    for kb in sets:
        sizes = {round(row.signals[SIZE], 2) for row, owner in zip(rows, owners, strict=True) if owner == kb}
        print(f"{kb}: {owners.count(kb)} questions, size {', '.join(map(str, sorted(sizes)))}")
    for name in ("relevance", "critique"):
        gate = load_calibration(name)
        value = weight(rows, owners, gate)
        print(f"{name}: {value:+.3f} for each unit of size")
        if not given.dry_run:
            text = with_size(gate, value).model_dump_json(indent=1) + "\n"
            (FITTED / f"{name}.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
