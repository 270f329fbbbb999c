"""Numbers that were fitted or measured: the models' bundle holds them, the code holds none."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import Any

from handrail.settings.base import advanced
from handrail.settings.paths import PACKAGE

FILE = PACKAGE / "models" / "bundle" / "defaults.toml"


@dataclass(frozen=True, slots=True)
class Number:
    """The default of one setting."""

    value: int | float
    source: str
    """Where it was found, for whoever wants to change it."""


NUMBERS = {
    f"{section}.{key}": Number(**entry)
    for section, entries in tomllib.loads(FILE.read_text(encoding="utf-8")).items()
    for key, entry in entries.items()
}
"""By the name of the setting, such as `retrieval.late_weight`."""


def fitted(name: str, **given: Any) -> Any:
    """An advanced setting whose default comes with the models."""
    return advanced(NUMBERS[name].value, **given)
