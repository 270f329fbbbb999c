"""The words the product says by itself, per language, with the operator's brand filled in."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib.resources import files


class Wording:
    """Texts of one language; `say("nonsense")` fills in the brand."""

    def __init__(self, texts: Mapping[str, str], brand: str) -> None:
        self._texts = texts
        self._brand = brand

    def say(self, key: str, **values: str) -> str:
        return self._texts[key].format(brand=self._brand, **values)


def load_wording(brand: str, lang: str = "en") -> Wording:
    """Texts in `lang`; English where the language is not there."""
    folder = files("handrail") / "lang"
    path = folder / f"{lang}.toml"
    source = path if path.is_file() else folder / "en.toml"
    return Wording(tomllib.loads(source.read_text(encoding="utf-8")), brand)
