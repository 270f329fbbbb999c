"""What the answering model reads: grouped by article, the best one first, each block within its tokens."""

from __future__ import annotations

import pytest

from handrail.answer.blocks import Blocks, blocks
from handrail.answer.known_wrong import KnownWrong
from handrail.settings import Prompts
from handrail.types import Evidence, Exchange, Hit, Routing
from tests.stages import ask, passage


def words(text: str) -> int:
    return len(text.split())


HITS = [
    Hit(passage("a/2", "best " * 60, title="A")),
    Hit(passage("b/1", "other " * 60, title="B")),
    Hit(passage("a/1", "same " * 60, title="A")),
    Hit(passage("c/1", "third " * 60, title="C")),
]


def given(budget: int, history: tuple[Exchange, ...] = (), wrong: tuple[KnownWrong, ...] = ()) -> Blocks:
    settings = Prompts.model_construct(**{**Prompts().model_dump(), "context_tokens": budget})
    return blocks(ask(history=history), Evidence("query", HITS), wrong, (), settings, words)


def test_the_best_article_comes_first_and_whole_in_reading_order() -> None:
    found = given(1000)

    assert [[p.id for p in group.passages] for group in found.context] == [["a/1", "a/2"], ["b/1"], ["c/1"]]
    assert found.tokens["context"] == 240


def test_room_goes_to_the_right_article_before_any_other() -> None:
    found = given(130)

    assert [p.id for p in found.passages] == ["a/1", "a/2"]
    assert found.related == ("B", "C")


def test_the_best_passage_is_in_however_small_the_budget() -> None:
    assert [p.id for p in given(10).passages] == ["a/2"]


def test_the_best_passage_of_each_question_is_in_however_small_the_budget() -> None:
    small = Prompts.model_construct(**{**Prompts().model_dump(), "context_tokens": 130})

    parts = (Evidence("one", HITS[:1]), Evidence("two", HITS[1:2]))

    found = blocks(ask(), Evidence("query", HITS, parts=parts), (), (), small, words)

    assert [p.id for p in found.passages] == ["a/2", "b/1"]
    assert found.tokens["context"] == 120


def test_history_keeps_the_latest_exchanges_without_refusals(monkeypatch: pytest.MonkeyPatch) -> None:
    told = [Exchange("q", f"question {n}", "" if n == 2 else "answer", Routing.ANSWERED) for n in range(4)]

    assert [item.standalone for item in given(500, tuple(told)).history] == ["question 0", "question 1", "question 3"]
    monkeypatch.setattr("handrail.answer.blocks.HISTORY_TOKENS", 4)
    assert [item.standalone for item in given(500, tuple(told)).history] == ["question 3"]


def test_wrong_answers_stay_within_their_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = tuple(KnownWrong(f"q{n}", "four words of answer") for n in range(3))

    monkeypatch.setattr("handrail.answer.blocks.WRONG_TOKENS", 11)
    assert given(500, wrong=entries).wrong == entries[:2]


def test_nothing_found_is_no_context() -> None:
    empty = blocks(ask(), Evidence("query", ()), (), (), Prompts(), words)

    assert empty.passages == () and empty.tokens["context"] == 0
