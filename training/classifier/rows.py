"""Labelled messages, each with the company whose assistant is asked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from handrail.types import Label

ANY = "any"
"""Holds for every company."""
UNKNOWN = "unknown"
"""Some company without a knowledge base here: nearness to articles says nothing."""
OWN = "tillwick"
"""The company of the sample help centre, which is also asked what holds for every company."""


@dataclass(frozen=True, slots=True)
class Row:
    text: str
    label: Label
    company: str
    group: str
    """Rows of one group never stand on both sides of a cross-validation split."""
    weight: float = 1.0
    lang: str = "en"


def own(row: Row) -> Row:
    """Asked of the sample's company where it holds for every one, or is for one that has no articles here."""
    return replace(row, company=OWN) if row.company in (ANY, UNKNOWN) else row


@dataclass(frozen=True, slots=True)
class Company:
    id: str
    name: str
    covers: str
    trade: str = ""
    articles: list[dict[str, str]] = field(default_factory=list)
    """`title` and `text`, a sentence or two."""


def read_companies(path: Path) -> dict[str, Company]:
    companies = (Company(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines() if line)
    return {company.id: company for company in companies}


def read_rows(path: Path, weight: float = 1.0) -> Iterator[Row]:
    """Rows of a JSON lines file with `company`, or `about` as the first files have it."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
        row = json.loads(line)
        company = row.get("company") or row.get("about", ANY)
        if company.startswith("other:"):
            yield Row(row["text"], Label(row["label"]), UNKNOWN, company, weight, row.get("lang", "en"))
        else:
            group = f"{path.stem}/{number % 8}" if company == ANY else company
            yield Row(row["text"], Label(row["label"]), company, group, weight, row.get("lang", "en"))
