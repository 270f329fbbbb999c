"""Figures of a conversation's turns, scored from what was read: no model."""

from __future__ import annotations

from typing import Any

import pytest

from eval.datasets.conversation import ConversationCase
from eval.evaluators.conversation import Read, Turn, score, visitors
from eval.runner import Done

LAST = "And where is the receipt?"


def case(*turns: Any) -> ConversationCase:
    return ConversationCase.model_validate(
        {"id": "c1", "line": 1, "turns": [*turns, LAST], "last_needs": "Where is the receipt?", "article_ids": ["pay"]}
    )


def read(found: tuple[str, ...], needed: tuple[str, ...], *gold: str, earlier: tuple[Turn, ...] = ()) -> Read:
    return Read("read as", 0.9, "answerable", found, needed, gold, earlier)


def test_turns_that_say_what_they_need_are_told_apart_by_number_and_kind() -> None:
    second = Turn(2, "ellipsis", "how much", read(("fees", "pets"), ("pets",), "pets"))
    third = Turn(3, "person", "and her?", read(("fees",), ("pets", "fees"), "pets"))
    talk = case("pets?", {"text": "how much", "needs": "What do pets cost?"}, {"text": "and her?", "needs": "Her pet?"})
    found = score(Done([(talk, read(("pay",), ("pay",), "pay", earlier=(second, third)))]))

    assert set(found.metrics) == {"n", "overlap@5", "hit@5_last", "hit@5_standalone", "by_kind"}
    every = found.details["every_turn"]
    assert (every["n"], every["hit@5"], every["hit@1"]) == (3, pytest.approx(2 / 3), pytest.approx(1 / 3))
    assert every["hit@5_standalone"] == every["hit@1_standalone"] == 1.0
    assert {number: row["hit@5"] for number, row in every["by_number"].items()} == {"2": 1.0, "3": 0.0, "4": 1.0}
    assert every["by_kind"]["person"] == {
        "n": 1, "hit@5": 0.0, "hit@1": 0.0, "hit@5_standalone": 1.0, "hit@1_standalone": 1.0,
    }  # fmt: skip


def test_a_file_that_names_only_the_last_need_has_its_old_figures_alone() -> None:
    found = score(Done([(case("pets?"), read(("pay",), ("pay",), "pay"))]))

    assert "every_turn" not in found.details
    assert found.metrics["hit@5_last"] == 1.0


def test_visitors_are_counted_without_what_the_assistant_said() -> None:
    talk = case("pets?", {"role": "assistant", "text": "Yes."}, "how much")

    assert [(number, said.text) for number, said in visitors(talk)] == [(1, "pets?"), (2, "how much"), (3, LAST)]
