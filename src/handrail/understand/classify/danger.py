"""Something burns, explodes or gives a shock: where the articles are about it, a matter for a person; English."""

from __future__ import annotations

import re

DANGER = re.compile(
    r"\b(?:(?:has |have |had )?(?:just )?(?:caught|catch(?:es|ing)?) (?:on )?fire"
    r"|(?:is|are|was|were|went) (?:\w+ )?on fire|(?:burst|went up|gone up|going up) in(?:to)? flames"
    r"|explod(?:ed|es|ing)|blew up|blown up|electrocuted"
    r"|(?:got|get|getting) an electric(?:al)? shock"
    r"|(?:gave|gives|giving) (?:me|us|him|her|them) an? (?:electric )?shock"
    r"|(?:smoke|sparks?|flames?|fumes) (?:is |are |was |were |keeps? )?"
    r"(?:coming|came|comes|pouring|flying)(?: out| up)?"
    r"|(?:is|are|was|started|keeps?) (?:smoking|sparking|smouldering|burning)"
    r"|smell(?:s|ed)? (?:of|like) (?:gas|burning|smoke)|burning smell)\b",
    re.I,
)


def without_danger(text: str) -> str:
    """What `text` says besides; itself where nobody is in danger."""
    return DANGER.sub(" ", text)
