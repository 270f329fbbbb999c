"""Articles that join the index while it is being served, and who drafts them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from handrail.assembly.index import page_images, writing
from handrail.assembly.models import build_embedder
from handrail.assembly.observing import build_prompts
from handrail.assembly.parts import Parts
from handrail.assembly.sourcing import origins_of
from handrail.desk.learning.drafts import Drafter, ExtractiveDrafter
from handrail.desk.learning.gaps import Shelf
from handrail.errors import IndexBusy
from handrail.knowledge import Loader, Unpublished
from handrail.knowledge.chunker import Chunker
from handrail.knowledge.files import files_in
from handrail.knowledge.folder import Folder
from handrail.knowledge.formats import FORMATS
from handrail.knowledge.ingest import Ingest
from handrail.knowledge.origins import AT_DESK, From
from handrail.settings import Settings
from handrail.types import Vectors
from handrail.verify.contradicted import contradicted
from handrail.verify.local import LocalVerifier
from handrail.verify.model import load_model


def holds_articles(folder: Path) -> bool:
    """Whether there is any file in the folder of articles that were approved at the desk."""
    return any(isinstance(one, Path) for one in files_in(folder, FORMATS)) if folder.is_dir() else False


def tags_like(parts: Parts, vectors: Vectors) -> list[str]:
    """Tags that most of the passages nearest to `vectors`, `(n, d)`, have: what an article like them may be tagged."""
    snapshot = parts.snapshot
    cosines = (snapshot.vectors @ vectors.T).max(axis=1)
    nearest = [snapshot.passages[int(row)] for row in np.argsort(-cosines)[:NEAREST]]
    votes = Counter(tag for one in nearest for tag in one.facets.get("tags", "").split("\n") if tag)
    return [tag for tag, n in votes.most_common(MOST_TAGS) if n >= TAGGED * len(nearest)]


async def contradiction(settings: Settings, parts: Parts, answer: str, reply: str) -> bool:
    verifier = LocalVerifier(parts.entails, load_model(), settings.verify)
    return await contradicted(answer, reply, parts.entails, verifier, least=settings.verify.shown_from)


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


NEAREST, TAGGED, MOST_TAGS = 10, 0.4, 5
"""Passages that are asked for their tags, the share of them that must have one, and tags that are proposed."""


class _Gone:
    """Articles that leave the index."""

    def __init__(self, ids: Sequence[str]) -> None:
        self._ids = ids

    def articles(self) -> Iterator[Unpublished]:
        yield from (Unpublished(id_, id_, "removed at the desk") for id_ in self._ids)


def learn_folder(settings: Settings, folder: Path, gone: Sequence[str] = ()) -> None:
    """A new current version with the folder's articles beside the others, and without those of the ids `gone`.

    Raises IndexBusy while another process writes one, and KnowledgeError for files that cannot be used.
    """
    embedder = build_embedder(settings)
    knowledge = settings.knowledge
    own: list[From] = []
    if holds_articles(folder):
        own.append(From(Folder(folder, knowledge.url_base, knowledge.max_article_bytes), AT_DESK))
    loaders: list[Loader] = [_Gone(gone), *own]
    chunker = Chunker(knowledge, embedder.count)
    try:
        with writing(settings) as made:
            store = made.store or made.begin()
            embed, images = embedder.embed_passages, page_images(settings)
            job = Ingest(store, chunker, embed, time.monotonic, keep_others=True, place=made, images=images)
            job.run(loaders, lambda done, total: None)
            origins_of(settings).claim(own)
            made.publish()
    except IndexBusy:
        raise IndexBusy(
            "an ingest is under way. The change is saved in the knowledge folder, and the next `handrail ingest` "
            "makes it"
        ) from None
