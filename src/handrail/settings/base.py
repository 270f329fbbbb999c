"""What every group of settings is."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field


def _one_line(value: str) -> str:
    """A name stands in headers of e-mails and in logs, too."""
    if not value.isprintable():
        raise ValueError("write it in one line, without control characters")
    return value


Line = Annotated[str, AfterValidator(_one_line)]
Probability = Annotated[float, Field(ge=0.0, le=1.0)]


class Section(BaseModel):
    """A group of settings; unknown keys are mistakes and are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def advanced(default: Any, **given: Any) -> Any:
    """A `Field` that most installations leave alone: `docs/settings.md` lists it, `config.toml` does not."""
    return Field(default, json_schema_extra={"advanced": True}, **given)
