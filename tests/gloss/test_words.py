"""A word is found as it is listed, by its stem, or in the parts of a compound; what is found nowhere stays."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.gloss.words import Gloss, word_list

GERMAN = """
# verbs
verbinden, verbinde, verbunden > connect
richte … ein, einrichten > set up
würde > would
wurde, wurden > was
geld zurück > refund
geld > money
# nouns
termin, termine > appointment
buchung > booking
kosten > cost
versand > shipping
gebühr > fee
mal, denn >
wie > how
meine > my
"""


def listed(lang: str, text: str) -> Gloss:
    return Gloss(word_list(lang, text.splitlines()))


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("Wie verbinde ich meine Domain?", "how connect ich my Domain?"),
        ("ich verbindest", "ich connect"),
        ("wie richte ich meine App denn ein?", "how set up ich my App?"),
        ("Geld zurück, Geld!", "refund, money!"),
        ("was würde, was wurde", "was would, was was"),
        ("die Gebuehr, die Gebuhr", "die fee, die fee"),
        ("Terminbuchung", "appointment booking"),
        ("Versandkostengebühr TW-3004", "shipping cost fee TW-3004"),
        ("Versandhaus", "Versandhaus"),
        ("E-Mail an foo@example.com.", "E-Mail an foo example.com."),
        ("mal", ""),
        ("", ""),
        ("richte a b c d e f g ein", "richte a b c d e f g ein"),
    ],
)
def test_a_message_is_read_word_by_word(text: str, english: str) -> None:
    assert listed("de", GERMAN).read(text) == english


DANISH = """
hvor, hvordan > how
ændre, ændrer > change
køb, købe, købte > buy
adgangskode > password
på > on
gave > gift
kort > card
"""


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("hvordan ændrer Adgangskode", "how change password"),
        ("aendrer", "change"),
        ("koeb paa", "buy on"),
        ("kob pa", "buy on"),
        ("gavekort", "gift card"),
    ],
)
def test_danish_letters_are_read_however_they_are_typed(text: str, english: str) -> None:
    assert listed("da", DANISH).read(text) == english


def test_elided_words_are_words_and_accents_may_be_missing() -> None:
    french = listed("fr", "l >\nd > of\nétat, états > status\nn … pas > not\nest > is\naujourd hui > today")

    assert french.read("l'etat d’aujourd'hui n'est pas") == "status of today not is"


def test_polish_words_are_found_by_all_but_their_last_letters() -> None:
    polish = listed("pl", "płatność, płatności > payment")

    assert polish.read("platnościom platnosc płat") == "payment payment płat"


def test_a_form_that_is_listed_twice_keeps_its_first_meaning() -> None:
    assert listed("es", "cuenta > account\ncuenta > bill").read("mi cuenta") == "mi account"


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    read = listed("de", GERMAN).read(text)

    assert len(read) <= 20 * len(text)


@pytest.mark.parametrize("hostile", ["richte " * 2000, "kosten" * 2000, "n e " * 2000, "geld" * 9 + " " * 4000])
def test_hostile_text_takes_time_in_proportion_to_its_length(hostile: str) -> None:
    german = listed("de", GERMAN)
    start = time.process_time()
    german.read(hostile)

    assert time.process_time() - start < 1.0
