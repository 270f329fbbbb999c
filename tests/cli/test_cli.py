"""The command line as a person and a program use it."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest
import typer
from typer.core import TyperGroup
from typer.testing import CliRunner, Result

from handrail.cli import filters_of
from handrail.cli.app import app, main
from handrail.errors import HandrailError, IndexBusy, KnowledgeError, SettingsError
from handrail.settings import WELL_KNOWN
from handrail.stores.filters import BadFilter
from handrail.stores.lock import IndexLock

ROLES = "---\ntitle: Custom roles\n---\n# Custom roles\n\nOpen **Settings** and choose **New role** to create a role."
REFUND = "---\ntitle: Refund a customer\n---\nOpen the order under **Store** and choose **Refund**."


@pytest.fixture(autouse=True)
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, with local models only, short texts for speed, and a folder of articles."""
    for name in [name for name in os.environ if name in WELL_KNOWN or name.startswith("HANDRAIL_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HANDRAIL__MODELS__EMBED_MAX_TOKENS", "32")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    monkeypatch.chdir(tmp_path)
    articles = tmp_path / "articles"
    articles.mkdir()
    (articles / "roles.md").write_text(ROLES)
    (articles / "refund.md").write_text(REFUND)
    return tmp_path


def run(*arguments: str, stdin: str = "") -> Result:
    result = CliRunner().invoke(app, arguments, input=stdin)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def data(*arguments: str, code: int = 0) -> Any:
    result = run(*arguments)
    assert result.exit_code == code, result.output
    return json.loads(result.stdout)


def shell(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The installed command's own entry, in a process of its own."""
    return subprocess.run(command(*arguments), capture_output=True, text=True, timeout=60, check=False)


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "handrail", *arguments]


def names(group: TyperGroup, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    found = [path]
    for name, child in group.commands.items():
        found += names(child, (*path, name)) if isinstance(child, TyperGroup) else [(*path, name)]
    return found


def groups() -> list[tuple[str, ...]]:
    main = typer.main.get_command(app)
    assert isinstance(main, TyperGroup)
    return names(main)


@pytest.mark.parametrize("path", groups(), ids=" ".join)
def test_every_command_explains_itself(path: tuple[str, ...]) -> None:
    result = run(*path, "--help")

    assert result.exit_code == 0
    assert "Usage:" in result.stdout


def test_an_error_is_one_plain_line_and_exit_code_1() -> None:
    done = shell("kb", "show", "acme")

    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("error: knowledge base 'acme' is not indexed")
    assert "handrail ingest PATH --kb acme" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_path_that_cannot_be_written_is_one_plain_line_too(desk: Path) -> None:
    (desk / "taken").touch()
    (desk / "help").mkdir()
    (desk / "help" / "a.md").write_text("# Pay\n\nPay by card.\n")

    answers = ["--company", "A", "--offers", "B", "--articles", "help", "--person", "nobody", "--languages", "en"]

    done = shell("init", "taken", *answers)

    assert (done.returncode, done.stdout) == (1, "")
    assert "taken: File exists" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_full_disk_is_one_plain_line_too(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    monkeypatch.setattr("handrail.cli.app.app", MagicMock(side_effect=full))

    with pytest.raises(SystemExit, match="1"):
        main()
    assert capsys.readouterr().err == f"error: {os.strerror(errno.ENOSPC)}\n"


def test_a_tenant_without_a_name_is_not_the_deployments_own(desk: Path) -> None:
    result = run("--tenant", "", "doctor")

    assert result.exit_code == 2
    assert "names no tenant" in result.stderr


@pytest.mark.parametrize("loaded", ["handrail.cli.app", "handrail.stores.lock"])
def test_ctrl_c_says_so_wherever_it_comes(loaded: str) -> None:
    """While the command is loaded, and while it works, which Typer ends without a word."""
    program = f"""
import builtins, sys, handrail.__main__
real = builtins.__import__
def interrupted(name, *rest, **named):
    if name == {loaded!r}:
        raise KeyboardInterrupt
    return real(name, *rest, **named)
builtins.__import__ = interrupted
sys.argv = ["handrail", "kb", "list"]
handrail.__main__.main()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (130, "", "stopped\n")


def test_a_wrong_name_on_the_command_line_is_explained() -> None:
    with pytest.raises(SettingsError, match=r"the command line holds 1 wrong value.*\n.*knowledge\.kb"):
        run("kb", "show", "Not A Name")


@pytest.mark.parametrize(("given", "said"), [("product=store", "use one of: project_key, tags"), ("tags", "KEY=VALUE")])
@pytest.mark.parametrize("name", ["ask", "chat"])
def test_a_filter_that_means_nothing_is_explained(name: str, given: str, said: str) -> None:
    with pytest.raises(BadFilter, match=re.escape(said)):
        run(name, *(["How?"] if name == "ask" else []), "--filter", given)


def test_filters_of_one_key_are_alternatives_and_projects_are_one_of_them() -> None:
    found = filters_of(["tags=billing", "tags=api", "tier=raw"], ["Shop"])

    assert found == {"project_key": "shop", "tags": ("billing", "api"), "tier": "raw"}


def test_nothing_to_ingest_says_what_to_name() -> None:
    with pytest.raises(KnowledgeError, match="name a folder or file, or use --sample or --wixqa"):
        run("ingest")


def test_models_are_listed_with_their_licence() -> None:
    rows = {row["name"]: row for row in data("models", "list", "--json")}

    assert rows["bge-small-en-v1.5-int8"]["licence"] == "MIT"
    assert "bge-small-en-v1.5-int8" in run("models", "list").stdout


def test_models_that_are_not_here_say_how_to_get_them(monkeypatch: pytest.MonkeyPatch, desk: Path) -> None:
    monkeypatch.setenv("HANDRAIL_CACHE", str(desk / "empty"))

    assert not any(row["here"] for row in data("models", "list", "--json"))
    with pytest.raises(HandrailError, match="run `handrail models fetch`"):
        run("ingest", "articles")


def test_without_a_knowledge_base_the_list_says_how_to_make_one() -> None:
    assert data("kb", "list", "--json") == []
    assert "handrail ingest --sample" in run("kb", "list").stderr


def test_a_second_writer_is_refused_and_a_reader_is_not(desk: Path) -> None:
    with IndexLock(desk / "var" / "kb" / "acme", write=True):
        assert data("kb", "list", "--json") == []
        with pytest.raises(IndexBusy, match="in use by another Handrail process"):
            run("ingest", "articles", "--kb", "acme")


@pytest.mark.models
class TestWithModels:
    def test_a_folder_is_ingested_once_and_skipped_the_second_time(self) -> None:
        first = data("ingest", "articles", "--kb", "acme", "--json")
        second = data("ingest", "articles", "--kb", "acme", "--json")

        assert (first["kb"], first["added"], first["embedded"]) == ("acme", 2, 2)
        assert (second["unchanged"], second["embedded"]) == (2, 0)

    def test_bad_files_are_named_and_the_others_are_used(self, desk: Path) -> None:
        run("ingest", "articles", "--kb", "acme")
        (desk / "articles" / "refund.md").unlink()
        (desk / "articles" / "[red] latin.md").write_bytes("Größe".encode("latin-1"))
        (desk / "articles" / "new.md").write_text("A new article.")

        result = run("ingest", "articles", "--kb", "acme")

        assert result.exit_code == 1
        assert "not used articles/[red] latin.md: not UTF-8 (byte 2); save it as UTF-8" in result.stderr
        assert "Nothing was removed" in result.stderr
        shown = {row["article"] for row in data("kb", "show", "acme", "--json")}
        assert shown == {"roles", "refund", "new"}

    def test_pages_that_are_not_public_are_named_by_reason(self, desk: Path) -> None:
        (desk / "articles" / "new.md").write_text("---\ndraft: true\n---\nNot yet.")
        (desk / "articles" / "old.md").write_text("+++\nhidden = true\n+++\nNo more.")
        (desk / "articles" / "desk.md").write_text("---\naudience: agents\n---\nOnly for us.")

        report = data("ingest", "articles", "--kb", "acme", "--json")
        shown = run("ingest", "articles", "--kb", "acme").stderr

        assert report["unpublished"] == {"draft: true": ["articles/new.md"], "hidden: true": ["articles/old.md"]}
        assert (report["articles"], report["for_agents"]) == (3, 1)
        assert "1 by draft: true: articles/new.md" in shown
        assert "1 by hidden: true: articles/old.md" in shown

    def test_an_audience_that_is_not_known_fails_and_names_the_file_and_the_known_ones(self, desk: Path) -> None:
        run("ingest", "articles", "--kb", "acme")
        (desk / "articles" / "roles.md").write_text(ROLES.replace("title:", "audience: staff\ntitle:"))

        result = run("ingest", "articles", "--kb", "acme")

        assert result.exit_code == 1
        assert "articles/roles.md: audience in the front matter is 'staff'" in result.stderr
        assert "public, agents" in result.stderr
        assert {row["article"] for row in data("kb", "show", "acme", "--json")} == {"refund"}

    def test_lint_tells_links_that_lead_nowhere_from_those_it_cannot_follow(self, desk: Path) -> None:
        run("ingest", "articles", "--kb", "acme")
        source = 'kind = "folder"\nwhere = "articles"\nkb = "acme"\nurl_base = "https://acme.io/help"'
        (desk / "config.toml").write_text(f"[[sources]]\n{source}\n")
        with (desk / "articles" / "roles.md").open("a") as article:
            article.write("\nSee [refunds](/help/refund), [fees](/help/fees) and [prices](/pricing).\n")

        result = run("kb", "lint", "articles", "--kb", "acme", "--quick")

        assert [line for line in result.stdout.splitlines() if "link" in line] == ["broken link: roles: /help/fees"]
        assert "not checked: 1 " in result.stderr

    def test_wixqa_rows_come_from_a_file(self, desk: Path) -> None:
        row = {"id": "a1", "title": "Fees", "contents": "Fees\nFees are low.", "url": "https://support.example/a1"}
        (desk / "kb.jsonl").write_text(json.dumps(row) + "\n" + json.dumps({"id": "a2"}))

        report = data("ingest", "--wixqa", "kb.jsonl", "--json", code=1)

        assert (report["kb"], report["articles"]) == ("wixqa", 1)
        assert report["rejected"] == [{"where": "kb.jsonl line 2", "why": "missing contents"}]

    def test_the_sample_is_ingested_and_answers_with_the_contract(
        self, desk: Path, sample_index: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Over an index that has the same articles already: they are known again, and not embedded."""
        monkeypatch.delenv("HANDRAIL__MODELS__EMBED_MAX_TOKENS")
        shutil.copytree(sample_index, desk / "var")

        report = data("ingest", "--sample", "--json")
        assert report["unchanged"] == report["articles"] > 100
        assert (report["embedded"], report["removed"]) == (0, 0)

        answer = data("ask", "How do I create a custom role?", "--json")

        assert set(answer) >= {
            "answer", "routing", "refused", "refusal_reason", "disclaimer", "citations", "sources", "suggestions",
            "escalation", "confidence", "conversation_id", "turn_id", "trace_id", "meta",
        }  # fmt: skip
        assert answer["routing"] in ("answered", "partially_answered", "low_confidence")
        assert answer["citations"][0]["id"].startswith("team:custom-roles/")
        assert answer["meta"]["provider"] == "extractive"

    def test_a_question_may_come_from_standard_input(self) -> None:
        run("ingest", "articles", "--kb", "acme")

        result = run("ask", "-", "--kb", "acme", stdin="How do I create a role?\n")

        assert result.exit_code == 0
        assert result.stdout.strip()

    def test_a_conversation_runs_in_a_pipe_and_a_prompt_is_shown_without_a_model(self) -> None:
        run("ingest", "articles", "--kb", "acme")

        said = run("chat", "--kb", "acme", "--json", stdin="How do I create a role?\nand why?\n/new\n\nthanks\n")
        rows = [json.loads(line) for line in said.stdout.splitlines()]
        shown = run("prompts", "show", "answer", "--question", "How do I create a role?", "--kb", "acme")

        assert said.exit_code == shown.exit_code == 0
        assert [row["routing"] for row in rows[2:]] == ["irrelevant"]
        assert rows[0]["conversation_id"] == rows[1]["conversation_id"] != rows[2]["conversation_id"]
        assert rows[1]["standalone"] != "and why?"
        assert "How do I create a role?" in shown.stdout

    def test_questions_to_go_on_with_are_tried_and_kept(self, desk: Path) -> None:
        run("ingest", "articles", "--kb", "acme")

        found = data("kb", "suggestions", "acme", "--json")

        assert len(found) == 2
        assert json.loads((desk / "var/kb/acme/suggestions.json").read_text())["articles"].keys() == found.keys()

    def test_brackets_in_titles_are_shown_as_they_are(self, desk: Path) -> None:
        (desk / "articles" / "roles.md").write_text(ROLES.replace("Custom roles", "Custom roles '[/beta]'"))
        run("ingest", "articles", "--kb", "acme")

        assert run("ask", "How do I create a role?", "--kb", "acme").exit_code == 0

    def test_knowledge_bases_are_listed_shown_and_dropped(self) -> None:
        run("ingest", "articles", "--kb", "acme")
        (row,) = data("kb", "list", "--json")

        assert (row["kb"], row["passages"], row["complete"]) == ("acme", 2, True)
        assert "acme" in run("kb", "list").stdout
        assert "roles" in run("kb", "show", "acme").stdout
        assert run("kb", "drop", "acme", stdin="n\n").exit_code == 1
        assert run("kb", "drop", "acme", "--yes").exit_code == 0
        assert data("kb", "list", "--json") == []
        assert not Path("var/kb/acme").exists()
        with pytest.raises(KnowledgeError, match="there is no knowledge base 'acme'"):
            run("kb", "drop", "acme", "--yes")

    def test_versions_are_listed_compared_and_gone_back_to(self, desk: Path) -> None:
        run("ingest", "articles", "--kb", "acme")
        (desk / "articles" / "new.md").write_text("A new article.")
        (desk / "articles" / "refund.md").unlink()
        report = data("ingest", "articles", "--kb", "acme", "--json")

        assert (report["version"], report["added"], report["changed"], report["removed"]) == (2, 1, 0, 1)
        rows = data("kb", "versions", "--kb", "acme", "--json")
        assert [(row["number"], row["current"], row["articles"]) for row in rows] == [(2, True, 2), (1, False, 2)]
        assert data("kb", "diff", "1", "2", "--kb", "acme", "--json") == {
            "added": ["new"], "changed": [], "removed": ["refund"]
        }  # fmt: skip
        assert "version 1 is current" in run("kb", "rollback", "--kb", "acme").stderr
        assert {row["article"] for row in data("kb", "show", "acme", "--json")} == {"refund", "roles"}
        with pytest.raises(KnowledgeError, match=r"no version 7 \(it has 2, 1\)"):
            run("kb", "rollback", "7", "--kb", "acme")

    @pytest.mark.usefixtures("listening_to_ctrl_c")
    def test_an_interrupted_run_goes_on_where_it_stopped(self, desk: Path) -> None:
        total = 400
        (desk / "many").mkdir()
        for number in range(total):
            (desk / "many" / f"a{number}.md").write_text(f"Article {number} says something about plans and prices.")

        with subprocess.Popen(command("ingest", "many", "--kb", "acme"), stderr=subprocess.PIPE, text=True) as process:
            wait_for_passages(desk / "var" / "kb" / "acme" / "versions" / "1" / "chroma" / "chroma.sqlite3")
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=30)

        assert process.returncode == 130
        assert "Traceback" not in errors
        assert data("kb", "list", "--json")[0]["complete"] is False
        report = data("ingest", "many", "--kb", "acme", "--json")
        assert 0 < report["embedded"] < total
        assert report["added"] == report["passages"] == total


def wait_for_passages(database: Path, seconds: float = 240) -> None:
    """Until the first batch has been written."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
            try:
                if connection.execute("select count(*) from embeddings").fetchone()[0]:
                    return
            finally:
                connection.close()
        except sqlite3.OperationalError:
            pass
        time.sleep(0.05)
    raise AssertionError("nothing was written")
