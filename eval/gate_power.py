"""`python -m eval.gate_power`: how often the gate fails on noise, and how often on a real loss. Simulated."""

from __future__ import annotations

from typing import Any

import numpy as np
import typer

from eval.metrics.bootstrap import SEED
from eval.metrics.paired import worse

SETS = (("routing", 400, 0.76), ("retrieval", 150, 0.82), ("refusal", 120, 0.66))
"""Rows and share right of each yes-or-no figure when this was written."""
FLOORS = (("refusal right_refusal", 45, 0.87, 0.80),)
"""Rows, share right, and floor of each figure that only a floor holds, when this was written."""
DRAWS = 2000
ALPHA, TOLERANCE = 0.05, 0.01


def main() -> None:
    random = np.random.default_rng(SEED)

    def failing(rows: int, right: float, lost: float, gained: float) -> float:
        """Share of draws that fail, when these shares of all rows are lost and gained."""
        failed = 0
        for _ in range(DRAWS):
            before = random.random(rows) < right
            flip = random.random(rows) < np.where(before, lost / right, gained / (1 - right))
            difference = np.where(flip, np.where(before, -1.0, 1.0), 0.0)
            failed += bool(difference.mean() < -TOLERANCE) and worse(difference, True) < ALPHA
        return failed / DRAWS

    typer.echo(
        "| set | rows | noise (3 % each way) | net loss 2 % | 4 % | 6 % | 10 % |\n|---|---:|---:|---:|---:|---:|---:|"
    )
    for name, rows, right in SETS:
        noise = failing(rows, right, 0.03, 0.03)
        losses = " | ".join(f"{failing(rows, right, net + 0.01, 0.01):.2f}" for net in (0.02, 0.04, 0.06, 0.10))
        typer.echo(f"| {name} | {rows} | {noise:.3f} | {losses} |")
    typer.echo(
        "\n| floor | rows | as now, 3 % each way | 10 points lost | 15 | 20 | 30 |\n|---|---:|---:|---:|---:|---:|---:|"
    )
    for name, rows, right, floor in FLOORS:
        held = random.random((DRAWS, rows)).argsort(axis=1) < round(right * rows)

        def below(lost: float, gained: float, held: Any = held, right: float = right, floor: float = floor) -> float:
            """Share of draws below the floor, when these shares of all rows become wrong and right."""
            flip = random.random(held.shape) < np.where(held, lost / right, gained / (1 - right))
            return float(((held ^ flip).mean(axis=1) < floor).mean())

        told = " | ".join(f"{below(net, 0.0):.2f}" for net in (0.10, 0.15, 0.20, 0.30))
        typer.echo(f"| {name} >= {floor:.2f} | {rows} | {below(0.03, 0.03):.3f} | {told} |")


if __name__ == "__main__":
    typer.run(main)
