"""What one command measures: which rows, on which knowledge base, and what is recorded about both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape

from eval.companies import Company, read_companies
from eval.datasets import Dataset, DatasetError, Loaded, load
from eval.datasets.catalogue import load_rows, named, verify
from eval.datasets.corpus import articles_digest, kb_name, loader_of, pages_digest
from eval.datasets.spec import Spec
from eval.waiting import hold_index, when_free
from handrail.assembly import current_index
from handrail.errors import IndexIncomplete, KnowledgeError
from handrail.knowledge import Loader
from handrail.knowledge.folder import Folder
from handrail.knowledge.ingest import Report
from handrail.knowledge.wixqa import WixQA
from handrail.settings import Settings
from handrail.settings.paths import SAMPLE_KB


@dataclass(frozen=True, slots=True)
class Source:
    """Where rows and articles come from, as the command line names it."""

    file: Path | None = None
    dataset: str | None = None
    data: Path | None = None
    """A local copy of the dataset."""
    corpus: Path | None = None
    """Articles to index for this measurement."""
    companies: Path | None = None
    """Companies whose assistants the rows ask, beside that of the knowledge base."""
    kb_given: bool = False
    """Whether `--kb` chose the knowledge base; it is then measured as it is and never written to."""


@dataclass(frozen=True, slots=True)
class Selected:
    settings: Settings
    loaded: Loaded[Any]
    provenance: dict[str, Any] = field(default_factory=dict)
    caveats: tuple[str, ...] = ()
    """What must be said with every figure of these rows."""
    companies: Mapping[str, Company] = field(default_factory=dict)
    bases: Mapping[str, Settings] = field(default_factory=dict)
    """Of rows that name their help centre: the settings that ask it, by that name."""
    url: str | None = None
    """A server that is asked instead of this process; nothing is known of its index."""
    alone: bool = False
    """Whether the turns of conversations are asked by themselves, too."""
    sealed: bool = False
    """Rows nobody may look at: only counts are kept of them."""


def select(
    command: str, dataset: Dataset[Any], settings: Settings, source: Source, limit: int | None, notes: Console
) -> Selected:
    """Rows read and checked, the corpus checked and indexed where there is one to index.

    Raises HandrailError saying what does not fit together, or what is not what it was.
    """
    if source.companies is not None:
        return _with_companies(command, dataset, settings, source, limit, notes)
    if source.corpus is not None:
        return _with_corpus(dataset, settings, source, limit, notes)
    if source.dataset is None:
        if source.data is not None:
            raise DatasetError("--data is the local copy of a dataset: name which with --dataset")
        loaded = load(dataset, source.file or dataset.default, limit)
        return Selected(settings, loaded, caveats=() if source.kb_given else sample_indexed(settings, notes))
    spec = named(source.dataset)
    loaded = _rows(spec, command, dataset, source, limit)
    caveats = [spec.caveat] if spec.caveat else []
    about: dict[str, Any] = {"name": spec.name, "licence": spec.licence, "rows_sha256": loaded.sha256}
    if source.kb_given:
        notes.print(f"measured on knowledge base {settings.knowledge.kb!r} as it is: its articles were not checked")
    elif spec.corpus is not None and spec.corpus.own:
        checked = verify(spec, settings, source.data)
        settings = on(settings, spec.kb)
        caveats += index(settings, spec.corpus.loader(source.data, settings), notes)
        if checked is not None:
            about["corpus"] = {"n": checked.n, "sha256": checked.sha256, "pinned": checked.pinned}
    else:
        settings = on(settings, spec.kb)
        caveats += sample_indexed(settings, notes)
    return Selected(settings, loaded, {"dataset": about}, tuple(caveats))


def _with_companies(
    command: str, dataset: Dataset[Any], settings: Settings, source: Source, limit: int | None, notes: Console
) -> Selected:
    if source.file is None or source.companies is None:
        raise DatasetError("--companies says who is asked in the rows of --file; it goes with that")
    found = read_companies(source.companies)
    others = select(command, dataset, settings, replace(source, companies=None), limit, notes)
    named = Counter(case.company for case in others.loaded.cases if case.company)
    unknown = {name: count for name, count in named.items() if name not in found.known}
    caveats = others.caveats
    if unknown:
        shown = ", ".join(f"{name} ({count} rows)" for name, count in sorted(unknown.items()))
        caveats += (f"not among the companies, so that {others.settings.knowledge.kb!r} was asked: {shown}",)
    used = {name: company for name, company in found.known.items() if name in named}
    provenance = {**others.provenance, "companies": {"n": len(used), "sha256": found.sha256}}
    return replace(others, provenance=provenance, caveats=caveats, companies=used)


def _rows(spec: Spec, command: str, dataset: Dataset[Any], source: Source, limit: int | None) -> Loaded[Any]:
    if source.file is not None:
        return load(dataset, source.file, limit)
    return load_rows(spec, command, dataset, source.data, limit)


def _with_corpus(
    dataset: Dataset[Any], settings: Settings, source: Source, limit: int | None, notes: Console
) -> Selected:
    if source.corpus is None or source.file is None or source.dataset is not None:
        raise DatasetError("--corpus indexes any folder or file of articles, for the rows of --file; it goes with both")
    if source.kb_given:
        raise DatasetError("--corpus gets a knowledge base of its own, and changes none of yours: leave out --kb")
    loaded = load(dataset, source.file, limit)
    loader = loader_of(source.corpus, settings)
    settings = on(settings, kb_name(source.corpus))
    caveats = index(settings, loader, notes)
    n, digest = _digest(source.corpus, loader, settings)
    return Selected(settings, loaded, {"dataset": {"name": None, "corpus": {"n": n, "sha256": digest}}}, caveats)


def _digest(path: Path, loader: Loader, settings: Settings) -> tuple[int, str]:
    if isinstance(loader, WixQA):
        return articles_digest(row for _, row in loader.rows())
    return pages_digest(path, settings)


def on(settings: Settings, kb: str) -> Settings:
    """The settings with another knowledge base."""
    return settings.model_copy(update={"knowledge": settings.knowledge.model_copy(update={"kb": kb})})


def index(settings: Settings, loader: Loader, notes: Console) -> tuple[str, ...]:
    """Bring the knowledge base of `settings` up to date; what did not change is not embedded again.

    Waits while another process uses the index. Returns what must be said with the figures: articles left out.
    """
    from handrail.cli.ingest import run

    report = when_free(lambda: run(settings, [loader], exact=True), notes)
    notes.print(
        f"knowledge base {settings.knowledge.kb!r}: {report.articles - len(report.empty)} articles, "
        f"{report.embedded} passages embedded",
        soft_wrap=True,
    )
    for item in report.rejected[:10]:
        notes.print(f"[red]not used[/] {escape(f'{item.where}: {item.why}')}", soft_wrap=True)
    return _left_out(report)


def _left_out(report: Report) -> tuple[str, ...]:
    """Of articles that are not indexed, how many and which come first."""
    kinds = {
        "not readable": [item.where for item in report.rejected],
        "without text": report.empty,
        "with the id of an earlier one": report.duplicates,
    }
    return tuple(
        f"not in the knowledge base: {len(names)} {why} ({', '.join(names[:5])}{', …' if len(names) > 5 else ''})"
        for why, names in kinds.items()
        if names
    )


def sample_indexed(settings: Settings, notes: Console) -> tuple[str, ...]:
    """The sample help centre, which ships, is indexed where it is measured and nobody has done so yet."""
    if settings.knowledge.kb != SAMPLE_KB or when_free(lambda: _indexed(settings), notes):
        return ()
    from handrail.cli.ingest import sample_folder

    notes.print("the sample help centre is not indexed yet: that is done once", soft_wrap=True)
    sample = Folder(sample_folder(), settings.knowledge.url_base, settings.knowledge.max_article_bytes)
    return index(settings, sample, notes)


def _indexed(settings: Settings) -> bool:
    try:
        with hold_index(settings), current_index(settings):
            return True
    except (KnowledgeError, IndexIncomplete):
        return False
