"""E-mail addresses and phone numbers in free text, for those who need not reach the visitor."""

from __future__ import annotations

import re

from handrail.text.folded import folded
from handrail.text.phones import phones
from handrail.text.redact import redact

AT = r"(?:@|\s?[(\[{]\s?at\s?[)\]}]\s?|%40)"
DOT = r"(?:\.|\s?[(\[{]\s?dot\s?[)\]}]\s?)"
SPELLED = r"[\w.+-]{1,64} at [\w-]{1,63}(?: dot [\w-]{2,63}){1,3}(?!\w)"
EMAIL = re.compile(rf"[\w.+%'-]{{1,64}}{AT}[\w-]+(?:{DOT}[\w-]+)+|{SPELLED}", re.IGNORECASE)
BEFORE = 40
"""Characters before a number in which it may be named."""
OTHER = re.compile(
    r"\b(?:order|invoice|booking|customer|account|ticket|reference|ref|case|contract|serial|tracking|upc|ean|gtin|isbn|sku|bestell\w*|"
    r"rechnung\w*|kunden\w*|auftrag\w*|commande|facture|pedido|factura|fatura|заказ\w*|сч[её]т\w*|(?:ال)?(?:طلب|فاتورة|تتبع))"
    r"(?:\W|\b(?:number|no|nr|n|id|num[eé]ro|n[uú]mero|nummer|номер\w*|is|was|ist|est|es|é|رقم)\b)*$",
    re.IGNORECASE,
)
"""What a number is said to be when it is none of a phone."""


def without_contacts(text: str, known: str = "") -> str:
    """`text` with a note in place of addresses and numbers; those in `known`, which is public, stay."""
    plain = folded(text)
    found = [(*one.span(), "[e-mail removed]") for one in EMAIL.finditer(plain)]
    found += [
        (start, end, "[phone number removed]")
        for start, end in phones(plain)
        if not OTHER.search(plain[max(0, start - BEFORE) : start])
    ]
    kept, done = "", 0
    for start, end, note in sorted(found):
        if start >= done and text[start:end] not in known:
            kept += text[done:start] + note
            done = end
    return kept + text[done:]


def without_personal(text: str) -> str:
    """`text` without secrets and contacts: all that searching, models, memory and traces are given of it."""
    return without_contacts(redact(text))
