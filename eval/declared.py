"""Files that say what is measured, in TOML: read and checked, with errors that say where."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from handrail.errors import PermanentError

M = TypeVar("M", bound=BaseModel)


class Strict(BaseModel):
    """A part of such a file; what it does not know is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def declared(path: Path, model: type[M], wrong: type[PermanentError]) -> M:
    """Raises `wrong` naming the file, and the place in it."""
    try:
        return model.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise wrong(f"{path}: {error}") from None
    except ValidationError as error:
        first = error.errors()[0]
        raise wrong(f"{path}: {'.'.join(str(part) for part in first['loc'])}: {first['msg']}") from None
