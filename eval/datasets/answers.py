"""Answers: questions, with a reference answer where somebody has written one."""

from eval.datasets import SAMPLE, Articles, Case, Category, Dataset


class AnswerCase(Case):
    question: str
    answer: str | None = None
    """The reference; without it the answer is judged by itself."""
    article_ids: Articles = ()
    keys: tuple[str, ...] = ()
    """Exact words of an article that answer."""
    category: Category = None


ANSWERS = Dataset("answers", AnswerCase, SAMPLE / "answers.jsonl", "question")
