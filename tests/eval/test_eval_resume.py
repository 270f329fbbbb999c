"""An interrupted run goes on where it stopped, and only where nothing changed."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from eval import record, resume, runs
from eval.record import RecordError, Status
from eval.resume import NotTheSame, check, identity
from handrail.settings import Settings
from tests.eval.conftest import CONFIG
from tests.eval.files import write_lines
from tests.eval.runs_of import PROVENANCE, a_run, held, routed

INTERRUPTED = held(a_run("run-1", [], status=Status.INTERRUPTED))


def now(**changes: Any) -> dict[str, Any]:
    return {**PROVENANCE, **changes}


def test_the_same_run_may_go_on() -> None:
    check(INTERRUPTED, "routing", identity("routing", "ab" * 32, None, PROVENANCE), PROVENANCE)


def test_another_commit_with_the_same_code_may_go_on() -> None:
    known = now(git={"revision": "b" * 40, "dirty": True})

    check(INTERRUPTED, "routing", identity("routing", "ab" * 32, None, known), known)


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"code": "x" * 64}, "code: cccccccccccc… then, xxxxxxxxxxxx… now"),
        ({"libraries": {"numpy": "3"}}, "libraries.numpy: 2 then, 3 now"),
        ({"settings": {"retrieval": {"top_k": 9}}}, "settings.retrieval.top_k: 5 then, 9 now"),
        ({"fitted": {"relevance.json": "1"}}, "fitted.relevance.json: – then, 1 now"),
        ({"prompts": {"answer": "2"}}, "prompts.answer"),
        ({"kb": {**PROVENANCE["kb"], "corpus": "0"}}, "kb.corpus"),
    ],
)
def test_whatever_could_change_a_number_forbids_it(changes: dict[str, Any], part: str) -> None:
    known = now(**changes)

    with pytest.raises(NotTheSame, match="cannot go on") as refused:
        check(INTERRUPTED, "routing", identity("routing", "ab" * 32, None, known), known)

    assert part in str(refused.value)


def test_another_command_file_or_limit_forbids_it() -> None:
    with pytest.raises(NotTheSame, match="not of retrieval"):
        check(INTERRUPTED, "retrieval", {}, PROVENANCE)
    for sha256, limit, part in (("ff" * 32, None, "file.sha256"), ("ab" * 32, 5, "file.limit")):
        with pytest.raises(NotTheSame, match=part):
            check(INTERRUPTED, "routing", identity("routing", sha256, limit, PROVENANCE), PROVENANCE)


def test_a_finished_run_has_nothing_left_to_do() -> None:
    with pytest.raises(RecordError, match="is finished"):
        check(held(a_run("run-1", [])), "routing", {}, PROVENANCE)


def test_only_interrupted_runs_with_rows_are_offered(tmp_path: Path) -> None:
    for run_id, status in (("a", Status.FINISHED), ("b", Status.INTERRUPTED), ("c", Status.RUNNING)):
        record.write(a_run(run_id, [], status=status), tmp_path)
    for run_id in ("a", "c"):
        record.rows_path(tmp_path, run_id).write_text("{}\n{}\n")
    same = identity("routing", "ab" * 32, None, PROVENANCE)

    assert list(resume.unfinished(tmp_path, same, PROVENANCE)) == [("c", 2)]
    with record.lock(tmp_path, "c"):
        # A living process works on it.
        code = subprocess.run(
            [sys.executable, "-c", BUSY, str(tmp_path)], capture_output=True, text=True, timeout=60, check=True
        )
    assert code.stdout.strip() == "True"


BUSY = "import sys; from pathlib import Path; from eval.record import in_work; print(in_work(Path(sys.argv[1]), 'c'))"


def test_a_list_of_runs_survives_a_damaged_one(tmp_path: Path) -> None:
    record.write(a_run("20260301T000000Z-routing-a", routed("10")), tmp_path)
    record.write(a_run("20260302T000000Z-routing-b", [], status=Status.RUNNING), tmp_path)
    (tmp_path / "20260303T000000Z-routing-c.json").write_text('{"format": 2, ')
    (tmp_path / "20260304T000000Z-routing-d.json").write_text('{"format": 99}')

    entries, damaged = runs.listed(tmp_path)

    assert [(item["run_id"][-1], item["status"]) for item in entries] == [("b", "interrupted"), ("a", "finished")]
    assert len(damaged) == 2
    assert "is damaged" in str(damaged[1]) and "format 99" in str(damaged[0])


def test_runs_are_found_by_part_of_the_id_by_command_and_by_age(tmp_path: Path) -> None:
    names = ["20260301T000000Z-routing-aa", "20260302T000000Z-routing-bb", "20260303T000000Z-refusal-cc"]
    for name in names:
        record.write(a_run(name, [], command=name.split("-")[1]), tmp_path)

    def found(name: str) -> str:
        return str(record.read(tmp_path, name)["run_id"])

    assert found("latest") == found("refusal") == found("cc") == names[2]
    assert (found("routing"), found("routing~1"), found("latest~2")) == (names[1], names[0], names[0])
    for wrong in ("2026", "routing~7", "../secret", ""):
        with pytest.raises(RecordError):
            record.read(tmp_path, wrong)


ROWS = 80
"""More than are measured while a busy machine is late with the interruption."""


def handrail(small: Settings, *arguments: str) -> list[str]:
    return [sys.executable, "-c", "from handrail.cli.app import main; main()", "eval", *arguments]


@pytest.mark.models
@pytest.mark.slow
@pytest.mark.usefixtures("listening_to_ctrl_c")
def test_ctrl_c_keeps_the_rows_and_the_run_goes_on(
    configured: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HANDRAIL_CONFIG", str(CONFIG))
    rows: list[dict[str, Any] | str] = [
        {
            "id": f"r{n}",
            "question": f"How do I reset password number {n}?",
            "article_ids": ["account:reset-your-password"],
        }
        for n in range(ROWS)
    ]
    file, folder = write_lines(tmp_path / "rows.jsonl", rows), tmp_path / "runs"
    options = ["retrieval", "--kb", "small", "--file", str(file), "--runs", str(folder)]
    first = subprocess.Popen(handrail(configured, *options), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    _until(lambda: sum(path.read_bytes().count(b"\n") for path in folder.glob("*.rows.jsonl")) >= 5, first)
    first.send_signal(signal.SIGINT)
    _, said = first.communicate(timeout=60)

    run_id = record.ids(folder)[0]
    kept = record.rows_path(folder, run_id).read_bytes().count(b"\n")
    assert first.returncode == 130, said
    assert record.read(folder, run_id)["status"] == "interrupted"
    assert f"--resume {run_id}" in said
    assert 5 <= kept < ROWS
    command = handrail(configured, *options, "--json", "--resume", run_id)
    second = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert second.returncode == 0, second.stderr
    assert f"{kept} rows are kept from before" in second.stderr
    printed = json.loads(second.stdout)
    assert printed["run_id"] == run_id and printed["metrics"]["n"] == ROWS
    assert [row["id"] for row in printed["rows"]] == [f"r{n}" for n in range(ROWS)]
    assert record.read(folder, run_id)["sittings"] == 2
    again = runs.score_again(folder, run_id)
    assert again.evaluation.metrics["hit@1"] == pytest.approx(printed["metrics"]["hit@1"], abs=1e-4)
    assert again.provenance["scored_from"] == run_id


def test_of_a_run_that_broke_off_before_its_first_row_nothing_is_kept(tmp_path: Path) -> None:
    for name, status, rows in (("a", Status.RUNNING, ""), ("b", Status.RUNNING, "{}\n"), ("c", Status.FINISHED, "")):
        record.write(a_run(name, [], status=status), tmp_path)
        record.rows_path(tmp_path, name).write_text(rows)

        record.forget_empty(tmp_path, name)

    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.json", "b.rows.jsonl", "c.json", "c.rows.jsonl"]


def _until(ready: Any, process: subprocess.Popen[str]) -> None:
    for _ in range(3000):
        if ready():
            return
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.1)
    raise AssertionError("nothing was measured within five minutes")
