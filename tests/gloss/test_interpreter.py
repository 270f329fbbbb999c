"""Which language a message is in by the words it has; English stays as it is."""

from __future__ import annotations

from collections import Counter
from importlib.resources import files

import pytest

from handrail.gloss import Interpreter, gloss, languages
from handrail.gloss.words import SNOWBALL

WORDS = "connect domain app password invoice order plan cancel refund business brief gift chef"


@pytest.fixture
def interpreter() -> Interpreter:
    return Interpreter(WORDS.split(" "))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Wie verbinde ich meine Domain?", {"how", "connect", "domain"}),
        ("passwort vergessen", {"password"}),
        ("Domain verbinden", {"domain", "connect"}),
        ("Comment rembourser une commande ?", {"refund", "order"}),
        ("¿Cómo cancelo mi pedido?", {"cancel", "order"}),
        ("come annullo la mia prenotazione", {"cancel", "booking"}),
        ("hoe krijg ik mijn geld terug", {"money"}),
        ("jak zmienić hasło", {"change", "password"}),
        ("Quanto custa o plano Business?", {"plan", "business"}),
        ("Как подключить свой домен?", {"connect", "domain"}),
        ("hur kopplar jag min domän", {"connect", "domain"}),
        ("Hur ändrar jag mitt lösenord?", {"change", "password"}),
        ("hvordan ændrer jeg min adgangskode", {"change", "password"}),
        ("hvor finder jeg min faktura", {"invoice"}),
        ("jak si změním heslo", {"change", "password"}),
        ("kde najdu svoje faktury", {"invoice"}),
        ("كيف أسترد أموالي؟", {"refund"}),
        ("ازاي اربط الدومين بتاعي", {"connect", "domain"}),
    ],
)
def test_other_languages_are_read_in_english(text: str, words: set[str], interpreter: Interpreter) -> None:
    read = interpreter.read(text).lower().strip("?").split()

    assert words & set(read), read


@pytest.mark.parametrize(
    "text",
    [
        "How do I connect my domain?",
        "cancel",
        "brief gift for the chef",
        "cancle plan",
        "is Müller in?",
        "",
        "4711",
        "asdf jkl qwer",
        "วิธีเปลี่ยนรหัสผ่าน",
        "Nasıl iptal ederim?",
    ],
)
def test_english_and_what_has_no_word_list_stay(text: str, interpreter: Interpreter) -> None:
    assert interpreter.read(text) == text


def test_each_language_has_a_list_that_can_be_used() -> None:
    assert languages() == {*SNOWBALL, "ar", "cs", "pl"}


@pytest.mark.parametrize("lang", sorted({*SNOWBALL, "ar", "cs", "pl"}))
def test_each_line_is_an_entry_and_no_form_stands_twice(lang: str) -> None:
    lines = (files("handrail.gloss") / f"{lang}.txt").read_text(encoding="utf-8").splitlines()
    entries = [line for line in lines if line.strip() and not line.startswith("#")]
    forms = Counter(form.strip() for line in entries for form in line.partition(">")[0].split(",") if form.strip())

    assert [line for line in entries if line.count(">") != 1] == []
    assert [form for form, times in forms.items() if times > 1] == []
    assert len(entries) > 1000
    assert gloss(lang).read("") == ""
