"""A visitor may name one address, written plainly; whatever a header could read as more is refused."""

from __future__ import annotations

import re
from email.message import EmailMessage

import pytest

from api.fields import EMAIL
from handrail.desk.outbox import Notification, Undeliverable
from handrail.desk.outbox.address import one_address
from handrail.desk.outbox.channels.mail import compose

GOOD = [
    "ada@example.com",
    "ada.lovelace+chat@mail.example.co.uk",
    "o'brien_7@example.com",
    "ada@müller.example",
    "ada@xn--mller-kva.example",
    "a" * 64 + "@example.com",
]
BAD = [
    "ada",
    "ada@example",
    "ada@example.com,bob@example.com",
    "ada@example.com;bob@example.com",
    "ada,bob@example.com",
    "<ada@example.com>",
    "Ada <ada@example.com>",
    "ada@example.com>",
    '"Your account is locked" <ada@example.com>',
    '"your account is locked"@example.com',
    "ada(locked)@example.com",
    "ada@[192.0.2.1]",
    "ada@example.com\n",
    "ada@example.com\r\nBcc: bob@example.com",
    "ada\r\n@example.com",
    " ada@example.com",
    "ada @example.com",
    "ada@exam\u2028ple.com",
    "ada@example.com\x00",
    "ada@bob@example.com",
    "bob%example.org@example.com",
    "example.org!bob@example.com",
    "=?utf-8?q?ada?=@example.com",
    "friends: ada@example.com;",
    "mailto:ada@example.com",
    "ada@example.com?bcc=bob@example.com",
    "ada..b@example.com",
    ".ada@example.com",
    "ada@-example.com",
    "ada@example..com",
    "ada@example.com.",
    "аda@example.com",
    "a" * 65 + "@example.com",
    "ada@" + "a" * 250 + ".com",
]


@pytest.mark.parametrize("address", GOOD)
def test_one_plain_address_is_taken_as_it_is(address: str) -> None:
    assert one_address(address) == address
    assert re.fullmatch(EMAIL, address)
    assert len(letter_to(address)["To"].addresses) == 1


@pytest.mark.parametrize("address", BAD)
def test_anything_else_is_refused_with_what_to_change(address: str) -> None:
    with pytest.raises(ValueError, match=r"one e-mail address such as name@example\.com"):
        one_address(address)


@pytest.mark.parametrize("to", [["a@example.com, b@example.com"], ["a@example.com", "b@example.com"], [], ["a b@c.d"]])
def test_a_letter_has_exactly_one_recipient(to: list[str]) -> None:
    with pytest.raises(Undeliverable):
        compose(
            Notification("l-1", "acme", "mail", "x", {"to": to, "subject": "Hi", "text": "Hi"}, 1, 0.0),
            "d@acme.example",
        )


def test_a_header_of_two_lines_is_refused() -> None:
    payload = {"to": ["ada@example.com"], "subject": "Hi\r\nBcc: bob@example.com", "text": "Hi"}

    with pytest.raises(Undeliverable):
        compose(Notification("l-1", "acme", "mail", "x", payload, 1, 0.0), "d@acme.example")


def test_an_international_domain_is_written_as_mail_servers_know_it() -> None:
    assert str(letter_to("ada@müller.example")["To"]) == "ada@xn--mller-kva.example"


def letter_to(address: str) -> EmailMessage:
    payload = {"to": [address], "subject": "Hi", "text": "Hi"}
    return compose(Notification("l-1", "acme", "mail", address, payload, 1, 0.0), "desk@acme.example")
