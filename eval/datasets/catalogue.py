"""The datasets there are: every module of `eval.datasets.specs` that has `SPECS`."""

from __future__ import annotations

import importlib
import json
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from eval.datasets import Dataset, Loaded, specs, usable
from eval.datasets.lines import BadRow, DatasetError, Line
from eval.datasets.spec import Source, Spec, rows_sha256
from handrail.settings import Settings


@dataclass(frozen=True, slots=True)
class Verified:
    """What a corpus turned out to be."""

    n: int
    sha256: str
    pinned: str
    """`spec` where the spec says what it must be, `first use` where an earlier use on this machine did, else `new`."""


@lru_cache(maxsize=1)
def catalogue() -> dict[str, Spec]:
    """By name, in the order of the modules."""
    found: dict[str, Spec] = {}
    for module in sorted(item.name for item in pkgutil.iter_modules(specs.__path__)):
        for spec in importlib.import_module(f"{specs.__name__}.{module}").SPECS:
            found[spec.name] = spec
    return found


def named(name: str) -> Spec:
    known = catalogue()
    if name not in known:
        raise DatasetError(f"there is no dataset {name!r}; there are: {', '.join(known)}")
    return known[name]


def load_rows(spec: Spec, command: str, dataset: Dataset[Any], source: Source, limit: int | None) -> Loaded[Any]:
    """Raises DatasetError when the dataset has no such rows, or they are not those it was frozen with."""
    if command not in spec.rows:
        has = ", ".join(spec.rows) or "none of its own: name a file with --file"
        raise DatasetError(f"dataset {spec.name} has no rows for {command}; it has {has}")
    rows = spec.rows[command]
    lines = rows.load(source)
    digest = rows_sha256(lines)
    if rows.n is not None and len(lines) != rows.n:
        raise DatasetError(f"dataset {spec.name}: {len(lines)} rows instead of {rows.n}{_elsewhere(spec)}")
    if rows.sha256 is not None and digest != rows.sha256:
        raise DatasetError(
            f"dataset {spec.name}: its rows have changed since it was frozen (sha256 {digest[:12]}… instead of "
            f"{rows.sha256[:12]}…): get the version named in eval/datasets/specs, or run the file by itself with --file"
        )
    mapped = [item if isinstance(item, BadRow) else Line(item.number, rows.map(item.value)) for item in lines]
    return usable(dataset, Path(f"{spec.name}.{command}.jsonl"), digest, mapped, limit)


def verify(spec: Spec, settings: Settings, source: Source) -> Verified | None:
    """What the corpus is, checked; None for a dataset without one.

    A corpus nobody could pin in the spec is remembered at its first use, in the data folder. Raises DatasetError when
    it is not what it must be.
    """
    corpus = spec.corpus
    if corpus is None:
        return None
    n, digest = corpus.digest(source, settings)
    if corpus.n is not None and n != corpus.n:
        raise DatasetError(f"dataset {spec.name}: {n} articles instead of {corpus.n}{_elsewhere(spec)}")
    wanted, pinned = (corpus.sha256, "spec") if corpus.sha256 else (_pins(settings).get(spec.name), "first use")
    if wanted is None:
        if corpus.own:
            _pin(settings, spec.name, digest)
        return Verified(n, digest, "new")
    if digest != wanted:
        where = f"; forget it in {_pin_file(settings)}" if pinned == "first use" else ""
        raise DatasetError(
            f"dataset {spec.name}: its corpus has changed (sha256 {digest[:12]}… instead of {wanted[:12]}…), so its "
            f"figures would not be comparable{where}, or index it by itself: --corpus PATH --file ROWS"
        )
    return Verified(n, digest, pinned)


def listing(settings: Settings, source: Source) -> Iterator[dict[str, Any]]:
    """One row per dataset and command, for people and programs."""
    for spec in catalogue().values():
        for command, rows in spec.rows.items() or {"": None}.items():
            yield {
                "name": spec.name,
                "command": command or None,
                "n": _count(rows, source) if rows else None,
                "rows_sha256": rows.sha256 if rows else None,
                "corpus_n": spec.corpus.n if spec.corpus else None,
                "corpus_sha256": (spec.corpus.sha256 or _pins(settings).get(spec.name)) if spec.corpus else None,
                "kb": spec.kb,
                "licence": spec.licence,
                "source": spec.source,
                "title": spec.title,
            }


def _count(rows: Any, source: Source) -> int | None:
    if rows.n is not None:
        return int(rows.n)
    try:
        return len(rows.load(source))
    except DatasetError:
        return None


def _elsewhere(spec: Spec) -> str:
    family, _, kind = spec.name.partition("-")
    kin = [name for name in catalogue() if name.startswith(family) and kind in name and name != spec.name]
    others = f"--dataset {' or '.join(kin)}" if kin else "`handrail eval datasets`"
    return f"; it is {spec.title}, and a part or another version has a name of its own: {others}"


def _pin_file(settings: Settings) -> Path:
    return settings.storage.data_dir / "eval" / "pins.json"


def _pins(settings: Settings) -> dict[str, str]:
    try:
        held = json.loads(_pin_file(settings).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return held if isinstance(held, dict) else {}


def _pin(settings: Settings, name: str, digest: str) -> None:
    path = _pin_file(settings)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text(json.dumps({**_pins(settings), name: digest}, indent=1) + "\n", encoding="utf-8")
    part.replace(path)
