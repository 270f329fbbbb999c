"""`handrail sync`: knowledge bases kept in step with the sources that the settings declare."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from handrail.cli import KB, Json, notes, settings_for
from handrail.cli.ingest import learned, run
from handrail.cli.stopping import Stop, Stopped, stoppable
from handrail.errors import HandrailError, IndexBusy, IndexIncomplete, KnowledgeError, SettingsError
from handrail.knowledge import Loader
from handrail.knowledge.origins import PAGES
from handrail.knowledge.sync import LAST, Declared, Diff, Owners, collect, difference, refuse_removal, sizes_of
from handrail.settings import Settings, environment
from handrail.stores.store import Stamp

if TYPE_CHECKING:
    from handrail.assembly.sourcing import Known

NAMED = 20
"""Articles or pages that are named of each kind; `--json` names all."""


def sync(
    kb: KB = None,
    source: Annotated[
        str | None, typer.Option("--source", metavar="ID", help="Only this source, even if it is paused at the desk.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would change, and change nothing.")] = False,
    allow_removal: Annotated[
        bool, typer.Option("--allow-removal", help="Also remove more than half of a knowledge base.")
    ] = False,
    every: Annotated[
        float | None, typer.Option(min=1, max=100_000, metavar="MINUTES", help="Go on, and sync again so often.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Fetch what has changed in the sources of config.toml and the desk, and bring their knowledge bases up to date.

    Only articles that a source brought are removed when it has them no more. Articles approved at the desk are always
    included. An interrupted run resumes where it stopped; SIGTERM ends it between two batches. Examples:

    handrail sync --dry-run

    handrail sync --kb acme --every 60
    """
    while True:
        with stoppable() as stop:
            failed = _all(kb, source, Wanted(dry_run, allow_removal), stop, as_json)
        if every is None:
            raise typer.Exit(1 if failed else 0)
        notes.print(f"Next sync in {every:g} minutes. Ctrl-C stops it.")
        time.sleep(60 * every)


@dataclass(frozen=True, slots=True)
class Wanted:
    dry_run: bool
    allow_removal: bool


def _all(kb: str | None, source: str | None, wanted: Wanted, stop: Stop, as_json: bool) -> bool:
    """Whether anything could not be read or written. One knowledge base that fails leaves the others alone."""
    from handrail.assembly.sourcing import known_sources

    settings = settings_for(kb)
    own = settings.knowledge.kb
    names = [own] if kb or source else sorted({own, *(one.kb or own for one in settings.sources)})
    found = [(each, known) for each in map(settings_for, names) if (known := known_sources(each))]
    if source:
        found = [(each, [one]) for each, known in found for one in known if one.id == source]
    if not found:
        which = f" with the id {source!r}" if source else ""
        where = f" for the knowledge base {own!r}" if kb or source else ""
        raise SettingsError(
            f"no sources are declared{which}{where}. Add [[sources]] to config.toml (docs/sources.md), or a source at "
            "the desk"
        )
    failed = False
    for each, known in found:
        name = each.knowledge.kb
        try:
            diff = _one(each, known, wanted, stop, alone=source is not None)
        except HandrailError as error:
            failed, busy = True, isinstance(error, IndexBusy)
            said: dict[str, Any] = {"kb": name, "stopped" if isinstance(error, Stopped) else "error": str(error)}
            notes.print(f"[bold red]error:[/] {name}: {escape(str(error))}")
        else:
            failed, busy = failed or bool(diff.unread), False
            said = {"kb": name, "dry_run": wanted.dry_run, **asdict(diff)}
            _show(name, diff, wanted.dry_run)
        said = {"at": datetime.now(UTC).isoformat(timespec="seconds"), **said}
        if not wanted.dry_run and not busy:  # whoever is at it tells of it
            _keep(each, said)
        if as_json:
            print(json.dumps(said, ensure_ascii=False), flush=True)  # noqa: T201
    return failed


def _one(settings: Settings, known: Sequence[Known], wanted: Wanted, stop: Stop, *, alone: bool) -> Diff:
    """`alone`: the sources are some of those that the knowledge base has."""
    from handrail.answer.planted import planted
    from handrail.assembly import kb_folder
    from handrail.assembly.sourcing import known_sources, origins_of
    from handrail.knowledge.origins import AT_DESK, BY_HAND, SOURCES
    from handrail.knowledge.sources.kept import Kept
    from handrail.stores.lock import IndexLock

    folder = kb_folder(settings, settings.knowledge.kb) / SOURCES
    with IndexLock(folder, write=True), Kept(folder / PAGES) as kept:
        environ = environment()
        reading = [
            Declared(one.source.where, partial(one.open, settings, kept, folder, environ), one.source.trusted, one.id)
            for one in known
            if one.active or alone
        ]
        declared = {one.id for one in known_sources(settings)}
        if alone:
            declared.add(AT_DESK)
        elif (own := learned(settings)) is not None:
            declared.add(AT_DESK)
            reading.append(Declared("articles approved at the desk", partial(_made, own), trusted=True, id=AT_DESK))
        if not reading:
            raise KnowledgeError("all sources are paused at the desk")
        owners = Owners(origins_of(settings).all(), declared)
        with notes.status("reading sources…") as status:

            def advance(name: str, n: int) -> None:
                stop.check()
                status.update(f"reading {escape(name)}: {n} pages")

            found = collect(reading, planted, advance, owners)
        indexed = _indexed(settings)
        diff = difference(found, indexed, kept.sizes(), owners)
        if not wanted.allow_removal:
            refuse_removal(diff, indexed)
        if not wanted.dry_run:
            if not found.items or len(found.failed) == len(reading):
                raise KnowledgeError("; ".join(f"{where}: {why}" for where, why in diff.unread.items()))
            gone = set(diff.removed)
            others = alone or BY_HAND in owners.of.values()
            run(settings, [found], exact=True, stays=lambda id_: id_ not in gone, needed=others, check=stop.check)
            whole = not found.failed and len(reading) >= len(declared)  # every page that is in use was asked for
            kept.keep_sizes({**({} if whole else kept.sizes()), **sizes_of(found)})
            if whole:
                kept.drop_unused()
    return diff


def _keep(settings: Settings, said: dict[str, Any]) -> None:
    """For the desk, which shows what the newest run told."""
    from handrail.assembly import kb_folder

    place = kb_folder(settings, settings.knowledge.kb) / LAST
    part = place.with_suffix(".part")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(json.dumps({**said, "finished": time.time()}, ensure_ascii=False), encoding="utf-8")
        part.replace(place)
    except OSError as error:
        notes.print(f"[yellow]the desk can't be told of this run:[/] {escape(str(error))}")


def _made(loader: Loader) -> Loader:
    return loader


def _indexed(settings: Settings) -> dict[str, Stamp]:
    """Articles of the index as it is; empty where there is none."""
    from handrail.assembly import current_index

    try:
        with current_index(settings) as store:
            return store.stamps()
    except (KnowledgeError, IndexIncomplete):  # the run that follows makes it whole
        return {}


def _show(kb: str, diff: Diff, dry_run: bool) -> None:
    counts = f"{len(diff.added)} added, {len(diff.changed)} changed, {len(diff.removed)} removed"
    state = "would be " if dry_run else ""
    notes.print(f"[green]{kb}[/]: {'nothing has changed' if diff.empty else f'{state}{counts}'}")
    for what in ("added", "changed", "removed"):
        _names(what, getattr(diff, what))
    for id_, why in diff.suspicious.items():
        notes.print(f"[yellow]suspicious[/] {escape(id_)}: {escape(why)}")
    _names("[red]quarantined[/], since they hold instructions to a language model:", diff.quarantined)
    for why, names in diff.skipped.items():
        _names(f"[yellow]skipped[/] {len(names)}, {escape(why)}:", names)
    for where, why in diff.unread.items():
        notes.print(f"[red]not read[/] {escape(where)}: {escape(why)}")
    if diff.unread:
        notes.print("Nothing is removed while something can't be read, except pages that are no longer public.")


def _names(what: str, names: Sequence[str]) -> None:
    if names:
        more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
        notes.print(f"{what} {escape(', '.join(names[:NAMED]))}{more}")
