"""`.env.example` names every variable an operator may set."""

from __future__ import annotations

import re
from pathlib import Path

from dotenv import dotenv_values

from handrail.settings import WELL_KNOWN, load_settings

EXAMPLE = Path(__file__).parents[2] / ".env.example"
LINES = EXAMPLE.read_text(encoding="utf-8").splitlines()
VARIABLE = re.compile(r"^#?([A-Z][A-Z_]+)=(.*)$")


def test_every_name_is_there() -> None:
    names = {match[1] for line in LINES if (match := VARIABLE.match(line))}

    assert set(WELL_KNOWN) | {"HANDRAIL_CONFIG", "HANDRAIL_CACHE"} <= names
    assert any(name.startswith("HANDRAIL__") for name in names)


def test_each_variable_is_explained_above() -> None:
    for above, line in zip(["", *LINES], LINES, strict=False):
        if VARIABLE.match(line):
            assert above.startswith("# "), line


def test_the_file_as_it_is_changes_nothing() -> None:
    assert not any(dotenv_values(EXAMPLE).values())


def test_the_examples_load_once_they_are_uncommented(tmp_path: Path) -> None:
    copy = tmp_path / ".env"
    copy.write_text("\n".join(re.sub(r"^#(?=[A-Z])", "", line) for line in LINES), encoding="utf-8")
    values = {name: value for name, value in dotenv_values(copy).items() if value}
    config = tmp_path / values.pop("HANDRAIL_CONFIG")
    config.write_text("")

    settings = load_settings(config, values)

    for name, (section, key) in WELL_KNOWN.items():
        assert values[name] and getattr(getattr(settings, section), key), name
    assert settings.llm.configured
    assert settings.observe.langfuse_configured
