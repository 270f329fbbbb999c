"""Settings laid over others, and those that ask nobody."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from handrail.errors import SettingsError
from handrail.settings import Settings, alone, assigned, overlaid


def test_only_what_is_named_changes() -> None:
    first = Settings.model_validate({"server": {"port": 9000, "turn_deadline_s": 12.0}})

    other = overlaid(first, {"server": {"port": 9001}})

    assert other == Settings.model_validate({"server": {"port": 9001, "turn_deadline_s": 12.0}})
    assert first.server.port == 9000


def test_bounds_are_checked_again() -> None:
    with pytest.raises(ValidationError):
        overlaid(Settings(), {"server": {"port": -1}})


def test_values_given_as_text_are_read_as_in_the_environment() -> None:
    values = assigned(["llm.model=a=b", "brand.link_hosts=['acme.com']", "rewrite.llm=true", "llm.retries=2"])

    assert values == {
        "llm": {"model": "a=b", "retries": "2"},
        "brand": {"link_hosts": ["acme.com"]},
        "rewrite": {"llm": True},
    }
    assert overlaid(Settings(), values).llm.retries == 2


@pytest.mark.parametrize("given", ["llm.model", "model=x", "nowhere.model=x"])
def test_a_value_without_its_section_is_refused(given: str) -> None:
    with pytest.raises(SettingsError, match=r"isn't SECTION\.NAME=VALUE"):
        assigned([given])


def test_alone_names_no_model_whatever_was_set() -> None:
    asking = Settings.model_validate(
        {
            "llm": {"base_url": "http://127.0.0.1:9/v1", "model": "big"},
            "decisions": {"model": "system-one:judge", "base_url": "http://127.0.0.1:9"},
            "classify": {"mode": "llm"},
            "generate": {"answerer": "llm", "critique": "llm"},
            "memory": {"rewrite": "llm"},
            "rewrite": {"llm": True},
            "verify": {"llm": "on"},
        }
    )

    quiet = alone(asking)

    assert not quiet.llm.configured and not quiet.decisions.remote
    assert quiet.classify.mode == "local" and quiet.memory.rewrite == "local" and not quiet.rewrite.llm
    assert (quiet.generate.answerer, quiet.generate.critique, quiet.verify.llm) == ("extractive", "off", "off")
