"""How to reach the company: said by an article where one does, else shown the way to a person."""

from __future__ import annotations

import numpy as np
import pytest

from handrail.classify.known import KnownMessages
from handrail.classify.worded import ByWords
from handrail.reach import asks_how_to_reach, says_how_to_reach
from handrail.types import Label, Probe
from tests.stages import ask


@pytest.mark.parametrize(
    "text",
    [
        "do you have a phone number",
        "What's your phone number?",
        "what is your email address",
        "how can i contact you",
        "How do I contact support?",
        "how to reach customer service",
        "can i call you",
        "Can I email the support team?",
        "is there a phone number I can call",
        "is there an email address for support",
        "contact",
        "contact details please",
        "customer service number",
        "your phone number",
        "how do I get in touch with you by phone",
        "Wie kann ich Sie erreichen?",
        "Haben Sie eine Telefonnummer?",
        "Comment vous contacter ?",
        "¿Cómo puedo contactarlos?",
        "como posso entrar em contato com vocês",
        "Как с вами связаться?",
        "كيف يمكنني التواصل معكم؟",
    ],
)
def test_asks_for_a_way_to_people(text: str) -> None:
    assert asks_how_to_reach(text)


@pytest.mark.parametrize(
    "text",
    [
        "how do i change my phone number",
        "can customers call me",
        "how can I contact a customer",
        "do you have a phone app",
        "is there a phone number field in the booking form",
        "how do I add a contact form",
        "what is the email address of my domain",
        "contact form does not send",
        "how do I contact the courier about my parcel",
        "can i call a number abroad",
        "where do I enter the phone number",
        "do you have a free plan",
        "email support is not answering my refund request",
        "Wie kann ich meine Telefonnummer ändern?",
    ],
)
def test_asks_for_something_else(text: str) -> None:
    assert not asks_how_to_reach(text)


@pytest.mark.parametrize(
    "title", ["Contact us", "How to get in touch", "Reach support", "Kontakt zum Support", "Nous contacter"]
)
def test_an_article_that_says_it(title: str) -> None:
    assert says_how_to_reach(title)


@pytest.mark.parametrize("title", ["Connect your calendar", "Add a contact form", "Import contacts", "Contact form"])
def test_an_article_that_does_not(title: str) -> None:
    assert not says_how_to_reach(title)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("titles", "label", "rule"),
    [(["Plans"], Label.OUT_OF_SCOPE, "person"), (["Plans", "Contact us"], Label.ANSWERABLE, "title")],
)
async def test_without_an_article_a_person_is_shown_and_with_one_it_is_searched(
    titles: list[str], label: Label, rule: str
) -> None:
    known = KnownMessages(ByWords(), [], titles)

    found = await known.classify(ask("Do you have a phone number?"), Probe(np.zeros(3, dtype=np.float32)))

    assert (found.label, found.by, found.rule) == (label, "rule", rule)
