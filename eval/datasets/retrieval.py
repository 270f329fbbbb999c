"""Retrieval: which articles answer a question."""

from pydantic import field_validator

from eval.datasets import SAMPLE, Case, Dataset


class RetrievalCase(Case):
    question: str
    article_ids: tuple[str, ...] = ()
    """Ids of articles, or their first 16 characters or more; empty where nobody has said."""

    @field_validator("article_ids", mode="before")
    @classmethod
    def _absent(cls, value: object) -> object:
        return () if value is None else value


RETRIEVAL = Dataset("retrieval", RetrievalCase, SAMPLE / "retrieval.jsonl", "article_ids")
