"""Messages a rule decides, and the rest, which it leaves alone."""

from __future__ import annotations

import numpy as np
import pytest

from handrail.classify.known import KnownMessages
from handrail.classify.worded import ByWords
from handrail.types import Classification, Label, Probe
from tests.stages import ask, understood

pytestmark = pytest.mark.anyio

NOWHERE = Probe(np.zeros(3, dtype=np.float32))


async def classify(text: str) -> Classification:
    known = KnownMessages(ByWords(), ["Plans and billing"], ["Compare the plans"])
    return await known.classify(ask(text), NOWHERE)


@pytest.mark.parametrize("text", ["hi", "Hello!", "good morning", "Guten Tag", "Hey there", "привет"])
async def test_a_greeting_is_greeted(text: str) -> None:
    found = await classify(text)

    assert (found.label, found.by, found.rule) == (Label.NONSENSE, "rule", "greeting")


@pytest.mark.parametrize("text", ["thanks", "Thank you so much!", "merci"])
async def test_thanks_are_thanks(text: str) -> None:
    assert (await classify(text)).rule == "thanks"


async def test_a_chip_that_was_offered_is_understood_whatever_its_case() -> None:
    topic, title = await classify("plans and billing"), await classify("Compare the plans?")

    assert (topic.label, topic.rule) == (Label.ANSWERABLE, "topic")
    assert (title.label, title.rule) == (Label.ANSWERABLE, "title")


@pytest.mark.parametrize("text", ["hi, how do I get a refund", "thanks for nothing, cancel my plan", "history", ""])
async def test_anything_longer_is_left_to_the_classifier(text: str) -> None:
    assert (await classify(text)).rule is None


@pytest.mark.parametrize(
    "text",
    [
        "can I talk to someone?",
        "I want to speak to a human",
        "get me a human",
        "Human please!",
        "please connect me to a real person",
        "Ich möchte mit einem Mitarbeiter sprechen",
        "je veux parler à quelqu'un",
        "Quiero hablar con una persona",
        "хочу поговорить с человеком",
    ],
)
async def test_the_wish_for_a_person_is_understood_without_a_model(text: str) -> None:
    found = await classify(text)

    assert (found.label, found.rule) == (Label.OUT_OF_SCOPE, "person")


@pytest.mark.parametrize(
    "text", ["How do I add a person to my team?", "can customers talk to my staff?", "agent roles", "I want a refund"]
)
async def test_a_question_about_people_is_a_question(text: str) -> None:
    assert (await classify(text)).rule is None


@pytest.mark.parametrize("text", ["ok thx", "okay thanks!", "Vielen Dank", "muchas gracias", "شكرا"])
async def test_more_ways_to_say_thanks(text: str) -> None:
    assert (await classify(text)).rule == "thanks"


@pytest.mark.parametrize(
    "text",
    ["i need help", "Help!", "can you help me please?", "I have a question", "hilfe", "ayuda", "помогите", "I'm stuck"],
)
async def test_who_wants_help_and_does_not_say_with_what_is_understood(text: str) -> None:
    found = await classify(text)

    assert (found.label, found.rule) == (Label.ANSWERABLE, "help")


@pytest.mark.parametrize(
    "text",
    [
        "nothing works",
        "It still doesn't work!!",
        "not working",
        "everything is broken",
        "Es geht nicht",
        "nichts funktioniert mehr",
        "ça ne marche pas",
        "no funciona",
        "não funciona",
        "ничего не работает",
        "لا يعمل",
    ],
)
async def test_who_says_only_that_it_fails_is_asked_what(text: str) -> None:
    found = await classify(text)

    assert (found.label, found.rule) == (Label.ANSWERABLE, "help")


@pytest.mark.parametrize("text", ["the checkout doesn't work", "es geht", "funciona", "it works", "my site is down"])
async def test_what_fails_or_that_nothing_does_is_left_to_the_classifier(text: str) -> None:
    assert (await classify(text)).rule != "help"


@pytest.mark.parametrize(
    "text",
    [
        "help with billing",
        "I need help with my domain",
        "I have a problem with a refund",
        "a stuck build",
        "can u help me log in",
    ],
)
async def test_help_with_something_is_left_to_the_classifier(text: str) -> None:
    assert (await classify(text)).rule is None


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("thanks, that worked", "thanks"),
        ("Got it!", "thanks"),
        ("ok thank you, I'll try that", "thanks"),
        ("that's all, thanks for the quick answer", "thanks"),
        ("I see", "thanks"),
        ("Danke, das hat geholfen", "thanks"),
        ("merci beaucoup, ça marche", "thanks"),
        ("спасибо, теперь понятно", "thanks"),
        ("never mind", "no"),
        ("forget it", "no"),
        ("I don't understand that", "help"),
    ],
)
async def test_a_word_after_an_answer_is_no_serious_matter(text: str, rule: str) -> None:
    assert (await classify(text)).rule == rule


@pytest.mark.parametrize(
    "text",
    [
        "that helped but now the invite fails",
        "it works for Anna only",
        "good question",
        "how does it work",
        "bye bye money",
        "I will try to cancel",
        "I don't understand the invoice",
        "forget it, cancel my plan",
    ],
)
async def test_what_says_more_than_that_is_left_to_the_classifier(text: str) -> None:
    assert (await classify(text)).rule is None


def heard(crisis: float = 0.1, person: float = 0.1) -> Probe:
    return Probe(np.zeros(3, dtype=np.float32), understood=understood(crisis=crisis, person=person))


async def test_despair_that_is_heard_is_high_stakes_whatever_else_is_said() -> None:
    known = KnownMessages(ByWords(), ["Plans and billing"], [])

    found = await known.classify(ask("all is dark, how do I add a domain"), heard(crisis=0.8, person=0.9))
    hardly = await known.classify(ask("all is dark, how do I add a domain"), heard(crisis=0.2))
    chip = await known.classify(ask("Plans and billing"), heard(crisis=0.8))

    assert (found.label, found.probability, found.rule) == (Label.HIGH_STAKES, 0.8, "crisis")
    assert hardly.label is Label.ANSWERABLE and chip.rule == "topic"


async def test_a_wish_for_a_person_that_is_heard_is_one_unless_the_message_is_serious() -> None:
    known = KnownMessages(ByWords(), [], ["Contact us by phone"])

    wish = await known.classify(ask("حولني إلى أي زميل"), heard(person=0.8))
    hardly = await known.classify(ask("حولني إلى أي زميل"), heard(person=0.2))
    serious = await known.classify(ask("cancel my plan, let me speak to your manager"), heard(person=0.8))

    assert (wish.label, wish.probability, wish.rule) == (Label.OUT_OF_SCOPE, 0.8, "person")
    assert hardly.rule is None
    assert (serious.label, serious.rule) == (Label.HIGH_STAKES, None)
