"""`config.toml` shows what an installation decides, and `docs/settings.md` everything else."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from handrail.cli.app import app
from handrail.settings import Knowledge, Settings, load_settings
from handrail.settings.fitted import NUMBERS
from handrail.settings.show import config_file, is_advanced, page, sections

ROOT = Path(__file__).parents[2]
CONFIG = ROOT / "config.toml"
PAGE = ROOT / "docs" / "settings.md"
MOST = 60
FIELDS = {f"{section}.{key}": field for section, model in sections() for key, field in model.model_fields.items()}
PUBLIC = {name for name, field in FIELDS.items() if not is_advanced(field)}


def test_an_installation_has_no_more_to_decide_than_it_can_read() -> None:
    assert len(PUBLIC) <= MOST


def test_the_file_is_what_the_command_prints() -> None:
    assert CONFIG.read_text(encoding="utf-8") == config_file(), "handrail config > config.toml"


def test_the_page_is_what_the_command_prints() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "handrail config --advanced > docs/settings.md"


@pytest.mark.parametrize(("options", "printed"), [([], config_file), (["--advanced"], page)])
def test_the_command_prints_either(options: list[str], printed: type[str]) -> None:
    assert CliRunner().invoke(app, ["config", *options]).stdout == printed()


def test_every_setting_is_in_one_of_the_two_with_its_description() -> None:
    in_file = set(re.findall(r"^(?:\[(?P<section>\w+)\]|# .+\n(?:# )?(?P<key>\w+) =)", config_file(), flags=re.M))
    in_page = set(re.findall(r"^\| `(\w+)` \|", page(), flags=re.M))

    assert {key for _, key in in_file if key} == {name.partition(".")[2] for name in PUBLIC}
    assert in_page == {name.partition(".")[2] for name in FIELDS.keys() - PUBLIC}
    assert all(field.description for field in FIELDS.values())


def test_values_in_the_file_are_the_defaults() -> None:
    assert load_settings(CONFIG, {}, kb="acme") == Settings(knowledge=Knowledge(kb="acme"))


def test_only_keys_without_a_default_are_commented_out() -> None:
    given = {f"{section}.{key}" for section, keys in tomllib.loads(config_file()).items() for key in keys}

    assert PUBLIC - given == {name for name in PUBLIC if FIELDS[name].default is None}


def test_the_page_tells_bounds_words_and_sources() -> None:
    text = page()

    assert "| `top_k` | `5` | >= 1, <= 50 | Passages kept after ranking. |" in text
    assert "| `answered` |  | >= 0.0, <= 1.0 |" in text
    assert '| `policy` | `"remove"` | `remove` or `withdraw` or `flag` |' in text
    assert "| `presence` | `true` | `true` or `false` |" in text
    assert NUMBERS["retrieval.late_weight"].source in text


@pytest.mark.parametrize("name", NUMBERS)
def test_what_was_fitted_comes_with_the_models_and_says_where_from(name: str) -> None:
    assert FIELDS[name].default == NUMBERS[name].value
    assert is_advanced(FIELDS[name])
    assert len(NUMBERS[name].source) > 10


def test_what_is_advanced_can_be_set_as_ever(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("[retrieval]\nlate_weight = 0.1\n[alerts]\npoll_s = 9")

    settings = load_settings(path, {"HANDRAIL__MODELS__THREADS": "4"})

    assert (settings.retrieval.late_weight, settings.alerts.poll_s, settings.models.threads) == (0.1, 9, 4)
