"""Vectors of tokens: what is kept on disk by text, and the likeness of a query to passages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from handrail.stores import states
from handrail.stores.states import Codes, States

NAMES = ["gift cards", "opening hours", "a", "refunds and returns"]


class Letters:
    """A direction for each letter, and what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, texts: Sequence[str]) -> list[Codes]:
        self.asked += texts
        return [np.stack([_letter(letter) for letter in text if letter.isalpha()]) for text in texts]


def _letter(letter: str) -> Codes:
    code = np.zeros(26, dtype=np.int8)
    code[ord(letter) - ord("a")] = 127
    return code


def quiet(done: int, total: int) -> None:
    pass


def query(text: str) -> np.ndarray:
    return np.stack([_letter(letter) for letter in text]).astype(np.float32) / 127


def test_likeness_is_the_mean_of_each_tokens_best() -> None:
    held = States(Letters()(["gift", "hour", "g"]))

    assert held.likeness(query("gif"), [0, 1, 2]).tolist() == pytest.approx([1, 0, 1 / 3])
    assert held.likeness(query("gif"), [2, 0]).tolist() == pytest.approx([1 / 3, 1])
    assert held.by_token(query("gh"), [1]).tolist() == [[0, 1]]
    assert held.likeness(query("g"), []).shape == (0,)


def test_codes_stand_for_directions_whatever_their_scale() -> None:
    even = np.full((1, 4), 127, dtype=np.int8)
    held = States([even, np.array([[127, 0, 0, 0]], dtype=np.int8)])

    found = held.likeness(np.full((1, 4), 0.5, dtype=np.float32), [0, 1])

    assert found.tolist() == pytest.approx([1, 0.5])


def test_what_is_on_disk_is_not_read_again(tmp_path: Path) -> None:
    first, second = Letters(), Letters()
    states.read(tmp_path, "letters", NAMES, first, quiet)

    held = states.read(tmp_path, "letters", ["hours", *reversed(NAMES)], second, quiet)

    assert sorted(first.asked) == sorted(NAMES)
    assert second.asked == ["hours"]
    assert len(held) == 5
    assert held.likeness(query("gift"), [4]).tolist() == pytest.approx([1])


def test_another_model_reads_everything_and_what_is_gone_is_dropped(tmp_path: Path) -> None:
    states.read(tmp_path, "letters", NAMES, Letters(), quiet)
    size = (tmp_path / states.FILE).stat().st_size

    other = Letters()
    states.read(tmp_path, "others", NAMES[:1], other, quiet)

    assert other.asked == NAMES[:1]
    assert (tmp_path / states.FILE).stat().st_size < size
    assert [path.name for path in tmp_path.iterdir()] == [states.FILE]


def test_a_run_that_breaks_off_keeps_what_it_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(states, "BATCH", 1)
    monkeypatch.setattr(states, "SAVE_EVERY", 2)
    letters, again = Letters(), Letters()

    def breaking(texts: Sequence[str]) -> list[Codes]:
        if len(letters.asked) == 3:
            raise KeyboardInterrupt
        return letters(texts)

    with pytest.raises(KeyboardInterrupt):
        states.read(tmp_path, "letters", NAMES, breaking, quiet)
    states.read(tmp_path, "letters", NAMES, again, quiet)

    assert len(again.asked) == 2
    assert set(again.asked) < set(NAMES)


@pytest.mark.parametrize("damage", [b"", b"no archive", b"PK\x03\x04half"])
def test_a_damaged_file_is_made_again(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / states.FILE).write_bytes(damage)
    letters = Letters()

    states.read(tmp_path, "letters", NAMES, letters, quiet)

    assert sorted(letters.asked) == sorted(NAMES)
    assert len(states.read(tmp_path, "letters", NAMES, letters, quiet)) == 4
    assert len(letters.asked) == 4


def test_nothing_to_read_is_no_file(tmp_path: Path) -> None:
    assert len(states.read(tmp_path, "letters", [], Letters(), quiet)) == 0
    assert list(tmp_path.iterdir()) == []


def test_the_same_text_twice_is_read_once(tmp_path: Path) -> None:
    letters = Letters()

    held = states.read(tmp_path, "letters", ["gift", "gift"], letters, quiet)

    assert letters.asked == ["gift"]
    assert held.likeness(query("gift"), [0, 1]).tolist() == pytest.approx([1, 1])
