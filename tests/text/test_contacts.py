"""E-mail addresses and phone numbers in free text, and the numbers that are neither."""

from __future__ import annotations

import time

import pytest

from handrail.text.contacts import without_contacts


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("mail ada@gmail.com, +49 170 1234567", "mail [e-mail removed], [phone number removed]"),
        ("I am ada.king+shop@mail.example.co.uk.", "I am [e-mail removed]."),
        ("ada(at)example.com or 01 23 45 67 89", "[e-mail removed] or [phone number removed]"),
        ("ruf mich an: 0170/1234567", "ruf mich an: [phone number removed]"),
        ("06.12.34.56.78", "[phone number removed]"),
        ("call (415) 555-2671 please", "call [phone number removed] please"),
        ("+1-415-555-2671!", "[phone number removed]!"),
        ("Phone:+49 151 23456789, tel:0151/23456789", "Phone:[phone number removed], tel:[phone number removed]"),
        ("john [at] example.com, john(at)example(dot)com", "[e-mail removed], [e-mail removed]"),
        ("ada at example dot co dot uk", "[e-mail removed]"),
        ("ada\uff20example.com", "[e-mail removed]"),
        ("мой телефон +7 (912) 345-67-89", "мой телефон [phone number removed]"),
    ],
)
def test_contacts_are_taken_out(text: str, left: str) -> None:
    assert without_contacts(text) == left


@pytest.mark.parametrize(
    "text",
    [
        "order 0012345678 has not arrived",
        "my order number is 4155552671",
        "Bestellnummer: 0170 1234567",
        "commande n° 0123456789",
        "booked for 01.02.2026 and 09/11/2026",
        "from 01.02.2026 to 05.02.26",
        "version 3.12.4 on port 8080",
        "Chrome 119.0.6045.159 and Edge 120.0.2210.91",
        "we met at noon, look at example",
        "point it at 203.0.113.10 or 10.0.0.1:8400",
        "EUR 1,200.50, that is +20 percent",
        "open 09:00-17:00, error TW-3004",
        "call it @handrail",
        "6f9619ff-8b86-4d01-b42d-00c04fc964ff",
    ],
)
def test_orders_dates_versions_prices_and_addresses_of_machines_stay(text: str) -> None:
    assert without_contacts(text) == text


def test_what_is_public_stays() -> None:
    said = "Write to help@tillwick.example, not to ada@gmail.com."

    left = without_contacts(said, "Our address is help@tillwick.example.")

    assert left == "Write to help@tillwick.example, not to [e-mail removed]."


@pytest.mark.parametrize(
    "hostile", ["a at b dot " * 5_000, "0 " * 20_000, "a." * 20_000, "order " * 8_000 + "0123456789", "+(" * 20_000]
)
def test_hostile_text_takes_time_in_proportion_to_its_length(hostile: str) -> None:
    start = time.process_time()
    without_contacts(hostile)

    assert time.process_time() - start < 2
