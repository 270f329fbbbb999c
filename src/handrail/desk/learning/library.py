"""What learning needs of the local models and the index."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

from handrail.desk.learning.drafts import Drafter
from handrail.desk.learning.gaps import Shelf
from handrail.types import Vectors


@runtime_checkable
class Library(Protocol):
    """An assistant that has loaded its models and its index."""

    def embedder_name(self) -> str: ...

    async def embed_questions(self, texts: Sequence[str]) -> Vectors:
        """`(n, d)` float32, L2-normalised. Raises RetryableError while the models are loading or busy."""
        ...

    async def contradicts(self, reply: str, answer: str) -> bool:
        """Whether a person's `reply` says the opposite of an answer, or gives another figure.

        Raises RetryableError as `embed_questions` does.
        """
        ...

    def shelf(self) -> Shelf:
        """The passages as they are indexed now. Raises RetryableError before the index is loaded."""
        ...

    async def tags_like(self, texts: Sequence[str]) -> list[str]:
        """Tags that the articles nearest to `texts` have. Raises RetryableError as `embed_questions` does."""
        ...

    async def learn(self, folder: Path, gone: Sequence[str] = ()) -> None:
        """Index the articles of `folder` beside the others, without the ids `gone`, and answer from them at once.

        Raises IndexBusy while another process writes the index, and KnowledgeError for files that cannot be used.
        """
        ...

    def drafter(self) -> Drafter: ...
