"""Bring an index up to date with a set of articles: only what changed is embedded, and an interrupted run resumes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from handrail.errors import KnowledgeError, MissingExtra
from handrail.knowledge import Article, Loader, Rejected, Skipped, Unpublished
from handrail.knowledge.chunker import Chunker
from handrail.knowledge.files import printable
from handrail.stores.audience import Audience
from handrail.stores.page_images import PageImages
from handrail.stores.store import FRONT_MATTER, Stamp, Store
from handrail.types import Passage, Vectors

Progress = Callable[[int, int], None]
"""Called with passages embedded so far and in all."""

BATCH = 128
LONGEST_ID, LONGEST_URL, LONGEST_FACET = 500, 2000, 200
"""Characters of what each passage of an article repeats."""
TOLERANCE = 1e-3
"""By which the length of a vector may differ from 1; a killed run may have left one half written."""
OF = "."
"""Between the digest of an article and that of how it was cut."""


def corpus(stamps: Mapping[str, Stamp]) -> str:
    """sha256 over the articles that `stamps` are of, however they were cut and embedded."""
    held = sorted((id_, _articles(stamp)) for id_, stamp in stamps.items())
    return hashlib.sha256(repr(held).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Difference:
    """Ids of articles that one version has and another has not, or has otherwise."""

    added: list[str]
    changed: list[str]
    removed: list[str]


def difference(before: Mapping[str, Stamp], after: Mapping[str, Stamp]) -> Difference:
    """However the articles were cut and embedded."""
    both = before.keys() & after.keys()
    changed = (id_ for id_ in both if _articles(before[id_]) != _articles(after[id_]))
    return Difference(sorted(after.keys() - both), sorted(changed), sorted(before.keys() - both))


def _articles(stamp: Stamp) -> list[str]:
    """Digests of the article itself: one, unless a run was interrupted."""
    return sorted({digest.partition(OF)[0] for digest in stamp.digests.values()})


@dataclass(slots=True)
class Report:
    """What one run did."""

    articles: int = 0
    unchanged: int = 0
    added: int = 0
    changed: int = 0
    removed: int = 0
    embedded: int = 0
    passages: int = 0
    seconds: float = 0.0
    empty: list[str] = field(default_factory=list)
    duplicates: list[str] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    version: int = 0
    """The version of the knowledge base that is current afterwards."""
    for_agents: int = 0
    """Articles among them that only agents may read."""
    unpublished: dict[str, list[str]] = field(default_factory=dict)
    """Pages that say they are not public, by what they say, such as `draft: true`."""
    skipped: list[Skipped] = field(default_factory=list)
    generators: dict[str, int] = field(default_factory=dict)
    """Files by the generator of the site that they were written for; "" is none that is known."""
    off_site: list[str] = field(default_factory=list)
    """Articles that have no page on the site their links were checked against, and so no address."""

    @property
    def kept_because_rejected(self) -> bool:
        """Nothing is removed while some files could not be read: they may be the missing ones."""
        return bool(self.rejected)


@dataclass(frozen=True, slots=True)
class _Work:
    """Of one article: passages not in the index as they are now, how many it has in all, and ids it no longer has."""

    passages: Sequence[Passage]
    size: int
    digest: str
    stale: frozenset[str]


_Row = tuple[Passage, str, int]
"""A passage to write, the digest of its article, and how many passages that has."""


class Place(Protocol):
    """Where a run writes beside what is being read."""

    def begin(self) -> Store:
        """A copy of the store that was read."""
        ...

    def unfinished(self) -> Iterable[Store]:
        """What interrupted runs left behind; their vectors are used."""
        ...


class Ingest:
    def __init__(
        self,
        store: Store,
        chunker: Chunker,
        embed: Callable[[Sequence[str]], Vectors],
        clock: Callable[[], float],
        *,
        keep_others: bool = False,
        exact: bool = False,
        stays: Callable[[str], bool] = lambda id_: False,
        place: Place | None = None,
        images: PageImages | None = None,
        batch: int = BATCH,
    ) -> None:
        """`exact` removes vanished articles even where a file could not be read, but for those of which `stays` is
        true. Without a `place`, `store` itself is written. `images` keeps pictures of pages; without it there are none.
        `batch` texts are embedded at a time.
        """
        self._store = store
        self._place = place
        self._chunker = chunker
        self._embed = embed
        self._clock = clock
        self._keep_others = keep_others
        self._exact = exact
        self._stays = stays
        self._images = images
        self._batch = batch

    def run(self, loaders: Iterable[Loader], progress: Progress) -> Report:
        """Raises KnowledgeError when no loader gives a single article or a page that is held back."""
        start = self._clock()
        report = Report()
        articles, withdrawn = gather(loaders, report)
        stamps = self._store.stamps()
        work = self._plan(articles, stamps, report)
        vanished = self._vanished(stamps, articles, withdrawn, report)
        unread = stamps.keys() - articles.keys() - set(vanished)
        read = self._store.front_matter if unread else FRONT_MATTER
        as_it_is = (self._generation(stamps), read) == (self._store.generation, self._store.front_matter)
        if work or vanished or not as_it_is or self._store.incomplete:
            if self._place is not None:
                self._store = self._place.begin()
            self._store.begin()
            self._write(work, report, progress)
            self._remove(vanished, stamps, report)
            held = self._store.stamps()
            if self._images is not None:
                self._images.prune({one for stamp in held.values() for one in _articles(stamp)})
            self._store.finish(self._generation(held), read)
        report.passages = self._store.count()
        report.seconds = self._clock() - start
        return report

    def _plan(self, articles: dict[str, Article], stamps: dict[str, Stamp], report: Report) -> list[_Work]:
        work = []
        for article in articles.values():
            if self._images is None:
                article = replace(article, pages=None)
            digest = f"{article.digest}{OF}{hashlib.sha256(self._chunker.fingerprint.encode()).hexdigest()[:8]}"
            stamp = stamps.get(article.id)
            if stamp is not None and stamp.current(digest):
                report.unchanged += 1
                continue
            passages = self._pictured(article, self._chunker.passages(article), report)
            if not passages:
                report.empty.append(article.id)
            held = stamp.digests if stamp else {}
            missing = [passage for passage in passages if held.get(passage.id) != digest]
            work.append(_Work(missing, len(passages), digest, frozenset(held) - {passage.id for passage in passages}))
            report.added += stamp is None and bool(passages)
            report.changed += stamp is not None
        return [item for item in work if item.passages or item.stale]

    def _pictured(self, article: Article, passages: list[Passage], report: Report) -> list[Passage]:
        """With pictures of the pages that they stand on, as far as there are any."""
        wanted = {place.page for passage in passages for place in passage.places}
        if self._images is None or article.pages is None or not wanted:
            return passages
        try:
            images = self._images.of(article.digest, wanted, article.pages.draw)
        except (KnowledgeError, MissingExtra, OSError) as error:
            report.skipped.append(Skipped(article.id, f"no pictures of its pages: {error}"))
            return passages
        if missing := sorted(wanted - images.keys()):
            report.skipped.append(Skipped(article.id, f"no picture of page {', '.join(map(str, missing))}"))
        return [
            replace(one, places=tuple(replace(place, image=images.get(place.page)) for place in one.places))
            for one in passages
        ]

    def _write(self, work: Sequence[_Work], report: Report, progress: Progress) -> None:
        """Batches run across articles; what interrupted runs have embedded is not embedded again."""
        rows = [(passage, item.digest, item.size) for item in work for passage in item.passages]
        # One article more leaves a run over all of them to use what it had done before it was interrupted.
        whole = self._place if not self._keep_others else None
        for unfinished in whole.unfinished() if whole is not None else ():
            rows = self._taken(rows, unfinished)
        progress(0, len(rows))
        for start in range(0, len(rows), self._batch):
            batch = rows[start : start + self._batch]
            self._put(batch, self._embed([self._chunker.encoder_text(passage) for passage, _, _ in batch]))
            report.embedded += len(batch)
            progress(report.embedded, len(rows))
        self._store.delete(sorted(id_ for item in work for id_ in item.stale))

    def _taken(self, rows: Sequence[_Row], unfinished: Store) -> list[_Row]:
        """Write the vectors that are there already; the rows that are left."""
        left: list[_Row] = []
        for start in range(0, len(rows), BATCH):
            batch = rows[start : start + BATCH]
            try:
                known = unfinished.vectors({passage.id: digest for passage, digest, _ in batch})
            except Exception:  # half written as it is, it may be anything
                return [*left, *rows[start:]]
            held = [
                row for row in batch if row[0].id in known and abs(np.linalg.norm(known[row[0].id]) - 1) < TOLERANCE
            ]
            if held:
                self._put(held, np.stack([known[passage.id] for passage, _, _ in held]))
            left += [row for row in batch if row not in held]
        return left

    def _put(self, rows: Sequence[_Row], vectors: Vectors) -> None:
        passages, digests, sizes = zip(*rows, strict=True)
        self._store.write(passages, vectors, digests, sizes)

    def _remove(self, vanished: Sequence[str], stamps: dict[str, Stamp], report: Report) -> None:
        self._store.delete(sorted(id_ for key in vanished for id_ in stamps[key].digests))
        report.removed = len(vanished)

    def _vanished(
        self, stamps: dict[str, Stamp], articles: dict[str, Article], withdrawn: set[str], report: Report
    ) -> list[str]:
        """Articles of the index that are gone; pages that are held back go whatever is kept."""
        kept = self._keep_others or (report.kept_because_rejected and not self._exact)
        return [key for key in stamps if key in withdrawn or not (key in articles or kept or self._stays(key))]

    def _generation(self, stamps: dict[str, Stamp]) -> str:
        """A hash of what the index holds, so that a run that only had to finish another one is noticed too."""
        held = sorted((id_, digest) for stamp in stamps.values() for id_, digest in stamp.digests.items())
        return hashlib.sha256(f"{self._store.name}:{held}".encode()).hexdigest()[:16]


def gather(loaders: Iterable[Loader], report: Report) -> tuple[dict[str, Article], set[str]]:
    """The articles by id, and the ids of pages that must not be in an index; `report` gets what is left out.

    Raises KnowledgeError when no loader gives a single article or a page that is held back.
    """
    articles: dict[str, Article] = {}
    withdrawn: set[str] = set()
    for loader in loaders:
        for item in loader.articles():
            if isinstance(item, Skipped):
                report.skipped.append(item)
            elif isinstance(item, Rejected):
                report.rejected.append(item)
            elif isinstance(item, Unpublished):
                report.unpublished.setdefault(item.why, []).append(item.where)
                withdrawn.add(item.id)
            elif why := unusable(item):
                report.rejected.append(Rejected(printable(item.id[:LONGEST_ID]), why))
            elif item.id in articles:
                report.duplicates.append(item.id)
            else:
                articles[item.id] = item
    if not articles and not withdrawn:
        why = "; ".join(f"{item.where}: {item.why}" for item in [*report.rejected, *report.skipped][:3])
        raise KnowledgeError(f"no usable articles{': ' + why if why else ''}")
    report.articles = len(articles)
    report.for_agents = sum(not Audience.PUBLIC.may_read(article.facets) for article in articles.values())
    return articles, withdrawn - articles.keys()


def unusable(article: Article) -> str:
    """Why an article cannot be indexed; empty where it can.

    Escapes in JSON and YAML can spell characters that no UTF-8 text can hold. What each passage repeats must be short,
    or the index would grow with the square of it.
    """
    try:
        hashed = bool(article.digest)
    except UnicodeEncodeError:
        hashed = False
    if not hashed:
        return "holds half a surrogate pair; save it as valid UTF-8"
    repeated = {"its id": (article.id, LONGEST_ID), "its url": (article.url, LONGEST_URL)}
    longest = {key: max(value.split("\n"), key=len) for key, value in article.facets.items()}
    repeated |= {key: (value, LONGEST_FACET) for key, value in longest.items()}
    long = [f"{name} has {len(value)} of {most}" for name, (value, most) in repeated.items() if len(value) > most]
    return f"too many characters: {', '.join(long)}" if long else ""
