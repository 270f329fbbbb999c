"""Answerable: does the passage in hand answer the question?"""

from __future__ import annotations

from pydantic import Field

from eval.datasets import SAMPLE, Case, Dataset


class AnswerableCase(Case):
    question: str
    passage: str = Field(min_length=1)
    answerable: bool | None = None
    title: str = ""
    """Of the article."""


ANSWERABLE = Dataset("answerable", AnswerableCase, SAMPLE / "answerable.jsonl", "answerable")
