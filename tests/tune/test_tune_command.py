"""`handrail tune` as it is typed: files of questions, resetting, and what it says."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from handrail.cli.app import app
from handrail.cli.tune import _outcome, asked_by_people, holds_both
from handrail.errors import PermanentError
from handrail.retrieve.tuned import Tuned
from handrail.settings import Models
from handrail.tune.keep import activate
from handrail.tune.questions import Asked
from handrail.tune.run import MADE, PEOPLE, Result, Verdict
from handrail.tune.score import Gain


def result(on: str, low: float) -> Result:
    figures = {"ndcg@10": 0.5, "mrr": 0.5, "hit@1": 0.4, "hit@5": 0.6}
    verdict = Verdict(on, 80, 40, figures, figures, Gain(low, low + 0.05, low + 0.1))
    return Result(Tuned({"dense_weight": 0.6}, None), {"dense_weight": 0.6}, [verdict], 80)


def test_questions_without_gold_and_unknown_fields_are_no_mistake(tmp_path: Path) -> None:
    file = tmp_path / "asked.jsonl"
    rows = [
        '{"question": "a", "article_ids": ["x"], "note": 1}',
        '{"question": "b"}',
        '{"question": "c", "article_ids": ["y", "z"]}',
    ]
    file.write_text("\ufeff" + "\r\n\r\n".join(rows), encoding="utf-8")

    assert asked_by_people(file) == [Asked("a", ("x",)), Asked("c", ("y", "z"))]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b'{"question": "a", "article_ids": ["x"]}\nno json', "line 2: expected a JSON object"),
        (b"[1]", "line 1: expected a JSON object"),
        (b'{"question": 3, "article_ids": ["x"]}', "line 1"),
        (b'{"question": "a", "article_ids": "x"}', "line 1"),
        (b"", "0 questions with article_ids"),
        (b"\xff\xfe\x00", "not UTF-8"),
    ],
)
def test_a_file_that_cannot_be_used_says_why(tmp_path: Path, data: bytes, said: str) -> None:
    (tmp_path / "asked.jsonl").write_bytes(data)

    with pytest.raises(PermanentError, match=said):
        asked_by_people(tmp_path / "asked.jsonl")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(PermanentError, match=r"nowhere\.jsonl"):
        asked_by_people(tmp_path / "nowhere.jsonl")


def test_what_it_says_follows_who_decided() -> None:
    assert "in force" in _outcome("acme", result(PEOPLE, 0.01), accept_made=False)
    assert "--accept-made" in _outcome("acme", result(MADE, 0.01), accept_made=False)
    assert "in force" in _outcome("acme", result(MADE, 0.01), accept_made=True)
    assert "uncertain" in _outcome("acme", result(PEOPLE, -0.01), accept_made=False)
    assert "nothing beat" in _outcome("acme", Result(None, {}), accept_made=False)


def test_gates_follow_only_where_the_file_says_what_to_turn_away(tmp_path: Path) -> None:
    asked = [{"question": f"how do I pack {n}", "article_ids": ["packing"]} for n in range(40)]
    strange = [{"question": f"recipe {n}", "should_refuse": True} for n in range(10)]
    both, one, few, odd = (tmp_path / name for name in ("both", "one", "few", "odd"))
    for file, rows in (
        (both, asked + strange),
        (one, asked),
        (few, asked + strange[:9]),
        (odd, [*asked, *strange, {}]),
    ):
        file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")

    assert holds_both(both)
    assert not any(map(holds_both, (one, few, odd)))
    assert "handrail calibrate" in _outcome("acme", result(PEOPLE, 0.01), accept_made=False)
    assert "handrail calibrate" not in _outcome("acme", result(PEOPLE, 0.01), accept_made=False, gate_too=True)


def test_reset_takes_back_what_was_fitted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "var" / "kb" / "acme" / "fitted"
    won = Result(Tuned({}, np.eye(2, dtype=np.float32)), {}, result(PEOPLE, 0.1).verdicts, 80)
    assert won.tuned is not None
    activate(folder, won.tuned, won, "g1", Models(), "questions")

    first, second = (CliRunner().invoke(app, ["tune", "acme", "--reset"]) for _ in range(2))

    assert "back to the settings" in first.stderr
    assert "nothing was fitted" in second.stderr
    assert list(folder.iterdir()) == []
