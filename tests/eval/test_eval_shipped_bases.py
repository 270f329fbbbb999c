"""The invented help centres and their questions: every row is usable and names articles that are there."""

from __future__ import annotations

from collections import Counter
from importlib.resources import files
from pathlib import Path

import pytest

import eval.datasets
from eval.datasets import load
from eval.datasets.articles import KnownArticles
from eval.datasets.conversation import CONVERSATION
from eval.datasets.refusal import REFUSAL
from eval.datasets.retrieval import RETRIEVAL
from handrail.knowledge import Article
from handrail.knowledge.folder import Folder

BASES = sorted(path.parent for path in Path(eval.datasets.__file__).parent.glob("*/articles"))
LONG = sorted(Path(eval.datasets.__file__).parent.glob("*/conversation_long*.jsonl"))
BUCKETS = {"refuse": {True}, "answer": {False}, "boundary": {True, False}}


def known(base: Path) -> KnownArticles:
    articles = list(Folder(base / "articles", "https://help.example", 100_000).articles())
    assert all(isinstance(item, Article) and item.body for item in articles)
    return KnownArticles(item.id for item in articles if isinstance(item, Article))


def known_in_sample() -> set[str]:
    folder = Path(str(files("handrail") / "sample" / "help_centre"))
    return {f"{path.parent.name}:{path.stem}" for path in folder.glob("*/*.md")}


@pytest.mark.parametrize("base", BASES, ids=lambda base: base.name)
def test_every_retrieval_question_names_articles_of_its_base(base: Path) -> None:
    loaded = load(RETRIEVAL, base / "retrieval.jsonl")
    assert (loaded.bad, loaded.notes) == ([], [])
    ids = known(base).ids
    assert all(case.article_ids and ids.issuperset(case.article_ids) for case in loaded.cases)
    assert len({case.question for case in loaded.cases}) == len(loaded.cases)


@pytest.mark.parametrize(
    "base", [base for base in BASES if (base / "refusal.jsonl").is_file()], ids=lambda base: base.name
)
def test_a_refusal_row_names_an_article_exactly_when_it_must_be_answered(base: Path) -> None:
    loaded = load(REFUSAL, base / "refusal.jsonl")
    assert (loaded.bad, loaded.notes) == ([], [])
    assert len({case.question for case in loaded.cases}) == len(loaded.cases)
    ids = known(base).ids
    for case in loaded.cases:
        assert case.should_refuse in BUCKETS[str(case.bucket)], case
        assert bool(case.documents) is not case.should_refuse, case
        assert ids.issuperset(case.documents), case


@pytest.mark.parametrize("file", LONG, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_turn_of_a_longer_conversation_says_what_it_needs(file: Path) -> None:
    loaded = load(CONVERSATION, file)
    assert (loaded.bad, loaded.notes) == ([], [])
    sample = file.parent.name == "sample"
    ids = known_in_sample() if sample else known(file.parent).ids
    for case in loaded.cases:
        assert len(case.turns) >= 4
        assert case.last_needs == case.turns[-1].needs
        assert all(turn.needs and turn.kind and ids.issuperset(turn.article_ids) for turn in case.turns)


@pytest.mark.parametrize("name", ["builds", "mobile", "payments", "stays"])
def test_the_form_of_a_question_does_not_give_its_label_away(name: str) -> None:
    base = Path(eval.datasets.__file__).parent / name
    cases = load(REFUSAL, base / "refusal.jsonl").cases
    shares = {
        refuse: _shares([case.question for case in cases if case.should_refuse is refuse]) for refuse in (True, False)
    }
    for form, share in shares[True].items():
        assert share == pytest.approx(shares[False][form], abs=0.12), form


def _shares(questions: list[str]) -> Counter[str]:
    """Of forms that a gate could learn instead of what is asked."""
    forms = Counter[str]()
    for question in questions:
        first = question.lower().split()[0]
        forms["yes or no"] += first in {"is", "are", "do", "does", "did", "can", "could", "may", "will", "would"}
        forms["how"] += first == "how"
        forms["question mark"] += question.endswith("?")
        forms["capital"] += question[0].isupper()
        forms["digit"] += any(letter.isdigit() for letter in question)
        forms["short"] += len(question.split()) < 8
    return Counter({form: count / len(questions) for form, count in forms.items()})
