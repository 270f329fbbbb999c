"""Questions that were read word by word, in the order English has: "how move i the appointment" asks how to move it.

What reads them next learnt from English, where "how do i move" is how somebody asks who wants to do something himself.
"""

from __future__ import annotations

import re

_BEGIN = r"(?P<begin>^|[.,;:!?] |\b(?:and|but|please|hello|hi) )"
_ASK = r"(?P<ask>how|where|when|why)"
_SELF = r"(?P<self>i|we|you)"
_NO_DEED = (
    "can could may might must shall should will would do does did is are am was were be been has have had to not no "
    "much many long often far big soon old high fast large late early well come about the a an my our your this that "
    "it he she they there in on at of for with after before if when and or so quickly exactly else"
)
NO_DEED = frozenset(_NO_DEED.split())
"""Words behind "how" that are no verb of somebody who asks how to do it."""
INVERTED = re.compile(rf"{_BEGIN}{_ASK} (?P<deed>[^\W\d_]+) {_SELF}\b", re.I)
"""German, Dutch, Swedish: "how move i"."""
STRAIGHT = re.compile(rf"{_BEGIN}{_ASK} {_SELF} (?P<deed>[^\W\d_]+)\b", re.I)
"""French, as it is spoken: "how i change"."""
BARE = re.compile(rf"{_BEGIN}(?P<ask>how)(?P<self>) (?P<deed>[^\W\d_]+)\b", re.I)
"""Infinitives, and verbs that say who does it by their ending: "how refund a customer", "how connect own domain"."""


def in_order(text: str) -> str:
    """`text` with "do i" where its question lacks it; everything else stays as it is."""
    for form in (INVERTED, STRAIGHT, BARE):
        text = form.sub(_asked, text)
    return text


def _asked(found: re.Match[str]) -> str:
    if found["deed"].lower() in NO_DEED:
        return found[0]
    return f"{found['begin']}{found['ask']} do {found['self'] or 'i'} {found['deed']}"
