"""`handrail ingest`: build or update a knowledge base."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from handrail.assembly.encoding import Workers, encoding
from handrail.cli import KB, Json, notes, settings_for
from handrail.errors import KnowledgeError
from handrail.knowledge import Loader
from handrail.knowledge.folder import Folder
from handrail.knowledge.ingest import Progress as Advance
from handrail.knowledge.ingest import Report
from handrail.settings import Settings

if TYPE_CHECKING:
    from handrail.assembly.index import Writing
    from handrail.knowledge.link_check import Checked

MOST_WORKERS = 64


def ingest(
    paths: Annotated[
        list[Path] | None, typer.Argument(help="Folders or files of articles, such as Markdown, HTML, PDF or CSV.")
    ] = None,
    kb: KB = None,
    wixqa: Annotated[
        bool, typer.Option("--wixqa", help="Load WixQA from PATHS (JSON lines), or from the Hub if there are none.")
    ] = False,
    sample: Annotated[
        bool, typer.Option("--sample", help="Load the sample help centre that ships with Handrail.")
    ] = False,
    keep: Annotated[bool, typer.Option("--keep", help="Keep articles that aren't in these sources.")] = False,
    check_links: Annotated[
        str | None,
        typer.Option(
            "--check-links",
            metavar="SITE",
            help="Hold addresses to the pages of SITE: a sitemap, a folder of built pages, or the site's address.",
        ),
    ] = None,
    workers: Annotated[
        str,
        typer.Option(
            "--workers",
            metavar="N|ray",
            help="Encode with N processes of one thread each, or on a Ray cluster (RAY_ADDRESS), not in this process.",
        ),
    ] = "own",
    as_json: Json = False,
) -> None:
    """Build or update a knowledge base. Unchanged articles are skipped, missing ones removed.

    Articles approved at the desk are always included, and those that a declared source brought stay.

    The new version takes the place of the old one when it is complete, in running servers as well. An interrupted run
    changes nothing, and the next one embeds only what it had not. Examples:

    handrail ingest docs/help --kb acme

    handrail ingest --wixqa --kb wix
    """
    settings = settings_for(kb or ("wixqa" if wixqa else None))
    loaders = _loaders(settings, paths or [], wixqa, sample)
    checked = _checked(settings, loaders, check_links) if check_links else []
    brought = _of_sources(settings)
    report = run(
        settings,
        checked or loaders,
        keep_others=keep,
        stays=brought.__contains__,
        needed=bool(brought),
        workers=_workers(workers),
    )
    report.generators = dict(sum((one.generators for one in loaders if isinstance(one, Folder)), Counter()))
    report.off_site = [article for one in checked for article in one.missing]
    if as_json:
        print(json.dumps({"kb": settings.knowledge.kb, **asdict(report)}, ensure_ascii=False))  # noqa: T201
    else:
        _show(settings.knowledge.kb, report)
    if report.rejected:
        raise typer.Exit(1)


def run(
    settings: Settings,
    loaders: Sequence[Loader],
    *,
    keep_others: bool = False,
    exact: bool = False,
    stays: Callable[[str], bool] = lambda id_: False,
    needed: bool = False,
    workers: Workers = "own",
    console: Console = notes,
    check: Callable[[], None] = lambda: None,
) -> Report:
    """One writing run, with a progress bar on `console`; `keep_others`, `exact` and `stays` as for Ingest.

    What `loaders` don't claim for a source was added by hand. `needed`: articles of the current version stay. `check`
    is called between batches, and ends the run by raising.
    """
    from handrail.assembly import build_late, build_multilingual, read_multilingual, read_snapshot, read_states
    from handrail.assembly.index import writing
    from handrail.assembly.sourcing import origins_of
    from handrail.knowledge.origins import BY_HAND, Claiming, From

    read = [one if isinstance(one, Claiming) else From(one, BY_HAND) for one in loaders]
    with writing(settings, needed=keep_others or needed) as made:
        rate = TextColumn("{task.fields[rate]}")
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), rate, TimeRemainingColumn())
        with Progress(*columns, console=console) as progress:

            def shown(what: str) -> Advance:
                return _shown(progress, what, check)

            advance = shown("embedding passages")
            report = _written(
                settings, made, read, advance, keep_others=keep_others, exact=exact, stays=stays, workers=workers
            )
            origins_of(settings).claim(read)
            store = made.store or made.begin()
            snapshot = read_snapshot(settings, store)
            late = build_late(settings, snapshot.lang) if settings.retrieval.late_weight else None
            read_states(settings, store.kb, snapshot, late, shown("reading their words"))
            encoder = build_multilingual(settings)
            read_multilingual(settings, store.kb, snapshot, encoder, shown("for other languages"))
        check()
        report.version = made.publish()
    return report


def _written(
    settings: Settings,
    made: Writing,
    loaders: Sequence[Loader],
    advance: Advance,
    *,
    keep_others: bool,
    exact: bool,
    stays: Callable[[str], bool],
    workers: Workers,
) -> Report:
    """What the articles and their encoder take in memory is free again afterwards."""
    from handrail.assembly import build_embedder
    from handrail.assembly.index import page_images
    from handrail.knowledge.chunker import Chunker
    from handrail.knowledge.ingest import Ingest

    embedder = build_embedder(settings)
    store = made.store or made.begin()
    with encoding(settings, embedder, workers) as encode:
        job = Ingest(
            store,
            Chunker(settings.knowledge, embedder.count),
            encode.embed,
            time.monotonic,
            keep_others=keep_others,
            exact=exact,
            stays=stays,
            place=made,
            images=page_images(settings),
            batch=encode.batch,
        )
        return job.run(loaders, advance)


def _shown(progress: Progress, what: str, check: Callable[[], None]) -> Advance:
    """A line of its own, from the first time there is something to do."""
    task: TaskID | None = None
    start = time.monotonic()

    def advance(done: int, total: int) -> None:
        nonlocal task, start
        check()
        if task is None:
            task, start = progress.add_task(what, total=total, rate=""), time.monotonic()
        rate = f"{done / max(time.monotonic() - start, 1e-6):.0f}/s" if done else ""
        progress.update(task, completed=done, total=total, rate=rate)

    return advance


def _workers(given: str) -> Workers:
    """Raises BadParameter."""
    if given in ("own", "ray"):
        return "ray" if given == "ray" else "own"
    if given.isascii() and given.isdigit() and 1 <= int(given) <= MOST_WORKERS:
        return int(given)
    raise typer.BadParameter(f"--workers {given!r}: give a number of processes up to {MOST_WORKERS}, or ray")


def sample_folder() -> Path:
    return Path(str(files("handrail") / "sample" / "help_centre"))


def _loaders(settings: Settings, paths: Sequence[Path], wixqa: bool, sample: bool) -> list[Loader]:
    from handrail.knowledge.folder import Folder
    from handrail.knowledge.wixqa import WixQA

    if wixqa:
        return [WixQA(path) for path in paths] if paths else [WixQA(None)]
    folders = [*paths, *([sample_folder()] if sample else [])]
    if not folders:
        raise KnowledgeError("nothing to ingest: name a folder or file, or use --sample or --wixqa")
    own = learned(settings)
    limit = settings.knowledge.max_article_bytes
    return [*(Folder(path, settings.knowledge.url_base, limit) for path in folders), *([own] if own else [])]


def learned(settings: Settings) -> Loader | None:
    """The articles that were approved at the desk, where there are any."""
    from handrail.assembly import kb_folder
    from handrail.assembly.learning import holds_articles
    from handrail.desk.learning.publish import FOLDER
    from handrail.knowledge.folder import Folder
    from handrail.knowledge.origins import AT_DESK, From

    folder = kb_folder(settings, settings.knowledge.kb) / FOLDER
    if not holds_articles(folder):
        return None
    return From(Folder(folder, settings.knowledge.url_base, settings.knowledge.max_article_bytes), AT_DESK)


def _of_sources(settings: Settings) -> set[str]:
    """Ids of the articles that declared sources have brought."""
    from handrail.assembly.sourcing import known_sources, origins_of

    declared = {one.id for one in known_sources(settings)}
    return {id_ for id_, origin in origins_of(settings).all().items() if origin in declared}


def _checked(settings: Settings, loaders: Sequence[Loader], place: str) -> list[Checked]:
    from handrail.knowledge.link_check import Checked, pages_of

    pages = pages_of(place, settings.knowledge.url_base)
    return [Checked(loader, pages) for loader in loaders]


def _show(kb: str, report: Report) -> None:
    rate = f", {report.embedded / max(report.seconds, 1e-6):.0f} passages/s" if report.embedded else ""
    notes.print(
        f"[green]{kb}[/]: {report.articles} articles, {report.passages} passages "
        f"({report.added} added, {report.changed} changed, {report.unchanged} unchanged, {report.removed} removed) "
        f"in {report.seconds:.1f} s{rate}. Version {report.version} is current"
    )
    if named := {name: n for name, n in report.generators.items() if name}:
        notes.print("written for " + ", ".join(f"{name} ({n} files)" for name, n in sorted(named.items())))
    if report.off_site:
        off_site = escape(", ".join(report.off_site))
        notes.print(f"[yellow]no page[/] {len(report.off_site)} articles get no link: {off_site}", soft_wrap=True)
    if report.for_agents:
        notes.print(f"{report.for_agents} articles are for agents only. Visitors never see them")
    show_left_out(report)
    if report.kept_because_rejected:
        what = "Nothing else" if report.removed else "Nothing"
        notes.print(f"{what} was removed, because the files above couldn't be read.")


def show_left_out(report: Report) -> None:
    """What of the sources is in no article, and why."""
    for item in report.rejected:
        notes.print(f"[red]not used[/] {escape(item.where)}: {escape(item.why)}", soft_wrap=True)
    for item in report.skipped:
        notes.print(f"[yellow]skipped[/] {escape(item.where)}: {escape(item.why)}", soft_wrap=True)
    for why, names in report.unpublished.items():
        notes.print(f"[yellow]not public[/] {len(names)} by {escape(why)}: {escape(', '.join(names))}", soft_wrap=True)
    for name in report.duplicates:
        notes.print(f"[yellow]duplicate[/] {escape(name)}: only the first is used")
    for name in report.empty:
        notes.print(f"[yellow]empty[/] {escape(name)}")
