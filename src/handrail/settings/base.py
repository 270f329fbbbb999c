"""What every group of settings is."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Section(BaseModel):
    """A group of settings; unknown keys are mistakes and are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)
