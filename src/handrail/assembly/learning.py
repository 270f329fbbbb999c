"""Articles that join the index while it is being served, and who drafts them."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

from handrail.assembly.models import build_embedder
from handrail.assembly.observing import build_prompts
from handrail.assembly.parts import Parts, index_folder, read_multilingual, read_snapshot, read_states, tuned_for
from handrail.desk.learning.drafts import Drafter, ExtractiveDrafter
from handrail.desk.learning.gaps import Shelf
from handrail.errors import IndexBusy
from handrail.knowledge.chunker import Chunker
from handrail.knowledge.folder import Folder
from handrail.knowledge.ingest import Ingest
from handrail.settings import Settings
from handrail.stores.chroma import ChromaStore, connect
from handrail.stores.lock import IndexLock


def shelf_of(parts: Parts) -> Shelf:
    passages = parts.snapshot.passages
    return Shelf(
        vectors=parts.snapshot.vectors,
        owners=[passage.article_id for passage in passages],
        titles=parts.snapshot.titles,
        urls={passage.article_id: passage.url.partition("#")[0] for passage in reversed(passages)},
        noise_floor=parts.snapshot.noise_floor,
    )


def build_drafter(settings: Settings) -> Drafter:
    """By the language model where one is configured, else from the agent's own words."""
    extractive = ExtractiveDrafter()
    if not settings.llm.configured:
        return extractive
    from handrail.desk.learning.llm_drafter import LlmDrafter
    from handrail.llm import connect as connect_models

    return LlmDrafter(connect_models(settings.llm).answering, build_prompts(settings), settings.brand, extractive)


def with_folder(settings: Settings, parts: Parts, folder: Path) -> Parts:
    """The same models over an index that holds the folder's articles too.

    The index on disk is locked for writing meanwhile; this process goes on reading what it holds in memory. Raises
    IndexBusy while another process reads it, and KnowledgeError.
    """
    place = index_folder(settings, settings.knowledge.kb)
    store = ChromaStore(connect(place, settings.storage.chroma_url), settings.knowledge.kb, parts.store.embedder)
    store.open()
    lock = parts.lock
    if lock is None:
        _write(settings, store, folder)
    else:
        lock.release()
        try:
            with IndexLock(place, write=True):
                _write(settings, store, folder)
        except IndexBusy:
            raise IndexBusy(
                "the index is in use by another Handrail process. The article is saved in the knowledge folder, and "
                "the next `handrail ingest` indexes it"
            ) from None
        finally:
            lock.acquire_again()
    snapshot = read_snapshot(settings, store)
    late = parts.late
    if late is not None:
        states = read_states(settings, store.kb, snapshot, late.encoder)
        late = replace(late, states=states, rows=snapshot.row) if states is not None else late
    abroad = parts.multilingual
    if abroad is not None:
        vectors = read_multilingual(settings, store.kb, snapshot, abroad.encoder)
        abroad = replace(abroad, vectors=vectors) if vectors is not None else abroad
    tuned = tuned_for(settings, store, snapshot.lang)
    return replace(parts, store=store, snapshot=snapshot, tuned=tuned, late=late, multilingual=abroad)


def _write(settings: Settings, store: ChromaStore, folder: Path) -> None:
    embedder = build_embedder(settings)
    loader = Folder(folder, settings.knowledge.url_base, settings.knowledge.max_article_bytes)
    job = Ingest(
        store, Chunker(settings.knowledge, embedder.count), embedder.embed_passages, time.monotonic, keep_others=True
    )
    job.run([loader], lambda done, total: None)
    store.open()
