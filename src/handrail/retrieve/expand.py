"""Short queries made longer with words of the knowledge base's own titles; no language model involved."""

from __future__ import annotations

from handrail.local_models.batching import Batcher
from handrail.stores.snapshot import Snapshot
from handrail.stores.tokens import STOP, words
from handrail.types import Question, Vectors


class TitleExpansion:
    """A Rewriter: the query followed by those title words of the nearest article that it does not have yet."""

    def __init__(self, snapshot: Snapshot, embedder: Batcher[str, Vectors], below_words: int) -> None:
        self._snapshot = snapshot
        self._embedder = embedder
        self._below_words = below_words

    async def rewrite(self, question: Question) -> str:
        if len(question.text.split()) >= self._below_words or not self._snapshot.articles:
            return question.text
        embedding = (await self._embedder.submit([question.text]))[0]
        nearest = self._snapshot.articles[int((self._snapshot.article_vectors @ embedding).argmax())]
        present = set(words(question.text)) | STOP
        added = [word for word in words(self._snapshot.titles[nearest]) if word not in present]
        return " ".join((question.text, *added))
