"""An experiment written to Langfuse: a dataset with stable items, and a run with scores for each side."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langfuse._client.resource_manager import LangfuseResourceManager

from eval.compare import compare
from eval.experiment.in_langfuse import InLangfuse, write
from eval.experiment.running import Found
from eval.experiment.sides import Given, Side
from eval.experiment.verdict import Verdict, figures
from eval.record import Status, rows_path
from handrail.errors import PermanentError, RetryableError, SettingsError
from handrail.settings import Observe, Settings
from tests.eval.runs_of import a_run, held
from tests.observe.langfuse_server import LangfuseServer, langfuse_server

TALKS = [
    {"id": f"t{n}", "line": n, "kb": "sample", "turns": [{"say": f"question {n}"}, {"say": "and then?"}]}
    for n in (1, 2)
]


@pytest.fixture
def langfuse() -> Iterator[LangfuseServer]:
    with langfuse_server() as server:
        yield server
    LangfuseResourceManager.reset()


def rows(right: bool) -> list[dict[str, Any]]:
    return [
        {
            "id": f"t{talk}/{turn}",
            "line": talk * 1000 + turn,
            "verdict": "right" if right else "wrong",
            "right_or_refused": right or turn == 1,
            "routing": "answered",
            "shown": f"mail me at jane@example.com, side {right}",
        }
        for talk in (1, 2)
        for turn in (1, 2)
    ]


def found(folder: Path) -> Found:
    """B answers each second turn wrong."""
    a, b = (a_run(name, rows(right), "talks", file=Path("mine.jsonl")) for name, right in (("a", True), ("b", False)))
    folder.mkdir(exist_ok=True)
    for run in (a, b):
        lines = [json.dumps({"line": case["line"], "case": case, "result": {}}) for case in TALKS]
        rows_path(folder, run.id).write_text("\n".join(lines) + "\n")
    side = Side(Given(), Settings(), {"answer": "1"})
    compared = compare(held(a), held(b))
    return Found(
        "talks",
        (side, replace(side, given=Given(prompts="drafts"))),
        (a, b),
        figures(compared, a.evaluation.rows, b.evaluation.rows),
        ("right_or_refused",),
        Verdict.WORSE,
        Status.FINISHED,
        "e-1",
    )


def test_rows_become_items_and_each_side_a_run_with_scores(langfuse: LangfuseServer, tmp_path: Path) -> None:
    with closing(InLangfuse(langfuse.settings())) as told:
        said = write(told, found(tmp_path), tmp_path)

    assert said == "Langfuse dataset handrail-talks-mine, runs e-1 A and e-1 B"
    items = langfuse.datasets["handrail-talks-mine"]
    assert sorted(item["input"] for item in items.values()) == [
        ["question 1", "and then?"],
        ["question 2", "and then?"],
    ]
    runs = {span.attributes.get("langfuse.experiment.name") for span in langfuse.spans}
    assert {"e-1 A", "e-1 B"} <= runs
    linked = {span.attributes.get("langfuse.experiment.item.id") for span in langfuse.spans} - {None}
    assert linked == set(items)
    right = sorted(score["value"] for score in langfuse.scores if score["name"] == "right_or_refused")
    assert right == [0.5, 0.5, 1, 1]
    assert [score["value"] for score in langfuse.scores if score["name"] == "verdict"] == ["worse"]
    assert not any(b"jane@example.com" in body for body in langfuse.bodies)


def test_the_same_rows_are_the_same_items(langfuse: LangfuseServer, tmp_path: Path) -> None:
    with closing(InLangfuse(langfuse.settings())) as told:
        write(told, found(tmp_path), tmp_path)
        write(told, found(tmp_path), tmp_path)

    assert {name: len(items) for name, items in langfuse.datasets.items()} == {"handrail-talks-mine": 2}


def test_what_is_missing_is_said_before_any_work(langfuse: LangfuseServer) -> None:
    with pytest.raises(SettingsError, match="needs LANGFUSE_PUBLIC_KEY"):
        InLangfuse(Observe())

    wrong = langfuse.settings().model_copy(update={"langfuse_public_key": "pk-other"})
    with pytest.raises(PermanentError, match="refused the keys"):
        InLangfuse(wrong)


def test_langfuse_that_fails_in_the_end_costs_no_row(
    langfuse: LangfuseServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)
    with closing(InLangfuse(langfuse.settings())) as told:
        langfuse.status = 500
        with pytest.raises(RetryableError, match="Both sides are measured and kept"):
            write(told, found(tmp_path), tmp_path)
