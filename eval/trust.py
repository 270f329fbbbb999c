"""`handrail eval trust`: what tiers, outdated pages and relations do to what is quoted first, each switched on and off.

Rows name the articles that are right and those that must not be quoted (`not`), the articles that should be named
beside the answer (`related`), and which switch they are about. A switch is off where its factor is 1.
"""

from __future__ import annotations

import asyncio
import json
import random
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from eval.datasets.corpus import loader_of
from eval.datasets.lines import BadRow, read_lines
from eval.variants import Base, Models, base_of, searching
from handrail.errors import PermanentError
from handrail.knowledge import Article, Rejected
from handrail.settings import Settings
from handrail.stores.relations import Relations
from handrail.tune.score import Gain, paired
from handrail.types.filters import Tier

HERE = Path(__file__).parent / "datasets"
ARTICLES, ROWS = HERE / "tiers" / "articles", HERE / "tiers" / "retrieval.jsonl"
BESIDE, BESIDE_ROWS = HERE / "energy" / "articles", HERE / "energy" / "retrieval.jsonl"
SWITCHES = {
    "canonical": "canonical_weight",
    "raw": "raw_weight",
    "machine": "machine_weight",
    "outdated": "outdated_weight",
}
ALL = "all four"
RELATED = "related"
SEED = 11
TIERS = (Tier.CANONICAL.value, Tier.RAW.value, Tier.MACHINE.value, "deprecated", *["approved"] * 4)
"""What articles are said to be where nobody knows: half of them nothing."""


@dataclass(frozen=True, slots=True)
class Row:
    question: str
    right: frozenset[str]
    wrong: frozenset[str]
    related: frozenset[str]
    about: str


@dataclass(frozen=True, slots=True)
class Seen:
    """What became of a row: whether a right or a wrong article is quoted first, and the articles named beside it."""

    right: bool
    wrong: bool
    named: bool


@dataclass(frozen=True, slots=True)
class Line:
    """One switch over some rows: shares with it and without it, and their paired difference."""

    switch: str
    rows: str
    n: int
    on: float
    off: float
    change: Gain
    wrong_on: float
    wrong_off: float


def measure(settings: Settings, articles: Path, file: Path) -> list[Line]:
    """Of the rows that a switch is about, and of all others. Raises PermanentError for rows that can't be used."""
    rows = list(_rows(file))
    held = []
    for item in loader_of(articles, settings).articles():
        if isinstance(item, Article):
            held.append(item)
        elif isinstance(item, Rejected):
            raise PermanentError(f"{item.where}: {item.why}")
    with tempfile.TemporaryDirectory() as cache:
        models = Models(settings, Path(cache))
        base = Base("tiers", held, [])
        seen = _seen(base, rows, settings, models)
        lines = []
        for switch in (*SWITCHES, ALL):
            without = _seen(base, rows, _off(settings, switch), models)
            about = [row.about == switch or (switch == ALL and row.about in SWITCHES) for row in rows]
            lines += [
                _line(switch, which, rows, seen, without, [one == wanted for one in about])
                for which, wanted in (("about it", True), ("others", False))
                if any(about) and wanted in about
            ]
    return [*lines, *_related(rows, seen)]


def harm(settings: Settings, articles: Path, file: Path) -> list[Line]:
    """Over a knowledge base that has no tiers: as it is, and with tiers given at random, which say nothing."""
    with tempfile.TemporaryDirectory() as cache:
        models = Models(settings, Path(cache))
        base = base_of("beside", articles, file, settings, "")
        rows = [Row(one.question, frozenset(one.article_ids), frozenset(), frozenset(), "") for one in base.rows]
        draw = random.Random(SEED)  # noqa: S311
        given = replace(base, articles=[_given(one, draw.choice(TIERS)) for one in base.articles])
        return [
            _line(ALL, name, rows, _seen(one, rows, settings, models), _seen(one, rows, _off(settings, ALL), models),
                  [True] * len(rows))
            for name, one in (("without tiers", base), ("tiers at random", given))
        ]  # fmt: skip


def _given(article: Article, tier: str) -> Article:
    said = {"deprecated": "true"} if tier == "deprecated" else {"tier": tier}
    return replace(article, facets={**article.facets, **said})


def _off(settings: Settings, switch: str) -> Settings:
    names = SWITCHES.values() if switch == ALL else [SWITCHES[switch]]
    return settings.model_copy(update={"retrieval": settings.retrieval.model_copy(update=dict.fromkeys(names, 1.0))})


def _seen(base: Base, rows: Sequence[Row], settings: Settings, models: Models) -> list[Seen]:
    async def found() -> list[Seen]:
        seen = []
        for row in rows:
            evidence = await retriever.retrieve(row.question, {})
            first = evidence.sections[0].section.article_id if evidence.sections else ""
            named = {one.article_id for one in relations.beside([first], {})} if first else set()
            seen.append(Seen(first in row.right, first in row.wrong, row.related <= named))
        return seen

    with searching(base, settings, models) as (snapshot, retriever):
        relations = Relations(snapshot)
        return asyncio.run(found())


def _line(
    switch: str, which: str, rows: Sequence[Row], on: Sequence[Seen], off: Sequence[Seen], wanted: Sequence[bool]
) -> Line:
    pairs = [(row, one, two) for row, one, two, held in zip(rows, on, off, wanted, strict=True) if held]
    with_it, without = (
        [float(seen.right) for seen in side] for side in zip(*((a, b) for _, a, b in pairs), strict=True)
    )
    change = paired(np.asarray(with_it) - np.asarray(without), [",".join(sorted(row.right)) for row, _, _ in pairs])
    wrong = [float(np.mean([seen.wrong for seen in side])) for side in zip(*((a, b) for _, a, b in pairs), strict=True)]
    on_share, off_share = float(np.mean(with_it)), float(np.mean(without))
    return Line(switch, which, len(pairs), on_share, off_share, change, wrong[0], wrong[1])


def _related(rows: Sequence[Row], seen: Sequence[Seen]) -> Iterator[Line]:
    """How often the article that should be named beside the answer is; without relations, none ever is."""
    named = [(row, float(one.named)) for row, one in zip(rows, seen, strict=True) if row.related]
    if named:
        shares = np.asarray([share for _, share in named])
        change = paired(shares, [",".join(sorted(row.right)) for row, _ in named])
        yield Line(RELATED, "named beside it", len(named), float(shares.mean()), 0.0, change, 0.0, 0.0)


def _rows(file: Path) -> Iterator[Row]:
    for line in read_lines(file)[1]:
        if isinstance(line, BadRow):
            raise PermanentError(f"{file} line {line.line}: {line.why}")
        value: Mapping[str, Any] = line.value
        try:
            sets = (
                frozenset(value["article_ids"]),
                frozenset(value.get("not", ())),
                frozenset(value.get("related", ())),
            )
            yield Row(str(value["question"]), *sets, str(value.get("about", "")))
        except (KeyError, TypeError) as error:
            raise PermanentError(f"{file} line {line.number}: {error}") from None


def as_markdown(lines: Sequence[Line]) -> str:
    shown = ["| switch | rows | n | right first, on | off | change | wrong first, on | off |", "|" + "---|" * 8]
    for one in lines:
        change = f"{one.change.mean:+.3f} ({one.change.low:+.3f} to {one.change.high:+.3f})"
        shares = [f"{share:.3f}" for share in (one.on, one.off, one.wrong_on, one.wrong_off)]
        cells = [one.switch, one.rows, str(one.n), *shares[:2], change, *shares[2:]]
        shown.append(f"| {' | '.join(cells)} |")
    return "\n".join(shown)


def as_json(lines: Sequence[Line]) -> str:
    def told(one: Line) -> dict[str, Any]:
        low, high = one.change.low, one.change.high
        figures = {"on": one.on, "off": one.off, "change": one.change.mean, "ci": [low, high]}
        return {"switch": one.switch, "rows": one.rows, "n": one.n, **figures,
                "wrong_on": one.wrong_on, "wrong_off": one.wrong_off}  # fmt: skip

    return json.dumps({"metrics": [told(one) for one in lines]}, indent=2)
