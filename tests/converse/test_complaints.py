"""Messages that only say an answer missed the point, told from those that go on."""

from __future__ import annotations

import pytest

from handrail.converse.complaints import complaint_removed, only_complains


@pytest.mark.parametrize(
    "text",
    [
        "that's not what I asked",
        "useless",
        "no, useless answer",
        "you didn't answer my question!",
        "This isn't helpful at all.",
        "not my question!!",
        "you misunderstood me",
        "that has nothing to do with my question",
        "wrong article",
        "that's something completely different",
        "this is unrelated",
        "off-topic!",
    ],
)
def test_a_bare_complaint(text: str) -> None:
    assert only_complains(text)


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("not what I asked. I already uploaded my passport", "I already uploaded my passport"),
        ("That's wrong, how do I change it?", "how do I change it?"),
        ("not what i want, i want a refund", "i want a refund"),
    ],
)
def test_what_comes_after_a_complaint_is_kept(text: str, rest: str) -> None:
    assert complaint_removed(text) == (rest, True)


@pytest.mark.parametrize(
    "text",
    [
        "wrong PIN entered",
        "it's not working",
        "it isn't the right card",
        "not right now",
        "useless feature, how do I remove it",
        "unrelated question: how do I pay",
        "Unrelated: how do I pay?",
        "Something different: can I pay yearly?",
        "off topic, but do you ship to Norway",
        "no I meant the other one",
        "is it wrong to refund twice?",
    ],
)
def test_words_of_complaint_that_are_none(text: str) -> None:
    assert complaint_removed(text) == (text, False)
