"""Labelled files, and observations that survive an interruption."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from handrail.calibrate import Asked, Observed
from handrail.calibrate.log import ObservationLog
from handrail.calibrate.rows import read_rows
from handrail.errors import KnowledgeError
from tests.calibrate.observations import observations

pytestmark = pytest.mark.anyio

RETRIEVAL = '{"question": "how?", "article_ids": ["a:one"], "split": "test"}\n'
REFUSAL = """
{"id": "1", "question": "who?", "should_refuse": true, "expected_doc": null}
{"id": "2", "question": "when?", "should_refuse": false, "expected_doc": "a:one", "alt_docs": ["a:two"]}
{"id": "3", "question": "unlabelled", "should_refuse": null}
"""


def test_both_formats_are_read(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text(RETRIEVAL + REFUSAL, encoding="utf-8")

    assert read_rows(file) == [
        Asked("how?", ("a:one",)),
        Asked("who?", answerable=False),
        Asked("when?", ("a:one", "a:two")),
    ]
    assert [row.question for row in read_rows(file, leave_out="test")] == ["who?", "when?"]


def test_a_row_may_name_its_author(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    rows = (
        '{"question": "a", "article_ids": [], "author": "anna"}',
        '{"question": "b", "should_refuse": true, "author": "ben"}',
        '{"question": "c", "article_ids": ["a:one"], "author": null}',
    )
    file.write_text("\n".join(rows), encoding="utf-8")

    assert [row.author for row in read_rows(file)] == ["anna", "ben", ""]


@pytest.mark.parametrize(
    "text", ["", "not json", "[]", '{"question": " ", "article_ids": []}', '{"article_ids": ["a"]}', "{}"]
)
def test_a_useless_file_is_named(tmp_path: Path, text: str) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text(text, encoding="utf-8")

    with pytest.raises(KnowledgeError, match=r"rows\.jsonl"):
        read_rows(file)


def test_binary_and_missing_files_are_named(tmp_path: Path) -> None:
    (tmp_path / "binary.jsonl").write_bytes(b"\xff\xfe\x00")

    for name in ("binary.jsonl", "missing.jsonl"):
        with pytest.raises(KnowledgeError, match=name):
            read_rows(tmp_path / name)


class Assistant:
    """Observes from memory, and stops after some questions."""

    def __init__(self, rows: Sequence[Observed], until: int) -> None:
        self.worked: list[str] = []
        self._rows = {row.asked: row for row in rows}
        self._until = until

    async def observe(self, asked: Asked) -> Observed:
        if len(self.worked) == self._until:
            raise KeyboardInterrupt
        self.worked.append(asked.question)
        return self._rows[asked]


async def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path: Path) -> None:
    rows, path = observations(6), tmp_path / "fitted" / "observed.jsonl"
    asked = [row.asked for row in rows]
    with pytest.raises(KeyboardInterrupt):
        await ObservationLog(path, "v1").observe(asked, Assistant(rows, 4).observe, lambda: None)
    with path.open("a", encoding="utf-8") as file:
        file.write('{"asked": {"question": "half a li')

    second = Assistant(rows, 99)
    found = await ObservationLog(path, "v1").observe(asked, second.observe, lambda: None)

    assert found == rows
    assert second.worked == ["question 4", "question 5"]


async def test_a_question_whose_label_changed_is_asked_again(tmp_path: Path) -> None:
    (row,), path = observations(1), tmp_path / "observed.jsonl"
    nobody_said = replace(row, asked=Asked("how?", answerable=True), right=True)
    refused = replace(row, asked=Asked("how?", answerable=False), right=False)
    await ObservationLog(path, "v1").observe([nobody_said.asked], Assistant([nobody_said], 1).observe, lambda: None)

    found = await ObservationLog(path, "v1").observe([refused.asked], Assistant([refused], 1).observe, lambda: None)

    assert found == [refused]


async def test_another_index_or_model_starts_afresh(tmp_path: Path) -> None:
    rows, path = observations(3), tmp_path / "observed.jsonl"
    asked = [row.asked for row in rows]
    await ObservationLog(path, "v1").observe(asked, Assistant(rows, 99).observe, lambda: None)

    again = Assistant(rows, 99)
    await ObservationLog(path, "v2").observe(asked, again.observe, lambda: None)

    assert len(again.worked) == 3
