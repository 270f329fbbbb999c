"""The invented help centres of `eval/datasets`: their rows and their articles fit together."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from eval.datasets import load
from eval.datasets.refusal import REFUSAL
from eval.datasets.retrieval import RETRIEVAL
from handrail.knowledge import Article
from handrail.knowledge.markdown_folder import MarkdownFolder

DATASETS = Path(__file__).parents[2] / "eval" / "datasets"
BASES = ("builds", "library", "parcels", "stays")


def ids(base: str) -> set[str]:
    read = list(MarkdownFolder(DATASETS / base / "articles", "https://help.example", 100_000).articles())
    assert all(isinstance(article, Article) for article in read)
    return {article.id for article in read if isinstance(article, Article)}


@pytest.mark.parametrize("base", BASES)
def test_every_retrieval_row_names_an_article_that_is_there(base: str) -> None:
    rows = load(RETRIEVAL, DATASETS / base / "retrieval.jsonl")

    assert not rows.bad and not rows.notes
    assert all(row.article_ids for row in rows.cases)
    assert {gold for row in rows.cases for gold in row.article_ids} <= ids(base)


@pytest.mark.parametrize("base", BASES)
def test_a_refusal_row_names_an_article_exactly_where_it_is_to_be_answered(base: str) -> None:
    rows = load(REFUSAL, DATASETS / base / "refusal.jsonl")

    assert not rows.bad and not rows.notes
    assert {row.bucket for row in rows.cases} == {"answer", "refuse", "boundary"}
    assert all(bool(row.documents) is not row.should_refuse for row in rows.cases)
    assert {gold for row in rows.cases for gold in row.documents} <= ids(base)


@pytest.mark.parametrize("base", BASES)
def test_no_question_stands_twice(base: str) -> None:
    found = [case.question for case in load(RETRIEVAL, DATASETS / base / "retrieval.jsonl").cases]
    refused = [case.question for case in load(REFUSAL, DATASETS / base / "refusal.jsonl").cases]

    assert _twice(found) == []
    assert _twice(refused) == []


def _twice(questions: list[str]) -> list[str]:
    return [question for question, times in Counter(item.casefold() for item in questions).items() if times > 1]
