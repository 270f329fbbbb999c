"""The product's own words."""

from __future__ import annotations

import re
import string
import tomllib
from importlib.resources import files

import pytest

from handrail.types import Routing
from handrail.wording import Wording, load_wording

FOLDER = files("handrail") / "lang"
LANGUAGES = sorted(entry.name.removesuffix(".toml") for entry in FOLDER.iterdir() if entry.name.endswith(".toml"))


def texts(lang: str) -> dict[str, str]:
    return tomllib.loads((FOLDER / f"{lang}.toml").read_text(encoding="utf-8"))


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_the_brand_and_values_are_filled_in() -> None:
    wording = Wording({"hello": "{brand} says {what}."}, "Acme {Ltd}")

    assert wording.say("hello", what="{hi}") == "Acme {Ltd} says {hi}."


@pytest.mark.parametrize("lang", ["xx", "", "../lang/en", "EN"])
def test_a_language_that_is_not_there_is_english(lang: str) -> None:
    assert load_wording("Acme", lang).say("unavailable") == load_wording("Acme").say("unavailable")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_language_says_everything_with_the_same_values(lang: str) -> None:
    english = texts("en")

    assert texts(lang).keys() == english.keys()
    assert {key: fields(text) for key, text in texts(lang).items()} == {
        key: fields(text) for key, text in english.items()
    }


@pytest.mark.parametrize(
    "routing", [Routing.NONSENSE, Routing.IRRELEVANT, Routing.OUT_OF_SCOPE, Routing.FOLLOWUP, Routing.UNAVAILABLE]
)
def test_a_routing_with_fixed_words_has_them(routing: Routing) -> None:
    said = load_wording("Acme").say(routing.value)

    assert said
    assert "{" not in said


@pytest.mark.parametrize(("lang", "quoted"), [("en", "“A”"), ("de", "„A“"), ("fr", "«\u00a0A\u00a0»"), ("ru", "«A»")])
def test_titles_stand_in_the_quotation_marks_of_the_language(lang: str, quoted: str) -> None:
    assert load_wording("Acme", lang).quoted("A") == quoted


def test_a_list_has_the_commas_of_its_script() -> None:
    assert load_wording("Acme", "ar").either(["A", "B", "C"]) == "A، B أو C"


MIXED = {"es": r"\b(?:tu|tus|tú|puedes)\b", "pt": r"\b(?:equipa|registado|por si)\b"}
"""Another form of address, or another country's spelling, than the rest is written in."""


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_language_is_written_in_one_way(lang: str) -> None:
    said = " ".join(texts(lang).values())

    assert lang == "en" or "'" not in said
    assert lang not in MIXED or not re.search(MIXED[lang], said, re.IGNORECASE)
