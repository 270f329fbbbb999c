"""What a run record holds, and what it keeps to itself."""

from __future__ import annotations

import json
import shutil
import subprocess
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

import handrail
from eval.datasets import BadRow
from eval.provenance import SOURCES, WEIGHTS, fitted, revision, without_secrets
from eval.record import Run, new_run_id, write
from eval.report import as_json, as_markdown
from eval.runner import Evaluation
from handrail.errors import PermanentError
from handrail.settings import load_settings

STARTED = datetime(2026, 3, 1, 12, 30, 5, tzinfo=UTC)


def a_run(**changes: object) -> Run:
    evaluation = Evaluation(
        metrics={"n": 2, "accuracy": 0.123456, "per_class": {"nonsense": {"f1": None}}},
        intervals={"accuracy": (0.1, 0.2)},
        rows=[{"id": ":smile: [red]", "ms": 1.23456}],
    )
    values: dict[str, object] = {
        "id": "run-1",
        "command": "routing",
        "started": STARTED,
        "seconds": 1.5,
        "file": Path("some/where/rows.jsonl"),
        "sha256": "ab" * 32,
        "limit": None,
        "bad": [BadRow(3, "text is missing")],
        "provenance": {"handrail": "1.0"},
        "evaluation": evaluation,
    }
    return Run(**{**values, **changes})  # type: ignore[arg-type]


def test_run_ids_sort_by_time_wherever_they_are_made() -> None:
    elsewhere = STARTED.astimezone(timezone(timedelta(hours=9)))

    assert new_run_id("routing", elsewhere, "0af") == "20260301T123005Z-routing-0af"


def test_a_record_holds_the_file_the_settings_and_every_row(tmp_path: Path) -> None:
    path = write(a_run(), tmp_path / "new" / "runs")

    held = json.loads(path.read_text(encoding="utf-8"))
    file = {"name": "rows.jsonl", "path": str(Path("some/where/rows.jsonl").resolve()), "sha256": "ab" * 32}
    assert held["file"] == {**file, "limit": None}
    assert held["metrics"]["accuracy"] == 0.123456
    assert held["bad_rows"] == [{"line": 3, "why": "text is missing"}]
    assert held["rows"][0]["id"] == ":smile: [red]"
    assert [other.name for other in path.parent.iterdir()] == ["run-1.json"]


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("a file")

    with pytest.raises(PermanentError, match=r"run-1\.json cannot be written: .*--runs"):
        write(a_run(), tmp_path / "runs")


def test_json_for_programs_is_rounded_and_leaves_absent_values_null() -> None:
    printed = json.loads(as_json(a_run()))

    assert printed["run_id"] == "run-1"
    assert printed["metrics"] == {"n": 2, "accuracy": 0.1235, "per_class": {"nonsense": {"f1": None}}}
    assert printed["rows"] == [{"id": ":smile: [red]", "ms": 1.2346}]


def test_the_table_shows_intervals_and_says_not_applicable() -> None:
    lines = as_markdown(a_run()).splitlines()

    assert "| accuracy | 0.123 | 0.100 to 0.200 |" in lines
    assert "| per_class.nonsense.f1 | n/a |  |" in lines


def test_secrets_and_passwords_stay_out_of_the_record() -> None:
    settings = load_settings(
        environ={
            "HANDRAIL_CONFIG": "",
            "OPENAI_API_KEY": "sk-hidden",
            "OPENAI_BASE_URL": "https://user:hidden@llm.example/v1?key=hidden",
            "DATABASE_URL": "postgresql://app:hidden@db.example:5432/handrail",
            "LANGFUSE_PUBLIC_KEY": "pk-hidden",
            "LANGFUSE_SECRET_KEY": "sk-lf-hidden",
        }
    )

    dump = without_secrets(settings)

    assert "hidden" not in json.dumps(dump)
    assert dump["llm"]["api_key"] == "set"
    assert dump["llm"]["base_url"] == "https://llm.example/v1"
    assert dump["storage"]["database_url"] == "postgresql://db.example:5432/handrail"
    assert dump["retrieval"]["top_k"] == settings.retrieval.top_k


def test_fitted_files_are_known_by_their_hash(tmp_path: Path) -> None:
    (tmp_path / "mine.json").write_text("{}")
    settings = load_settings(environ={"HANDRAIL__GATES__CALIBRATION": str(tmp_path / "mine.json")})

    hashes = fitted(settings)

    assert hashes["mine.json"] == "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
    assert {"messages.npz", "answers.json"} <= hashes.keys()


def test_no_file_of_the_product_can_change_a_figure_unrecorded() -> None:
    package = Path(handrail.__file__).parent
    held = (path for path in package.rglob("*") if path.is_file() and "_site" not in path.parts)
    elsewhere = {".md", ".pyc", ".typed"}

    assert {path.suffix for path in held if path.suffix and path.suffix not in elsewhere} <= SOURCES | WEIGHTS


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_the_revision_says_whether_files_were_changed(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    (tmp_path / "a").write_text("a")
    git(tmp_path, "add", "a")
    git(tmp_path, "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "--quiet", "--message", "a")

    clean = revision(tmp_path)
    (tmp_path / "b").write_text("b")
    changed = revision(tmp_path)

    assert len(clean["revision"]) == 40
    assert (clean["dirty"], changed["dirty"]) == (False, True)
    assert changed["revision"] == clean["revision"]


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_checkout_around_the_installed_code_is_not_its_own(tmp_path: Path) -> None:
    inside = tmp_path / "lib"
    inside.mkdir()
    git(tmp_path, "init", "--quiet")

    assert revision(inside) == {"revision": None, "dirty": None}


def test_outside_a_checkout_there_is_no_revision(tmp_path: Path) -> None:
    assert revision(tmp_path) == {"revision": None, "dirty": None}


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True)
