"""The notes that stand in a text for what was taken out of it."""

from __future__ import annotations

import re

NOTE = re.compile(r"\s*\[(?:card number|card code|IBAN|token|password|ID number|phone number|e-mail) removed\]")
ASIDE = re.compile(r"\([^()]*\)|[^.!?…\n()]+[.!?…]*|[.!?…\n()]+")
"""Sentences, lines and brackets."""
FEW = 7
"""Words beside a note in a sentence that only says where to write or who somebody is."""


def asides(text: str) -> list[tuple[str, bool]]:
    """`text` in pieces without its notes, each with whether it had one and says little beside it."""
    pieces = [found[0] for found in ASIDE.finditer(text)]
    return [(NOTE.sub("", one), bool(NOTE.search(one)) and len(NOTE.sub("", one).split()) <= FEW) for one in pieces]
