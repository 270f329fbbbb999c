"""What somebody who runs a business does in it: charges customers, closes for a holiday; English.

Words such as "charge" and "close" are mostly about a visitor's own money and contract, and here they are not.
"""

from __future__ import annotations

import re

from handrail.understand.classify.cues import WORD, read_word

_I = r"(?:i|we)(?:(?:'d| would) like| want| need| have)? (?:to )?(?:also |only |just |now )*"
_PLACE = r"(?: (?:the|my|our) (?:shop|store|salon|studio|office|practice|clinic|business|place|restaurant|workshop))?"
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_FEAST = r"(?:christmas|easter|new year'?s?|thanksgiving|(?:\w+ ){0,2}holidays?|(?:the )?summer|(?:the )?winter)"
_SPELL = r"(?:an?|one|two|three|four|five|six|seven|ten|\d+|a few|a couple of|some) (?:hour|day|week|month)s?"
CHARGES = re.compile(rf"^{_I}charge (?!back\b)\w", re.I)
CLOSES = re.compile(
    rf"^(?:{_I}|(?:i'?m|i am|we'?re|we are|i'?ll|we'?ll|i will|we will|i must|we must) (?:be )?)"
    rf"(?:close|closed|closing|shut|shutting){_PLACE}(?: up)?(?: early| late)? "
    rf"(?:(?:for|over|during|on|at) )?(?:the next )?(?:{_SPELL}|{_DAY}|{_FEAST})\b",
    re.I,
)
HIS_OWN = re.compile(
    r"\b(?:you|your|back|for good|permanently|forever|accounts?|plans?|contracts?|subscriptions?|memberships?)\b", re.I
)
"""Words of whoever speaks of what is between him and the company."""
GRAVE = frozenset(
    f"§{cue}" for cue in ("refund", "money", "twice", "legal", "privacy", "threat", "crime", "accident", "complain")
) | frozenset({"§angry", "§boss", "§delete", "§switch"})
LONGEST = 14
"""Words; more is a story, which may hold anything."""


def runs_his_business(text: str) -> bool:
    """Whether a message of one sentence says nothing else than that its writer charges customers, or closes for a
    while.
    """
    said = text.strip().rstrip(".!?").replace("’", "'")
    if not (CHARGES.match(said) or CLOSES.match(said)) or HIS_OWN.search(said):
        return False
    read = [read_word(word) for word in WORD.findall(said.casefold())]
    return len(read) <= LONGEST and re.search(r"[.!?;,]", said) is None and GRAVE.isdisjoint(read)
