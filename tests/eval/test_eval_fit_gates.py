"""Gates are fitted to what was read by readers that never saw the base."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from eval.fit_gates import left_out, read_by, read_scores
from eval.observed import Question, answered, strange
from handrail.calibrate import Asked, Observed


def seen(question: str, *texts: str, answerable: bool = True, signal: float = 0.0) -> Observed:
    asked = Asked(question, ("a",) if answerable else (), answerable=answerable)
    read = tuple(("a", text) for text in texts)
    return Observed(asked, {"x": signal}, found=True, cited=True, static=0.0, overall={}, read=read)


def test_scores_of_left_out_bases_are_what_the_gates_see(tmp_path: Path) -> None:
    file = tmp_path / "1.json"
    file.write_text(json.dumps([["why", "one", -1.5], ["why", "two", 2.5], ["how", "one", 0.5]]))
    rows = [Question("shop", seen("why", "one", "two")), Question("shop", seen("how", "one"))]

    found = read_by(rows, {"shop"}, read_scores([file]))

    assert [dict(row.seen.signals) for row in found] == [
        {"x": 0.0, "reader_first": -1.5, "reader_top": 2.5, "reader_sum": pytest.approx(2.518, abs=1e-3)},
        {"x": 0.0, "reader_first": 0.5, "reader_top": 0.5, "reader_sum": 0.5},
    ]


def test_a_base_that_the_reader_learnt_from_needs_another_s_scores() -> None:
    rows = [Question("learnt", seen("why", "one")), Question("another", seen("why", "one"))]

    with pytest.raises(ValueError, match="learnt: the reader learnt from it"):
        read_by(rows, {"learnt"}, {})
    assert read_by(rows[1:], {"learnt"}, {}) == rows[1:]


def test_each_base_is_judged_by_gates_of_the_others() -> None:
    """In one of three bases the signal means the opposite, which the other two cannot know."""
    rows = [seen(f"q{n}", answerable=n % 2 == 0, signal=float(n % 2 == 0)) for n in range(40)] * 2
    rows += [seen(f"q{n}", answerable=n % 2 == 0, signal=float(n % 2 == 1)) for n in range(40)]
    owners = ["a"] * 40 + ["b"] * 40 + ["odd"] * 40

    predicted = left_out(rows, ["x"], owners)

    truth = np.asarray([row.asked.answerable for row in rows])
    assert predicted[80:][truth[80:]].max() < predicted[80:][~truth[80:]].min()


def test_questions_of_other_bases_are_strange(tmp_path: Path) -> None:
    files = {}
    for kb in ("one", "two"):
        files[kb] = [tmp_path / f"{kb}.jsonl"]
        lines = [{"id": f"{kb}{n}", "question": f"{kb} {n}", "article_ids": ["a"]} for n in range(20)]
        files[kb][0].write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")

    others = [text for text in strange("one", files) if text.startswith(("one", "two"))]

    assert len(others) == 12
    assert all(text.startswith("two") for text in others)
    assert strange("one", files) == strange("one", files)
    assert len(answered(files["one"][0])) == 20
