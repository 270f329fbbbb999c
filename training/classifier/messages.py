"""The messages that encoders learn labels from, each before the assistant of a company.

Written rows are in `eval/training/intents`, with invented companies and their articles; mash and messages about other
companies are generated. No row occurs in a set that measures.
"""

from __future__ import annotations

import random
import re

from handrail.settings import Settings
from training import DATASETS, ROWS
from training.classifier import augment, documentations
from training.classifier.rows import OWN, Company, Row, read_companies, read_rows

TRAINING = ROWS / "intents"
ROUTING = DATASETS / "routing"
SAMPLE = DATASETS / "sample" / "routing.jsonl"
HELD = (SAMPLE, *sorted(path for path in ROUTING.glob("*.jsonl") if path.name.startswith(("dev", "test"))))
"""Sets that no training row may come from."""
SEED = 20


def names(companies: dict[str, Company], settings: Settings) -> dict[str, str]:
    return {OWN: settings.brand.name, **{company.id: company.name for company in companies.values()}}


def training_companies() -> dict[str, Company]:
    return read_companies(TRAINING / "companies.jsonl") | documentations.companies()


def written_rows() -> list[Row]:
    """As they stand in `TRAINING`."""
    files = [path for path in sorted(TRAINING.glob("*.jsonl")) if path.name != "companies.jsonl"]
    return [row for path in files for row in read_rows(path)]


def training_rows(companies: dict[str, Company], mash: int, brands: int) -> list[Row]:
    """With so many generated rows of nonsense, and about other companies."""
    known = list(companies.values())
    rows = [*written_rows(), *documentations.questions()]
    rows += augment.mash(known, seeded(), mash)
    rows += augment.other_companies(known, seeded(), brands)
    rows += augment.own_name(known, seeded())
    rows = augment.placed(rows, [OWN, OWN, *companies], seeded())
    held = {_bare(row.text) for path in HELD for row in read_rows(path)}
    return [row for row in rows if _bare(row.text) not in held]


def seeded() -> random.Random:
    """Afresh for each source, so that one more row here leaves the others as they were."""
    return random.Random(SEED)  # noqa: S311


def _bare(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))
