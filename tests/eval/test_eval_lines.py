"""Files as people really send them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from eval.datasets import BadRow, load
from eval.datasets.lines import MAX_LINE, DatasetError, Line, read_lines
from eval.datasets.retrieval import RETRIEVAL
from eval.datasets.routing import ROUTING


def read(path: Path, data: bytes) -> list[Line | BadRow]:
    path.write_bytes(data)
    return read_lines(path)[1]


@pytest.mark.parametrize(
    "data",
    [
        '{"text": "é"}\n'.encode(),
        b"\xef\xbb\xbf" + '{"text": "é"}'.encode(),
        '{"text": "é"}\r\n\r\n'.encode(),
        '{"text": "é"}\n'.encode("utf-16"),
    ],
    ids=["UTF-8", "with a mark", "Windows line ends", "UTF-16 from PowerShell"],
)
def test_text_is_read_however_it_was_saved(tmp_path: Path, data: bytes) -> None:
    assert read(tmp_path / "rows.jsonl", data) == [Line(1, {"text": "é"})]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b'{"text": "caf\xe9"}', "not UTF-8 text"),
        (b'{"text": ' + b"9" * 5000 + b"}", "not JSON"),
        (b'{"probability": NaN}', "NaN is not a JSON value"),
        (b'[{"text": "a"}]', "one object per line is needed"),
        (b'{"text": "\\ud83d"}', "half a surrogate pair"),
        (b'{"text": "' + b"a" * MAX_LINE + b'"}', "a row has at most"),
        (b"[" * 100_000, "not JSON"),
        (b"PK\x03\x04\xff", "not UTF-8 text"),
    ],
    ids=["Latin-1", "huge number", "NaN", "array", "surrogate", "huge", "deep", "binary"],
)
def test_a_line_that_is_no_row_says_which_and_why(tmp_path: Path, line: bytes, why: str) -> None:
    good, bad, other = read(tmp_path / "rows.jsonl", b'{"a": 1}\n' + line + b'\n{"b": 2}\n')

    assert isinstance(good, Line) and isinstance(other, Line) and other.number == 3
    assert isinstance(bad, BadRow) and bad.line == 2
    assert why in bad.why


def test_rows_of_one_id_are_all_measured_under_ids_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps({"id": "q", "text": text}) + "\n" for text in "abc"), encoding="utf-8")

    loaded = load(ROUTING, path)

    assert [case.id for case in loaded.cases] == ["q", "q-line-2", "q-line-3"]
    assert loaded.bad == []
    assert "line 2: the id 'q' is also that of line 1" in loaded.notes[0]


@pytest.mark.parametrize("given", ['"a"', '["a"]', '["a", "", null]', '[" ", "a"]'])
def test_one_article_may_stand_for_a_list_of_one(tmp_path: Path, given: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(f'{{"question": "q", "article_ids": {given}}}\n', encoding="utf-8")

    assert load(RETRIEVAL, path).cases[0].article_ids == ("a",)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"Is a directory.*--file"):
        read_lines(tmp_path)
