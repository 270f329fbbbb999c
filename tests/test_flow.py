"""The drawing of the pipeline is of the pipeline there is."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from handrail.flow import INFRASTRUCTURE, document, mermaid, steps
from handrail.settings import Settings
from handrail.turn.stages import Stages

DRAWN = Path(__file__).parents[1] / "docs" / "pipeline.md"


def test_the_drawing_is_current() -> None:
    assert DRAWN.read_text(encoding="utf-8") == document(Settings()), "run `handrail docs flow`"


def test_every_stage_is_drawn() -> None:
    drawn = {step.stage for step in steps(Settings()) if step.stage}

    assert {field.name for field in fields(Stages)} - INFRASTRUCTURE == drawn


def test_a_switch_that_is_on_is_solid() -> None:
    on = Settings.model_validate({"deep": {"cache": True, "correction": "local"}})

    assert 'deep.cache</small>"]:::off' in mermaid(Settings())
    assert 'deep.cache</small>"]:::off' not in mermaid(on)
    assert "rounds used up" in mermaid(on)
