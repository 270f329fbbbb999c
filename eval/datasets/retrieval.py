"""Retrieval: which articles answer a question."""

from eval.datasets import SAMPLE, Articles, Case, Category, Dataset


class RetrievalCase(Case):
    question: str
    article_ids: Articles = ()
    category: Category = None


RETRIEVAL = Dataset("retrieval", RetrievalCase, SAMPLE / "retrieval.jsonl", "article_ids")
