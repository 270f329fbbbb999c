"""The committed outcomes that the gate compares with: a few characters per row, and why they were last renewed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from handrail.errors import PermanentError

COMMITTED = Path(__file__).parent / "gates" / "baseline.json"
HISTORY = 30
"""Renewals remembered."""
UNSCORED = "-"
PLACES = 3


class BaselineError(PermanentError):
    """The committed outcomes are missing, damaged or of other rows; the message says how to renew them."""


class Outcomes(BaseModel):
    """One set: every figure's value per row, in file order."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    sha256: str
    rows: int
    corpus: str
    figures: dict[str, str | list[float | None]]
    """`1`, `0` and `-` (not scored) for yes-or-no figures; numbers, or null, for others."""

    def values(self, figure: str) -> list[float | None] | None:
        """None where the baseline does not know the figure."""
        held = self.figures.get(figure)
        return [None if c == UNSCORED else float(c) for c in held] if isinstance(held, str) else held


class Renewal(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    at: str
    reason: str
    revision: str | None
    figures: dict[str, float]


class Baseline(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    format: int = 1
    sets: dict[str, Outcomes]
    history: list[Renewal]


def packed(values: Sequence[float | None]) -> str | list[float | None]:
    if all(value in (None, 0.0, 1.0) for value in values):
        return "".join(UNSCORED if value is None else str(int(value)) for value in values)
    return [None if value is None else round(value, PLACES) for value in values]


def read(path: Path) -> Baseline | None:
    """None where there is none yet. Raises BaselineError when it is damaged."""
    try:
        return Baseline.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError) as error:
        why = str(error).splitlines()[0]
        raise BaselineError(f"{path} is damaged ({why}): `git checkout` it, or renew it with --update") from None


def write(path: Path, sets: Mapping[str, Outcomes], history: Sequence[Renewal]) -> None:
    """Whole or not at all; one line per figure, so that a diff shows which one moved."""
    held: dict[str, Any] = Baseline(sets=dict(sets), history=list(history)[-HISTORY:]).model_dump()
    for outcomes in held["sets"].values():
        for name, values in outcomes["figures"].items():
            outcomes["figures"][name] = values if isinstance(values, str) else f"@{json.dumps(values)}@"
    text = json.dumps(held, indent=1).replace('"@', "").replace('@"', "")
    part = path.with_suffix(".part")
    path.parent.mkdir(parents=True, exist_ok=True)
    part.write_text(text + "\n", encoding="utf-8")
    part.replace(path)
