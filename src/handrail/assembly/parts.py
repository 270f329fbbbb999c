"""What retrieval and answering share in one process: models, index, lock."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from handrail.assembly.fitted import FITTED, UNREAD, calibration_for, kb_folder
from handrail.assembly.index import versions_of
from handrail.assembly.models import (
    Scoring,
    build_embedder,
    build_foreign_scorer,
    build_late,
    build_message_scorer,
    build_multilingual,
    build_scoring,
    entailing,
    installed,
    reads,
)
from handrail.assembly.searching import IndexHealth, searching
from handrail.models import Embedder
from handrail.models.batching import Batcher
from handrail.models.calibration import load_calibration
from handrail.retrieve.abroad import AbroadSearch, load_bias
from handrail.retrieve.hybrid import HybridRetriever
from handrail.retrieve.late import LateInteraction
from handrail.retrieve.section_reader import SectionReader
from handrail.retrieve.tuned import Tuned, load_tuned
from handrail.settings import Brand, Settings
from handrail.stores import snapshot_files
from handrail.stores import states as token_states
from handrail.stores.snapshot import Snapshot
from handrail.stores.states import Progress, States
from handrail.stores.store import FRONT_MATTER, Store
from handrail.stores.tokens import coverage
from handrail.stores.versions import Opened, Versions
from handrail.types import MessageScores, Vectors

if TYPE_CHECKING:
    from handrail.models.late import LateEncoder

logger = logging.getLogger(__name__)

R = TypeVar("R", bound=HybridRetriever)

LOGITS = 6.0
UNREAD_DEPTH = 6
"""Sections that are compared where no cross-encoder reads them."""
MULTILINGUAL = "multilingual.npz"
"""Vectors of a knowledge base's passages by the encoder that reads a hundred languages."""
BY_WORDS = Tuned({"dense_weight": 0.15, "article_weight": 0.0}, None)
"""For articles in a language that the embedder does not read: mostly keyword search (experiment 31)."""
WORDS_PER_TOKEN = 0.42
"""Words that are read of a passage, by the tokens a pair may have: few enough that a question, settings and code, which
take two tokens a word and more, leave no end unread (experiment 171)."""


def read_snapshot(settings: Settings, store: Store) -> Snapshot:
    """What everyone may read of the store's current generation; made from Chroma where it is not on this machine."""
    folder = kb_folder(settings, store.kb) / "snapshot"
    found, lang = snapshot_files.load(folder, store.generation), settings.knowledge.lang
    if found is not None and lang in (None, found.lang):
        return found
    if store.generation:
        return snapshot_files.save(store.pages(), folder, store.generation, lang)
    with TemporaryDirectory() as scratch:  # nothing to find it by again
        return snapshot_files.save(store.pages(), Path(scratch), "made", lang)


def read_states(
    settings: Settings, kb: str, snapshot: Snapshot, encoder: LateEncoder | None, progress: Progress | None = None
) -> States | None:
    """Of every passage; read by the encoder where they are not on disk yet. None without an encoder."""
    if encoder is None:
        return None
    texts = [passage.embedding_text for passage in snapshot.passages]
    folder = kb_folder(settings, kb) / "states"
    return token_states.read(folder, encoder.name, texts, encoder.passages, progress or (lambda done, total: None))


def read_multilingual(
    settings: Settings, kb: str, snapshot: Snapshot, encoder: Embedder | None, progress: Progress | None = None
) -> Vectors | None:
    """Of every passage, `(passages, d)` float16; read by the encoder where they are not on disk yet.

    None without an encoder. The index's own where the encoder is the index's.
    """
    if encoder is None:
        return None
    if encoder.name == settings.models.embedder:
        return snapshot.vectors

    def encode(texts: Sequence[str]) -> Sequence[NDArray[np.float16]]:
        return np.split(encoder.embed_passages(texts).astype(np.float16), len(texts))

    texts = [passage.embedding_text for passage in snapshot.passages]
    path = kb_folder(settings, kb) / MULTILINGUAL
    held = token_states.kept(path, encoder.name, texts, encode, progress or _logged)
    return np.concatenate(held) if held else np.zeros((0, encoder.dimensions), dtype=np.float16)


def _logged(done: int, total: int) -> None:
    """Says why this start takes longer."""
    if not done:
        logger.info(
            "encoding %d passages for messages in other languages; `handrail ingest` does this in advance", total
        )


@dataclass(frozen=True, slots=True)
class Late:
    """Late interaction with one knowledge base."""

    encoder: LateEncoder
    ask: Batcher[str, Vectors]
    states: States
    rows: Mapping[str, int]
    """Places in the index by passage id."""


@dataclass(frozen=True, slots=True)
class Multilingual:
    """The encoder that reads a hundred languages, and one knowledge base's passages by it."""

    encoder: Embedder
    ask: Batcher[str, Vectors]
    vectors: Vectors
    """`(passages, d)`, in the snapshot's order."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What retrieval and answering share in one process."""

    snapshot: Snapshot
    """What everyone may read. All that a visitor is told comes from it, or from the store by its audience."""
    index: Opened
    """The version of the knowledge base that it is of."""
    versions: Versions
    embed: Batcher[str, Vectors]
    read: Batcher[tuple[str, str], float]
    """Of question and passage, as Logits where a reader was taught whether the one answers the other."""
    entails: Batcher[tuple[str, str], float]
    """Of claim and passage."""
    message_scorer: Batcher[str, MessageScores] | None
    """Of messages; None where no encoder was taught their labels."""
    count: Callable[[str], int]
    """Tokens of a text, as the embedder's tokenizer counts them."""
    tuned: Tuned | None = None
    """What `handrail tune` found for this knowledge base, where it still holds."""
    late: Late | None = None
    """None where it is turned off, or does not read the articles' language."""
    foreign_scorer: Batcher[str, MessageScores] | None = None
    """Of messages in any language, as they are written; None where the settings name no encoder for them."""
    multilingual: Multilingual | None = None
    """None where the settings name no encoder for other languages."""
    health: IndexHealth = field(default_factory=IndexHealth)
    shares: bool = False
    """Whether the models are another assistant's, which closes them."""

    @property
    def store(self) -> Store:
        return self.index.store

    def retriever(self, settings: Settings) -> HybridRetriever:
        return self.retriever_of(HybridRetriever, settings)

    def retriever_of(self, kind: type[R], settings: Settings) -> R:
        """A kind of HybridRetriever, with what was tuned for this knowledge base."""
        adapt = None
        if self.tuned is not None:
            settings = settings.model_copy(update={"retrieval": self.tuned.over(settings.retrieval)})
            adapt = self.tuned.adapt
        return kind(
            self.snapshot,
            searching(self.store.search, self.snapshot, self.health),
            self.embed,
            self.section_reader(settings),
            settings.retrieval,
            adapt,
            self.late_interaction(settings),
            self.message_scorer,
            self.foreign_scorer,
            self.abroad(settings),
        )

    def abroad(self, settings: Settings) -> AbroadSearch | None:
        """Search for messages that the embedder does not read; None where the settings name no encoder for them."""
        if self.multilingual is None:
            return None
        unread = not reads(settings.models.embedder, self.snapshot.lang)
        held = self.multilingual
        return AbroadSearch(self.snapshot, held.ask, held.vectors, load_bias(), unread=unread)

    def late_interaction(self, settings: Settings) -> LateInteraction | None:
        """None where the settings turn it off."""
        if self.late is None or not settings.retrieval.late_weight:
            return None
        return LateInteraction(self.late.ask, self.late.states, self.late.rows, settings.retrieval.late_weight)

    def section_reader(self, settings: Settings) -> SectionReader:
        """Without a cross-encoder where the settings turn it off."""
        off = not settings.retrieval.rerank_depth or settings.models.reranker == "none"
        answers = calibration_for("answers", settings, index=self.store.generation, lang=self.snapshot.lang)
        words = int(settings.models.rerank_max_tokens * WORDS_PER_TOKEN)
        depth = settings.retrieval.rerank_depth or UNREAD_DEPTH
        across = load_calibration(UNREAD)
        model = None if off else self.read
        figures = settings.retrieval.figure_weight
        return SectionReader(self.snapshot, model, depth, words, answers, across, figures)

    def close(self) -> None:
        if not self.shares:
            self._close_models()
        self.index.release()
        self.versions.close()

    @property
    def queued(self) -> int:
        """Texts that wait for any of the models."""
        return sum(batcher.queued for batcher in self._batchers)

    def _close_models(self) -> None:
        for batcher in self._batchers:
            batcher.close()

    @property
    def _batchers(self) -> list[Batcher[Any, Any]]:
        beside = (held.ask for held in (self.late, self.multilingual) if held is not None)
        scorers = (scorer for scorer in (self.message_scorer, self.foreign_scorer) if scorer is not None)
        return [self.embed, self.read, self.entails, *scorers, *beside]


def build_parts(settings: Settings) -> Parts:
    """Load models and index; takes a few seconds. Raises HandrailError saying what is missing and how to get it."""
    installed(settings)
    versions = versions_of(settings)
    beside = ThreadPoolExecutor(1, thread_name_prefix="load")
    index: Opened | None = None
    try:
        # Before models are loaded: nobody waits for them to be told that there is nothing to read.
        index = versions.read()
        foreign = beside.submit(build_foreign_scorer, settings)
        embedder = build_embedder(settings)
        store = index.store
        if store.front_matter < FRONT_MATTER:
            logger.warning(
                "the index of %r was built by an older version: it may contain drafts and hidden pages, and filters "
                "may not find all they should. Run `handrail ingest` again with all of its sources",
                store.kb,
            )
        snapshot = read_snapshot(settings, store)
        score = build_scoring(settings) or Scoring(shared_words, shared_words)
        scorer = build_message_scorer(settings)
        late = _late(settings, store.kb, snapshot)
        foreign_scorer = foreign.result()
        multilingual = _multilingual(settings, store.kb, snapshot)
    except BaseException:
        if index is not None:
            index.release()
        versions.close()
        raise
    finally:
        beside.shutdown()
    models = settings.models
    at_once = models.batch_size * 4

    def labelled(
        name: str, scorer: Callable[[Sequence[str]], Sequence[MessageScores]] | None
    ) -> Batcher[str, MessageScores] | None:
        remember = models.remember // 4
        return Batcher(name, scorer, at_once, models.queue_limit, remember=remember) if scorer else None

    return Parts(
        snapshot=snapshot,
        index=index,
        versions=versions,
        embed=_asked("embed", embedder.embed_queries, settings),
        read=Batcher(
            "read", score.passages, at_once, models.queue_limit, remember=models.remember, busy_above=models.busy_above
        ),
        entails=Batcher(
            "entails", entailing(settings, score.quotes), at_once, models.queue_limit, remember=models.remember
        ),
        message_scorer=labelled("label", scorer),
        foreign_scorer=labelled("label_foreign", foreign_scorer),
        tuned=tuned_for(settings, store, snapshot.lang),
        count=embedder.count,
        late=late,
        multilingual=multilingual,
    )


def at_version(settings: Settings, parts: Parts, number: int) -> Parts:
    """The same models over another version, which is loaded here. Raises HandrailError where it cannot be."""
    return _with_index(settings, parts, parts.versions.open(number))


def parts_beside(settings: Settings, parts: Parts) -> Parts:
    """The same models over another company's knowledge base. Raises HandrailError."""
    versions = versions_of(settings)
    try:
        return _with_index(settings, replace(parts, versions=versions, shares=True), versions.read())
    except BaseException:
        versions.close()
        raise


def _with_index(settings: Settings, parts: Parts, index: Opened) -> Parts:
    try:
        store = index.store
        store.check()
        snapshot = read_snapshot(settings, store)
        return replace(
            parts,
            index=index,
            snapshot=snapshot,
            tuned=tuned_for(settings, store, snapshot.lang),
            late=_late(settings, store.kb, snapshot, parts.late),
            multilingual=_multilingual(settings, store.kb, snapshot, parts.multilingual),
        )
    except BaseException:
        index.release()
        raise


def _late(settings: Settings, kb: str, snapshot: Snapshot, held: Late | None = None) -> Late | None:
    """Over `snapshot`, with the encoder that is loaded where one is."""
    if held is not None and not reads(settings.models.late, snapshot.lang):
        return None
    encoder = held.encoder if held else build_late(settings, snapshot.lang) if settings.retrieval.late_weight else None
    states = read_states(settings, kb, snapshot, encoder)
    if encoder is None or states is None:
        return None
    return Late(encoder, held.ask if held else _asked("late", encoder.queries, settings), states, snapshot.row)


def _multilingual(
    settings: Settings, kb: str, snapshot: Snapshot, held: Multilingual | None = None
) -> Multilingual | None:
    encoder = held.encoder if held else build_multilingual(settings)
    vectors = read_multilingual(settings, kb, snapshot, encoder)
    if encoder is None or vectors is None:
        return None
    return Multilingual(encoder, held.ask if held else _asked("abroad", encoder.embed_queries, settings), vectors)


def _asked(
    name: str, encode: Callable[[Sequence[str]], Iterable[Vectors]], settings: Settings
) -> Batcher[str, Vectors]:
    """An encoder of questions."""
    models = settings.models
    return Batcher(name, encode, models.batch_size * 4, models.queue_limit, remember=models.remember // 4)


TITLES = 40


def covered_by(titles: Sequence[str]) -> str:
    """What articles of these titles cover, in one text; of many, some from beginning to end."""
    step = max(1, -(-len(titles) // TITLES))
    return "; ".join(titles[::step])


def described(brand: Brand, snapshot: Snapshot) -> Brand:
    """With what the operator says the articles cover, else with what their titles say."""
    return brand if brand.covers else brand.model_copy(update={"covers": covered_by(list(snapshot.titles.values()))})


def tuned_for(settings: Settings, store: Store, lang: str) -> Tuned | None:
    """What `handrail tune` found for the store's articles, in `lang`, else what holds without it."""
    folder = kb_folder(settings, store.kb) / FITTED
    return load_tuned(folder, store.generation, settings.models) or untuned(settings, lang)


def untuned(settings: Settings, lang: str) -> Tuned | None:
    """What holds before anything is tuned to articles in `lang`; None leaves all to the settings."""
    return None if reads(settings.models.embedder, lang) else BY_WORDS


def shared_words(pairs: Sequence[tuple[str, str]]) -> list[float]:
    """Stands in for a cross-encoder that is turned off: the share of the query's terms, on the scale of its logits."""
    shares = (coverage(query, text, {}, 1.0) for query, text in pairs)
    return [LOGITS * (2 * share - 1) for share in shares]
