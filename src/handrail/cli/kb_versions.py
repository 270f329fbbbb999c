"""`handrail kb versions`, `rollback` and `diff`: earlier versions of a knowledge base."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from handrail.cli import KB, Json, notes, results, settings_for
from handrail.errors import HandrailError
from handrail.stores.versions import OLD, Versions

if TYPE_CHECKING:
    from handrail.knowledge.ingest import Difference

Number = Annotated[int, typer.Argument(min=0, help="Number of a version: `handrail kb versions` lists them.")]


def versions(kb: KB = None, as_json: Json = False) -> None:
    """List the versions of a knowledge base that are kept, the newest first."""
    from handrail.assembly.index import versions_of

    held = versions_of(settings_for(kb))
    try:
        current = held.current()
        rows = [{**asdict(version), "current": version.number == current} for version in held.found()]
    finally:
        held.close()
    if as_json:
        print(json.dumps(rows, indent=2))  # noqa: T201
        return
    for row in rows:
        state = "current" if row["current"] else "" if row["generation"] else "unfinished"
        what = f"{row['articles']:>6} articles {row['passages']:>8} passages" if row["generation"] else ""
        results.print(f"{row['number']:>4}  {row['made'] or 'of an earlier Handrail':23} {what:33} {state}".rstrip())
    if not rows:
        notes.print(f"{held.kb} has no versions yet: run `handrail ingest PATH --kb {held.kb}`.")


def rollback(
    number: Annotated[
        int | None, typer.Argument(metavar="VERSION", min=0, help="Default: the newest before the current one.")
    ] = None,
    kb: KB = None,
) -> None:
    """Answer from an earlier version again, in running servers as well. The next ingest builds on it."""
    from handrail.assembly.index import changing

    with changing(settings_for(kb)) as held:
        before = held.current()
        chosen = held.choose(number)
        back = _between(held, before, chosen.number)
    notes.print(f"[green]{held.kb}[/]: version {chosen.number} is current, in place of version {before}")
    if back is not None:
        _show(back)


def diff(before: Number, after: Number, kb: KB = None, as_json: Json = False) -> None:
    """List the articles that were added, changed and removed between two versions."""
    from handrail.assembly.index import versions_of
    from handrail.knowledge.ingest import difference

    held = versions_of(settings_for(kb))
    try:
        with held.open(held.kept(before).number) as first, held.open(held.kept(after).number) as second:
            found = difference(first.stamps(), second.stamps())
    finally:
        held.close()
    if as_json:
        print(json.dumps(asdict(found), indent=2, ensure_ascii=False))  # noqa: T201
        return
    _show(found)


def _between(held: Versions, before: int | None, after: int) -> Difference | None:
    """None where the version before can't be read: that may be why one goes back."""
    from handrail.knowledge.ingest import difference

    try:
        with held.open(before or OLD) as first, held.open(after) as second:
            return difference(first.stamps(), second.stamps())
    except HandrailError:
        return None


def _show(found: Difference) -> None:
    for mark, articles in (("+", found.added), ("~", found.changed), ("-", found.removed)):
        for article in articles:
            results.print(f"{mark} {article}")
    notes.print(f"{len(found.added)} added, {len(found.changed)} changed, {len(found.removed)} removed")


def add_to(app: typer.Typer) -> None:
    app.command()(versions)
    app.command()(rollback)
    app.command()(diff)
