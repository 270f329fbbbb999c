"""E-mail addresses and phone numbers in free text, for those who need not reach the visitor."""

from __future__ import annotations

import re

from handrail.text.redact import redact

EMAIL = re.compile(r"[\w.+%'-]{1,64}(?:@|\s?\(at\)\s?|%40)[\w-]+(?:\.[\w-]+)+")
INTERNATIONAL = r"(?:\+(?=[\d(])|\(0|0(?![.,]))[\d ().\-/]{7,20}\d"
NORTH_AMERICAN = r"(?:1[ .-])?\(?\d{3}\)?[ .-]?\d{3}[ .-]?\d{4}"
PHONE = re.compile(rf"(?<![\w.:/-])(?:{INTERNATIONAL}|{NORTH_AMERICAN})(?!\w|:\d)")
PHONE_DIGITS = range(8, 16)
"""ITU E.164 allows 15; shorter ones are order numbers and error codes."""
DATE = re.compile(r"(?:[0-3]?\d[./-]){2}(?:(?:19|20)\d{2}(?!\d)|\d{2}(?!\d|[./-]\d))")
BEFORE = 40
"""Characters before a number in which it may be named."""
OTHER = re.compile(
    r"\b(?:order|invoice|booking|customer|account|ticket|reference|ref|case|contract|serial|tracking|bestell\w*|"
    r"rechnung\w*|kunden\w*|auftrag\w*|commande|facture|pedido|factura|fatura|заказ\w*|сч[её]т\w*|طلب|فاتورة)"
    r"(?:\W|\b(?:number|no|nr|n|id|num[eé]ro|n[uú]mero|nummer|номер\w*|is|was|ist|est|es|é|رقم)\b)*$",
    re.IGNORECASE,
)
"""What a number is said to be when it is none of a phone."""


def without_contacts(text: str, known: str = "") -> str:
    """`text` with a note in place of addresses and numbers; those in `known`, which is public, stay."""

    def left(found: re.Match[str], note: str) -> str:
        return found[0] if found[0] in known else note

    def phone(found: re.Match[str]) -> str:
        digits = sum(character.isdigit() for character in found[0])
        other = DATE.match(found[0]) or OTHER.search(text[max(0, found.start() - BEFORE) : found.start()])
        return found[0] if other or digits not in PHONE_DIGITS else left(found, "[phone number removed]")

    text = EMAIL.sub(lambda found: left(found, "[e-mail removed]"), text)
    return PHONE.sub(phone, text)


def without_personal(text: str) -> str:
    """`text` without secrets and contacts: all that searching, models, memory and traces are given of it."""
    return without_contacts(redact(text))
