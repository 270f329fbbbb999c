"""`handrail sync`: knowledge bases kept in step with the sources that the settings declare."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from itertools import groupby
from typing import Annotated, Any

import typer
from rich.markup import escape

from handrail.cli import KB, Json, notes, settings_for
from handrail.cli.ingest import learned, run
from handrail.errors import HandrailError, IndexBusy, IndexIncomplete, KnowledgeError, SettingsError
from handrail.knowledge import Loader
from handrail.knowledge.sync import LAST, Declared, Diff, collect, difference, refuse_removal, sizes_of
from handrail.settings import Settings, environment
from handrail.settings.sources import Source
from handrail.stores.store import Stamp

NAMED = 20
"""Articles or pages that are named of each kind; `--json` names all."""


def sync(
    kb: KB = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would change, and change nothing.")] = False,
    allow_removal: Annotated[
        bool, typer.Option("--allow-removal", help="Also remove more than half of a knowledge base.")
    ] = False,
    every: Annotated[
        float | None, typer.Option(min=1, max=100_000, metavar="MINUTES", help="Go on, and sync again so often.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Fetch what has changed in the sources of config.toml, and bring their knowledge bases up to date.

    Articles approved at the desk are always included. An interrupted run resumes where it stopped. Examples:

    handrail sync --dry-run

    handrail sync --kb acme --every 60
    """
    while True:
        failed = _all(kb, dry_run, allow_removal, as_json)
        if every is None:
            raise typer.Exit(1 if failed else 0)
        notes.print(f"Next sync in {every:g} minutes. Ctrl-C stops it.")
        time.sleep(60 * every)


def _all(kb: str | None, dry_run: bool, allow_removal: bool, as_json: bool) -> bool:
    """Whether anything could not be read or written. One knowledge base that fails leaves the others alone."""
    settings = settings_for()
    declared = [(source.kb or settings.knowledge.kb, source) for source in settings.sources]
    named = sorted((pair for pair in declared if kb is None or pair[0] == kb), key=lambda pair: pair[0])
    if not named:
        wanted = f" for the knowledge base {kb!r}" if kb else ""
        raise SettingsError(f"no sources are declared{wanted}. Add [[sources]] to config.toml (docs/sources.md)")
    failed = False
    for name, pairs in groupby(named, key=lambda pair: pair[0]):
        try:
            diff = _one(settings_for(name), [source for _, source in pairs], dry_run, allow_removal)
        except HandrailError as error:
            failed, busy = True, isinstance(error, IndexBusy)
            said: dict[str, Any] = {"kb": name, "error": str(error)}
            notes.print(f"[bold red]error:[/] {name}: {escape(str(error))}")
        else:
            failed, busy = failed or bool(diff.unread), False
            said = {"kb": name, "dry_run": dry_run, **asdict(diff)}
            _show(name, diff, dry_run)
        said = {"at": datetime.now(UTC).isoformat(timespec="seconds"), **said}
        if not dry_run and not busy:  # whoever is at it tells of it
            _keep(settings_for(name), said)
        if as_json:
            print(json.dumps(said, ensure_ascii=False), flush=True)  # noqa: T201
    return failed


def _one(settings: Settings, sources: Sequence[Source], dry_run: bool, allow_removal: bool) -> Diff:
    from handrail.answer.planted import planted
    from handrail.assembly import kb_folder
    from handrail.knowledge.sources import Surroundings, loader_of
    from handrail.knowledge.sources.kept import Kept
    from handrail.stores.lock import IndexLock

    folder = kb_folder(settings, settings.knowledge.kb) / "sources"
    with IndexLock(folder, write=True), Kept(folder / "pages.sqlite") as kept:
        knowledge = settings.knowledge
        around = Surroundings(kept, folder, environment(), knowledge.url_base, knowledge.max_article_bytes, time.sleep)
        wanted = [Declared(source.where, partial(loader_of, source, around), source.trusted) for source in sources]
        if (own := learned(settings)) is not None:
            wanted.append(Declared("articles approved at the desk", partial(_made, own), trusted=True))
        with notes.status("reading sources…") as status:
            found = collect(wanted, planted, lambda name, n: status.update(f"reading {escape(name)}: {n} pages"))
        indexed = _indexed(settings)
        diff = difference(found, indexed, kept.sizes())
        if not allow_removal:
            refuse_removal(diff, indexed)
        if not dry_run:
            if not found.items or len(found.failed) == len(wanted):
                raise KnowledgeError("; ".join(f"{where}: {why}" for where, why in diff.unread.items()))
            run(settings, [found])
            kept.keep_sizes(sizes_of(found))
            if not found.failed:
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
