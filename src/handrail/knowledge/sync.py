"""Keeping a knowledge base in step with its sources: what has changed, and what is held back before it is indexed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from handrail.errors import HandrailError, KnowledgeError, PermanentError
from handrail.knowledge import Article, Loader, Rejected, Skipped, Unpublished
from handrail.knowledge.files import printable
from handrail.knowledge.ingest import LONGEST_ID, OF, unusable
from handrail.knowledge.origins import BY_HAND, UNKNOWN
from handrail.stores.store import Stamp

Item = Article | Rejected | Unpublished
QUARANTINED, TWICE = "instructions to a language model", "another article has this id"
LAST = "sources/last.json"
"""In a knowledge base's own folder: what the newest run told."""
SHRUNK, WORTH_CHARS = 0.5, 400
"""An article of more than so many characters that loses more than this share is worth a look."""


class TooManyRemoved(PermanentError):
    """A run would remove more than half of a knowledge base."""


@dataclass(frozen=True, slots=True)
class Declared:
    """One source, and whether its pages may hold instructions to a language model."""

    name: str
    open: Callable[[], Loader]
    trusted: bool = False
    id: str = UNKNOWN
    """What its articles are noted to be from."""


@dataclass(frozen=True, slots=True)
class Owners:
    """Which source each article is from (`Origins.all`), and the sources that are declared, read now or not."""

    of: Mapping[str, str]
    declared: Collection[str]


@dataclass(slots=True)
class Collected:
    """What the sources hold now: a Loader, so that it is read once and then indexed."""

    items: list[Item] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    """Sources that could not be read as a whole."""
    claims: dict[str, str] = field(default_factory=dict)
    """Ids of the sources that the articles are from."""
    whole: set[str] = field(default_factory=set)
    """Ids of sources that were read to the end, with all of their pages."""

    def articles(self) -> Iterator[Item]:
        yield from self.items


@dataclass(slots=True)
class Diff:
    """Ids of articles, by what a run would do with them, and pages by why they are not indexed."""

    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    suspicious: dict[str, str] = field(default_factory=dict)
    """Articles that are indexed but worth a look, and why."""
    quarantined: list[str] = field(default_factory=list)
    skipped: dict[str, list[str]] = field(default_factory=dict)
    """Pages that are not indexed, by reason."""
    unread: dict[str, str] = field(default_factory=dict)
    """Sources and pages that could not be read, and why; nothing is removed while there are any."""

    @property
    def empty(self) -> bool:
        return not (self.added or self.changed or self.removed)


def collect(
    sources: Iterable[Declared],
    planted: Callable[[str], bool],
    progress: Callable[[str, int], None],
    owners: Owners | None = None,
) -> Collected:
    """Reads every source. One that can't be read is named, and the others go on.

    `planted` tells text that gives a language model orders: such a page is held back. `progress` is called with the
    name of the source and the number of pages read. No source changes what belongs to one that was not read.
    """
    found = Collected()
    read: list[tuple[str, Item]] = []
    for source in sources:
        progress(source.name, 0)
        number, whole = 0, True
        try:
            for number, item in enumerate(source.open().articles(), 1):
                if isinstance(item, Article) and not source.trusted and planted(f"{item.title}\n\n{item.body}"):
                    item = Unpublished(item.id, item.url or item.id, QUARANTINED)
                whole = whole and not _missed(item)
                read.append((source.id, item))
                progress(source.name, number)
            if not number:
                raise KnowledgeError("lists no articles; check the address and the credentials")
        except (HandrailError, OSError) as error:
            read.append((source.id, Rejected(source.name, str(error))))
            found.failed.append(source.name)
            whole = False
        if whole:
            found.whole.add(source.id)
    for id_, item in read:
        found.items.append(_own(item, id_, found.whole, owners) if owners else item)
        if isinstance(found.items[-1], Article):
            found.claims.setdefault(found.items[-1].id, id_)
    return found


def _missed(item: Item) -> bool:
    """Whether something that may be in the index was not read."""
    if isinstance(item, Article):
        return bool(unusable(item))
    return isinstance(item, Rejected) and not isinstance(item, Skipped)


def _own(item: Item, source: str, whole: Collection[str], owners: Owners) -> Item:
    """What a source has to say of an article; nothing where that belongs to another that was not read."""
    if isinstance(item, Rejected):
        return item
    owner = owners.of.get(item.id, BY_HAND)
    if owner != source and owner in owners.declared and owner not in whole:
        return Skipped(item.id, TWICE)
    if isinstance(item, Unpublished) and owner == BY_HAND:
        return Skipped(item.where, f"{item.why}; an article with its id was added by hand and stays")
    return item


def difference(
    found: Collected, indexed: Mapping[str, Stamp], sizes: Mapping[str, int], owners: Owners | None = None
) -> Diff:
    """What indexing `found` would change. `sizes` are the characters of articles as they were last indexed.

    Without `owners`, every article came from the sources that were read.
    """
    diff = Diff()
    articles: dict[str, Article] = {}
    withdrawn: set[str] = set()
    for item in found.items:
        if isinstance(item, Skipped):
            diff.skipped.setdefault(item.why, []).append(item.where)
        elif isinstance(item, Rejected):
            diff.unread[item.where] = item.why
        elif isinstance(item, Unpublished):
            withdrawn.add(item.id)
            if item.why == QUARANTINED:
                diff.quarantined.append(item.where)
            else:
                diff.skipped.setdefault(item.why, []).append(item.where)
        elif why := unusable(item):
            diff.unread[printable(item.id[:LONGEST_ID])] = why
        elif item.id in articles:
            diff.skipped.setdefault(TWICE, []).append(item.url or item.id)
        else:
            articles[item.id] = item
    for id_, article in articles.items():
        stamp = indexed.get(id_)
        if stamp is None:
            diff.added.append(id_)
        elif any(digest.partition(OF)[0] != article.digest for digest in stamp.digests.values()):
            diff.changed.append(id_)
        if why := _suspicious(article, sizes.get(id_)):
            diff.suspicious[id_] = why
    gone = _Gone(owners, found.whole, complete=not diff.unread)
    diff.removed = [id_ for id_ in indexed if id_ not in articles and (id_ in withdrawn or gone.from_its_source(id_))]
    return diff


@dataclass(frozen=True, slots=True)
class _Gone:
    owners: Owners | None
    whole: Collection[str]
    complete: bool
    """Whether everything of the sources that were asked was read."""

    def from_its_source(self, id_: str) -> bool:
        """Whether an article that no source has must leave the index."""
        if self.owners is None:
            return self.complete
        owner = self.owners.of.get(id_, BY_HAND)
        if owner == BY_HAND:
            return False
        if owner == UNKNOWN:
            return self.complete and set(self.owners.declared) <= set(self.whole)
        return owner in self.whole or owner not in self.owners.declared


def refuse_removal(diff: Diff, indexed: Mapping[str, Stamp]) -> None:
    """Raises TooManyRemoved where more than half of what is indexed would go."""
    if len(diff.removed) * 2 > len(indexed):
        raise TooManyRemoved(
            f"{len(diff.removed)} of {len(indexed)} articles would be removed, more than half. Nothing was changed. "
            "Check the sources; if they are right, run the sync with --allow-removal"
        )


def sizes_of(found: Collected) -> dict[str, int]:
    return {item.id: len(item.body) for item in found.items if isinstance(item, Article)}


def _suspicious(article: Article, before: int | None) -> str:
    if not article.body.strip():
        return "has no text; a page that scripts write can't be read"
    if before is not None and before > WORTH_CHARS and len(article.body) < before * SHRUNK:
        return f"has {len(article.body)} characters, and had {before}"
    return ""
