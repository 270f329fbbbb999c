"""The words the product says by itself, per language, with the operator's brand filled in."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files


class Wording:
    """Texts of one language; `say("nonsense")` fills in the brand."""

    def __init__(self, texts: Mapping[str, str], brand: str, lang: str = "en") -> None:
        self._texts = texts
        self._brand = brand
        self.lang = lang

    def say(self, key: str, **values: str) -> str:
        return self._texts[key].format(brand=self._brand, **values)

    def into(self, lang: str) -> Wording:
        """The same words for a visitor who speaks `lang`."""
        return self if lang == self.lang else load_wording(self._brand, lang)

    def either(self, items: list[str]) -> str:
        """`a, b or c`."""
        return items[0] if len(items) == 1 else ", ".join(items[:-1]) + self._texts["either"] + items[-1]

    def language(self, lang: str) -> str:
        """The name of `lang` in this language; the code itself where there is none."""
        return self._texts.get(f"language_{lang}", lang)


@cache
def load_wording(brand: str, lang: str = "en") -> Wording:
    """Texts in `lang`; English where the language is not there."""
    folder = files("handrail") / "lang"
    spoken = lang if lang.isalpha() and lang.islower() and (folder / f"{lang}.toml").is_file() else "en"
    texts = tomllib.loads((folder / f"{spoken}.toml").read_text(encoding="utf-8"))
    return Wording(texts, brand, spoken)
