"""Articles that join the index while it is being served, and who drafts them."""

from __future__ import annotations

import time
from pathlib import Path

from handrail.assembly.index import writing
from handrail.assembly.models import build_embedder
from handrail.assembly.observing import build_prompts
from handrail.assembly.parts import Parts
from handrail.desk.learning.drafts import Drafter, ExtractiveDrafter
from handrail.desk.learning.gaps import Shelf
from handrail.errors import IndexBusy
from handrail.knowledge.chunker import Chunker
from handrail.knowledge.folder import Folder
from handrail.knowledge.ingest import Ingest
from handrail.settings import Settings


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


def learn_folder(settings: Settings, folder: Path) -> None:
    """A new version that holds the folder's articles beside the others, and is current. Raises IndexBusy while another
    process writes one, and KnowledgeError for files that cannot be used.
    """
    embedder = build_embedder(settings)
    loader = Folder(folder, settings.knowledge.url_base, settings.knowledge.max_article_bytes)
    chunker = Chunker(settings.knowledge, embedder.count)
    try:
        with writing(settings) as made:
            store = made.store or made.begin()
            job = Ingest(store, chunker, embedder.embed_passages, time.monotonic, keep_others=True, place=made)
            job.run([loader], lambda done, total: None)
            made.publish()
    except IndexBusy:
        raise IndexBusy(
            "an ingest is under way. The article is saved in the knowledge folder, and the next `handrail ingest` "
            "indexes it"
        ) from None
