"""Secrets in free text."""

from __future__ import annotations

import time

import pytest

from handrail.text.contacts import without_personal
from handrail.text.redact import redact


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("card 4111 1111 1111 1111 declined", "card [card number removed] declined"),
        ("4111111111111111", "[card number removed]"),
        ("5500-0000-0000-0004, thanks", "[card number removed], thanks"),
        ("4111 1111 1111 1111 12/26 123", "[card number removed] 12/26 [card code removed]"),
        ("order 12 4111 1111 1111 1111", "order 12 [card number removed]"),
        ("amex 3782 822463 10005", "amex [card number removed]"),
        ("4111111111111111 and 5500000000000004", "[card number removed] and [card number removed]"),
        ("IBAN DE89 3704 0044 0532 0130 00 please", "IBAN [IBAN removed] please"),
        ("gb29nwbk60161331926819.", "[IBAN removed]."),
        ("REF AB12 DE89 3704 0044 0532 0130 00 NOW", "REF AB12 [IBAN removed] NOW"),
        ("key sk-proj-abcdefghijklmnopqrst", "key [token removed]"),
        ("token ghp_abcdefghijklmnopqrstuvwxyz0123456789", "token [token removed]"),
        (
            "jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P",
            "jwt [token removed]",
        ),
        ("hash 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b", "hash [token removed]"),
        ("secret aB3dE5fG7hI9jK1lM3nO5pQ7", "secret [token removed]"),
        ("dop_v1_abcdef0123456789abcdef0123456789", "[token removed]"),
        ("npm_abcdefghijklmnopqrstuvwxyz0123456789", "[token removed]"),
        ("SG.ngeVfQFYQlKU0ufo8x5d1A.TwL2iGABf9DHoTf09kqeF8tAmbihYzrnopKc1s5cr", "[token removed]"),
        ("my API key is 7f3a9c21", "my API key is [token removed]"),
        ("AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "AWS_SECRET_ACCESS_KEY=[token removed]"),
        ("Authorization: Basic dXNlcjpwYXNzd29yZDE=", "Authorization: Basic [token removed]"),
        (
            "https://x.example/reset?lang=en&token=abc123def#top",
            "https://x.example/reset?lang=en&token=[token removed]#top",
        ),
        ("postgres://ada:hunter22@db.example/x", "postgres://ada:[password removed]@db.example/x"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE+/a1\nb2\n-----END RSA PRIVATE KEY-----, why?", "[token removed], why?"),
        ("-----BEGIN PRIVATE KEY-----\nMIIE+/a1\ncut off", "[token removed]"),
        ("pw: hunter2", "pw: [password removed]"),
        ("my pin is 4821", "my pin is [password removed]"),
        ("GB29.NWBK.6016.1331.9268.19", "[IBAN removed]"),
        ("DE89\u00a03704\u00a00044\u00a00532\u00a00130\u00a000", "[IBAN removed]"),
        ("my cvv code is 123", "my cvv code is [card code removed]"),
        ("4111111111111111 exp 12/2027 cvc 987", "[card number removed] exp 12/2027 cvc [card code removed]"),
        ("amex 3782 822463 10005 cid 1234", "amex [card number removed] cid [card code removed]"),
    ],
)
def test_secrets_are_taken_out(text: str, expected: str) -> None:
    assert redact(text) == expected


@pytest.mark.parametrize(
    "between", ["|", "*", ":", "\t", "\n", "    ", " / ", " · ", "\u2011", "\u2009", "\u00a0", ")("]
)
def test_a_card_is_taken_out_whatever_stands_between_its_groups(between: str) -> None:
    assert redact(f"Visa {between.join(['4111', '1111', '1111', '1111'])}!") == "Visa [card number removed]!"


@pytest.mark.parametrize("zero", ["\uff10", "\u0660", "\u06f0", "\u0966"])
def test_digits_of_other_scripts_are_digits(zero: str) -> None:
    def written(text: str) -> str:
        return "".join(chr(ord(zero) + int(one)) if one.isdigit() else one for one in text)

    assert redact(written("4111 1111 1111 1111")) == "[card number removed]"
    assert without_personal(written("+966 50 123 4567")) == "[phone number removed]"
    assert without_personal(written("0501234567")) == "[phone number removed]"
    assert redact(f"CVV {written('123')}") == "CVV [card code removed]"
    assert redact(written("order 12345, room 7")) == written("order 12345, room 7"), "others stay as they are written"


@pytest.mark.parametrize(
    ("secret", "note"),
    [
        ("4111 1111 1111 1111", "[card number removed]"),
        ("\uff14\uff11\uff11\uff11 1111 1111 1111", "[card number removed]"),
        ("DE89\u00a03704\u00a00044\u00a00532\u00a00130\u00a000", "[IBAN removed]"),
        ("123-45-6789", "[ID number removed]"),
        ("sk-proj-abcdefghijklmnopqrst", "[token removed]"),
        ("https://ada:hunter22@db.example", "https://ada:[password removed]@db.example"),
        ("password: hunter22", "password: [password removed]"),
        ("password is \u201chunter22\u201d", "password is \u201c[password removed]\u201d"),
        ("my API key is 7f3a9c21", "my API key is [token removed]"),
        ("https://x.example/?token=abc123def", "https://x.example/?token=[token removed]"),
        ("-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----", "[token removed]"),
        ("CVV 123", "CVV [card code removed]"),
    ],
)
def test_what_stands_around_a_secret_stays_as_it_is_written(secret: str, note: str) -> None:
    before = "\uff21\uff22\uff23\uff01 \u0661\u0662\u0663 caf\u00e9\u00a0\u2011 \U0001f600 \u0966\u0967, "
    after = " \uff1f\u3000\u06f1\u06f2\u06f3 e\u0301 \uff08\uff15\uff09"

    assert redact(f"{before}{secret}{after}") == f"{before}{note}{after}"
    assert without_personal(f"{before}{secret} ada@x.example{after}") == f"{before}{note} [e-mail removed]{after}"


FULL = "3f2a9c1d8e4b5a6f7c8d9e0f1a2b3c4d5e6f7a8b"


@pytest.mark.parametrize(
    "text",
    [
        "It fails since commit 3f2a9c1.",
        f"Seit Commit ist es {FULL[:12]}",
    ],
)
def test_the_short_name_of_a_commit_stays(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize(
    "text",
    [
        f"{FULL}",
        f"My key is {FULL}",
        f"It fails since commit {FULL}.",
        f"https://git.example/acme/app/commit/{FULL}",
        f"The API key {FULL} is for the commit hook",
        f"access token: {FULL}",
        f"commit token {FULL}",
        f"Before you commit, my key: {FULL}",
        f"commit 0{FULL}",
        "commit sk-proj-abcdefghijklmnopqrst",
        "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    ],
)
def test_what_may_be_a_key_is_taken_out_though_it_may_be_a_commit(text: str) -> None:
    assert "[token removed]" in redact(text)


def test_a_card_that_is_read_out_digit_by_digit() -> None:
    assert redact(" ".join("4111111111111111")) == "[card number removed]"
    assert redact(" ".join("4111111111111111" * 2)) == " ".join("4111111111111111" * 2)


@pytest.mark.parametrize(
    "text",
    [
        "IMEI 356938035643809, or 490154203237518",
        "20241105-031500 is in the name of the file",
        "the CID 2024 conference",
        "CVV 3 digits",
        "global-configuration-settings-page",
        "I didn't pass the A1 exam, and the boarding pass B12 is gone",
        "Pin: select it, then pin to top**",
        "connect pin 13 to ground",
        "bearer shares and an access token expires_in=3600",
        "API key authentication and basic subscriptions",
        "https://x.example/?code=SUMMER20&key=12345678",
        "http://localhost:8400/a@b",
        "Order 1234567890123456 has not arrived",
        "Call me on +49 170 1234567 or 030 1234567",
        "0000 0000 0000 0000",
        "My IBAN starts with DE89 3704",
        "DE88 3704 0044 0532 0130 00 has a typo",
        "booking 0b8f3a52-4a55-4f0e-9d39-3f3b2c1f5a11",
        "https://help.example/how-to-connect-your-own-domain-in-2024-for-free",
        "Donaudampfschifffahrtsgesellschaftskapitän",
        "We paid 1,234,567.89 on 2026-01-02",
        "ช่วย reset password ให้หน่อย",
        "मेरा password बदलना है",
    ],
)
def test_ordinary_text_stays(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize(
    "hostile",
    [
        "-----BEGIN PRIVATE KEY-----" * 8_000,
        "-----BEGIN " + "A" * 200_000,
        "://a:" * 40_000,
        "api key is " * 20_000,
        "\u0661 " * 90_000,
        "1 " * 100_000,
        "4111 " * 40_000,
        "DE89 " * 40_000,
        "aB3-" * 50_000,
        "4" * 200_000,
        "A" * 200_000,
    ],
)
def test_hostile_text_takes_time_in_proportion_to_its_length(hostile: str) -> None:
    start = time.process_time()
    redact(hostile)

    assert time.process_time() - start < 3
