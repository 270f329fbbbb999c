"""The product's own words."""

from __future__ import annotations

import re
import string
import tomllib
from importlib.resources import files

import pytest

from handrail.turn.wording import MATTERS, PERSON, Wording, load_wording
from handrail.types import Routing
from handrail.types.people import NOBODY, PRESENT

FOLDER = files("handrail.turn") / "languages"
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


SOMEBODY = {
    "en": r"\b(?:person|someone|somebody|colleague|human|agent|team)\b",
    "de": r"\b(?:person|jemand|kolleg\w*|menschen?|mitarbeiter\w*|team)\b",
    "fr": r"\bune personne\b|\bquelqu.un\b|\bcollègue\b|\bconseiller|\béquipe\b",
    "es": r"\b(?:persona|alguien|colega|agente|equipo)\b",
    "pt": r"\b(?:pessoa|alguém|colega|atendente|equipe)\b",
    "ru": r"\b(?:человек|кто-то|сотрудник|коллег|оператор|команд)",
    "ar": r"شخص|زميل|موظف|فريق",
}
SENTENCE = re.compile(r"[.؟?](?:\s|$)")


def mentions_somebody(text: str, lang: str) -> bool:
    return "{brand}" in text or re.search(SOMEBODY[lang], text, re.IGNORECASE) is not None


@pytest.mark.parametrize("lang", LANGUAGES)
def test_what_mentions_a_person_has_a_twin_that_does_not(lang: str) -> None:
    said = texts(lang)

    assert not [key for key in PERSON if f"{key}_alone" not in said]
    assert not [key for key in PERSON if mentions_somebody(said[f"{key}_alone"], lang)]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("matter", MATTERS)
def test_each_serious_matter_is_acknowledged_in_its_own_words(matter: str, lang: str) -> None:
    there, alone = (load_wording("Acme", lang).into(lang, people).acknowledge(matter) for people in (PRESENT, NOBODY))
    others = [load_wording("Acme", lang).acknowledge(other) for other in MATTERS if other != matter]

    assert mentions_somebody(there, lang)
    assert not mentions_somebody(alone, lang)
    assert there not in others
    for said in (there, alone):
        assert 1 <= len(SENTENCE.findall(said)) <= 2
        assert "!" not in said


@pytest.mark.parametrize("matter", [None, "other", "weather", "high_stakes_ack"])
def test_a_matter_without_words_of_its_own_is_acknowledged_in_the_usual_ones(matter: str | None) -> None:
    wording = load_wording("Acme")

    assert wording.acknowledge(matter) == wording.say("high_stakes_ack")


def test_who_may_be_in_danger_is_told_first_to_call_for_help() -> None:
    for people in (PRESENT, NOBODY):
        said = load_wording("Acme").into("en", people).acknowledge("danger")
        assert "emergency number" in SENTENCE.split(said)[0]
