"""Answers marked as wrong are found again by questions like theirs."""

from __future__ import annotations

from pathlib import Path

import pytest

from handrail.answer.known_wrong import KnownWrong, WrongAnswers
from handrail.errors import KnowledgeError

REFUND = KnownWrong("How long do refunds take?", "One day.", "It is five days.")


def test_an_entry_is_found_by_a_question_like_its_own(tmp_path: Path) -> None:
    wrong = WrongAnswers(tmp_path / "kb")
    wrong.add(REFUND)
    wrong.add(KnownWrong("How do I add a domain?", "Call us."))

    assert wrong.like("how long does a refund take") == [REFUND]
    assert wrong.like("what does the team plan cost") == []


def test_a_file_edited_by_hand_may_hold_nonsense(tmp_path: Path) -> None:
    wrong = WrongAnswers(tmp_path)
    wrong.add(REFUND)
    with (tmp_path / "wrong.jsonl").open("ab") as file:
        file.write(b'not json\n[1]\n{"question": "x"}\n\xff\xfe\n')

    assert wrong.all() == [REFUND]


def test_no_file_is_no_entry(tmp_path: Path) -> None:
    assert WrongAnswers(tmp_path).like("anything") == []


@pytest.mark.parametrize("entry", [KnownWrong(" ", "a"), KnownWrong("q", ""), KnownWrong("q", "a" * 2001)])
def test_empty_and_endless_entries_are_refused(tmp_path: Path, entry: KnownWrong) -> None:
    with pytest.raises(KnowledgeError):
        WrongAnswers(tmp_path).add(entry)
    assert not (tmp_path / "wrong.jsonl").exists()
