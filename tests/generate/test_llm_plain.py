"""The sieve for uncited words: it stops promises and lets plain acknowledgements through."""

from __future__ import annotations

import pytest

from handrail.generate.plain import without_links, without_promises


@pytest.mark.parametrize(
    "text",
    [
        "You would like to cancel your plan. A person can handle that with you.",
        "You are asking for a refund of your yearly plan. A person can look at it.",
        "You say your card was charged twice. A person should check this with you.",
        "You report that somebody else is using your account.",
        "Choose “Talk to a person”, who will see this conversation.",
    ],
)
def test_plain_words_pass(text: str) -> None:
    assert without_promises(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "You will be refunded soon.",
        "We'll gladly credit your account.",
        "A person can refund you.",
        "Your plan has been cancelled.",
        "We guarantee a reply.",
        "You get a discount.",
        "It takes 14 days.",
        "Sorry to hear that.",
        "We truly understand.",
        "Write to boss@acme.example.",
        "Visit www.acme.example.",
    ],
)
def test_promises_pretence_and_addresses_do_not(text: str) -> None:
    assert without_promises(text) is None


def test_a_language_the_sieve_cannot_read_does_not_pass() -> None:
    assert without_promises("Wir erstatten Ihnen alles.", "de") is None
    assert without_promises("Thank you for telling us.", "en-GB") == "Thank you for telling us."


@pytest.mark.parametrize(
    ("markdown", "plain"),
    [
        ('Open [Settings](https://x.example "t").', "Open Settings."),
        ("See [the guide][1].\n\n[1]: https://x.example", "See the guide.\n"),
        ("Go <javascript:alert(1)>now", "Go now"),
        ("![pixel](https://x.example/p.png?q=1)Done", "Done"),
        ("Press **Save** and wait.", "Press **Save** and wait."),
    ],
)
def test_links_lose_their_targets_and_keep_their_words(markdown: str, plain: str) -> None:
    assert without_links(markdown) == plain
