"""Who a message is about."""

from __future__ import annotations

import pytest

from handrail.asking import asked_for_others, asks_another, speaks_of_himself


@pytest.mark.parametrize(
    ("text", "himself"),
    [
        ("forgot my password", True),
        ("my customers forgot", False),
        ("reset a password", False),
        ("can she see me?", False),
    ],
)
def test_who_says_i_and_names_nobody_else_speaks_of_himself(text: str, himself: bool) -> None:
    assert speaks_of_himself(text) is himself


@pytest.mark.parametrize(
    ("heading", "others"),
    [
        ("A customer has forgotten it. What now?", True),
        ("For guests", False),
        ("Customers", False),
        ("Is it free?", False),
    ],
)
def test_a_question_about_a_customer_is_one_for_others(heading: str, others: bool) -> None:
    assert asked_for_others(heading) is others


@pytest.mark.parametrize(
    ("heading", "message", "another"),
    [
        ("Can I schedule a page?", "can i have a blog", True),
        ("Does a subdomain cost anything?", "is there a dark mode", True),
        ("Can I have several blogs?", "can i have a blog", False),
        ("Can I schedule a page?", "how do i schedule a page", False),
        ("Where is my page?", "can i have a blog", False),
        ("Schedule a page", "can i have a blog", False),
    ],
)
def test_another_yes_or_no_is_no_answer(heading: str, message: str, another: bool) -> None:
    assert asks_another(heading, message) is another
