"""Retrieval: which articles answer a question."""

from eval.datasets import SAMPLE, Articles, Case, Dataset


class RetrievalCase(Case):
    question: str
    article_ids: Articles = ()


RETRIEVAL = Dataset("retrieval", RetrievalCase, SAMPLE / "retrieval.jsonl", "article_ids")
