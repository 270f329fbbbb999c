"""The fitted files that ship in `bundle/`: what they are, and whether they are still as they shipped.

`bundle/CARD.md` tells what each learnt from, how well it does, and where its limits are.
"""

from __future__ import annotations

import hashlib
import tomllib
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

LIST = "bundle.toml"
UNLISTED = frozenset({LIST, "CARD.md"})


@dataclass(frozen=True, slots=True)
class Bundle:
    version: str
    """The day it was made; two bundles of one day differ by a letter."""
    sha256: dict[str, str]
    """By file name."""
    where: Traversable

    @property
    def changed(self) -> list[str]:
        """Files that are missing, not listed, or not as they shipped; in order of name."""
        here = {one.name: digest(one) for one in self.where.iterdir() if one.is_file() and one.name not in UNLISTED}
        return sorted(name for name in here.keys() | self.sha256.keys() if here.get(name) != self.sha256.get(name))


def bundle(where: Traversable | None = None) -> Bundle:
    """What `bundle.toml` says, of the files that ship or of those in another folder."""
    where = where or folder()
    read: dict[str, Any] = tomllib.loads((where / LIST).read_text(encoding="utf-8"))
    return Bundle(read["version"], dict(read["sha256"]), where)


def folder() -> Traversable:
    return files("handrail.models") / "bundle"


def digest(file: Traversable) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
