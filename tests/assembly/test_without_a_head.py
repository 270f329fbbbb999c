"""An encoder that no classifier head was trained with: chosen on purpose, and then everything starts without one."""

from __future__ import annotations

import pytest

from handrail.assembly.stages import has_head, local_classifier
from handrail.assembly.suggesting import _local
from handrail.errors import SettingsError
from handrail.settings import Settings
from handrail.understand.classify.encoder import ByEncoder

OTHER = "multilingual-e5-small-q4"


def settings(mode: str, embedder: str = OTHER) -> Settings:
    return Settings.model_validate({"models": {"embedder": embedder}, "classify": {"mode": mode}})


@pytest.mark.parametrize("mode", ["off", "llm"])
def test_without_a_head_every_message_is_a_question_where_the_settings_say_so(mode: str) -> None:
    assert isinstance(local_classifier(settings(mode)), ByEncoder)
    assert _local(settings(mode)).classify.mode == "off"


@pytest.mark.parametrize("mode", ["local", "cascade"])
def test_else_it_is_said_what_to_do(mode: str) -> None:
    with pytest.raises(SettingsError, match="use classify"):
        local_classifier(settings(mode))


def test_the_default_encoder_has_its_head() -> None:
    assert has_head(Settings())
    assert _local(Settings()).classify.mode == "local"
    assert not has_head(settings("off", Settings().models.embedder))
