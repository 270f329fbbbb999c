"""`handrail init`: from an empty folder to an assistant that speaks for one company."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from handrail.cli.app import app
from handrail.errors import KnowledgeError, SettingsError
from handrail.settings import WELL_KNOWN, load_settings
from handrail.settings.load import PROFILE

LARCHFIELD = Path(__file__).parents[1] / "assembly" / "larchfield"
OPTIONS = (
    "--company", "Larchfield Tool Library", "--offers", "Tools to borrow.", "--articles", str(LARCHFIELD),
    "--languages", "en", "--person", "shed@larchfield.example",
)  # fmt: skip


@pytest.fixture(autouse=True)
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [name for name in os.environ if name in WELL_KNOWN or name.startswith("HANDRAIL_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, arguments)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result.stdout


def contents(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir() if path.is_file()}


def test_a_folder_becomes_a_profile_of_that_company_alone(desk: Path) -> None:
    said = run("init", "shop", *OPTIONS)

    made = contents(desk / "shop")
    assert set(made) == {"config.toml", ".env", ".gitignore"}
    assert stat.S_IMODE((desk / "shop" / ".env").stat().st_mode) == 0o600
    assert {".env", "var/"} <= set(made[".gitignore"].split())
    assert "tillwick" not in "".join(made.values()).casefold()
    assert "handrail sync" in said
    settings = load_settings(desk / "shop" / "config.toml", {})
    assert (settings.brand.name, settings.knowledge.kb) == ("Larchfield Tool Library", "larchfield-tool-library")
    assert settings.sources[0].where == str(LARCHFIELD)
    assert len(settings.brand.topics) == len(settings.brand.suggestions) == 3


def test_doing_it_again_changes_nothing_and_force_keeps_secrets_and_the_old_file(desk: Path) -> None:
    run("init", *OPTIONS)
    before = contents(desk)

    run("init", *OPTIONS, "--company", "Another")
    assert contents(desk) == before

    run("init", *OPTIONS, "--company", "Another", "--force")
    after = contents(desk)
    assert 'name = "Another"' in after["config.toml"]
    assert (after["config.toml.old"], after[".env"]) == (before["config.toml"], before[".env"])


def test_answers_may_come_from_a_file_and_options_are_stronger(desk: Path) -> None:
    answers = {"company": "Acme", "offers": "Lockers.", "articles": str(LARCHFIELD), "languages": ["en"]}
    (desk / "answers.toml").write_text("\n".join(f"{key} = {json.dumps(value)}" for key, value in answers.items()))

    run("init", "--answers", "answers.toml", "--company", "Other", "--person", "nobody")

    assert load_settings(desk / "config.toml", {}).brand.name == "Other"


def test_what_is_missing_is_named_where_nobody_can_be_asked(desk: Path) -> None:
    with pytest.raises(SettingsError, match="--offers, --articles, --person"):
        run("init", "--company", "Acme")
    assert list(desk.iterdir()) == []


def test_a_folder_of_articles_that_is_not_there_writes_nothing(desk: Path) -> None:
    with pytest.raises((SettingsError, KnowledgeError), match="no such file or folder"):
        run("init", *OPTIONS, "--articles", "absent")
    assert list(desk.iterdir()) == []


def test_in_a_terminal_what_is_missing_is_asked(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def prompt(text: str, default: Any = None) -> Any:
        asked.append(text)
        return default or "Larchfield"

    monkeypatch.setattr("handrail.cli.init.sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("handrail.cli.init.typer.prompt", prompt)
    from handrail.cli.init import init

    init(desk / "shop", articles=str(LARCHFIELD), person="nobody")

    assert len(asked) == 3
    assert load_settings(desk / "shop" / "config.toml", {}).brand.name == "Larchfield"


@pytest.mark.models
def test_the_profile_answers_from_its_own_articles_and_the_doctor_finds_nothing_of_the_sample(desk: Path) -> None:
    run("init", *OPTIONS)
    run("sync")

    turn = json.loads(run("ask", "How much is a library card?", "--json"))
    found = {item["name"]: item for item in json.loads(run("doctor", "--json"))["findings"]}

    assert turn["citations"][0]["id"].startswith("membership:get-a-library-card")
    assert "24 pounds" in turn["answer"]
    assert found["branding"]["state"] == "ok"
    assert "demo mode" not in found
    assert not any(item["state"] == "problem" for item in found.values())
    assert PROFILE.is_file()
