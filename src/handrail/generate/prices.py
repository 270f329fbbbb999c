"""Prices for who asks what something costs: the amount itself, before what is cheaper than what; English."""

from __future__ import annotations

import re

from handrail.stores.tokens import tokenize

ASKED = re.compile(
    r"\b(?:what|how much)\b.{0,100}\bcosts?\b"
    r"|\bhow much (?:is|are|for|do (?:i|we) pay|does? \w+ charge)\b(?! left| included)|\bhow expensive\b"
    r"|\b(?:price|prices|cost) (?:of|for)\b|\bwhat(?:'s| is| are) the prices?\b",
    re.I,
)
COMPARED = re.compile(
    r"\b(?:cheaper|cheapest|dearer|less|more expensive|than|versus|vs|compar\w+|differ\w*|save|saving)\b", re.I
)
BESIDE = re.compile(rf"{COMPARED.pattern}|\b(?:for example|for instance|rises?|drops?)\b", re.I)
"""Sentences that do sums with prices."""
AMOUNT = re.compile(
    r"(?:[€$£]|\b(?:EUR|USD|GBP|CHF|AUD|CAD)\b)\s?\d|\d\s?(?:€|(?:EUR|USD|GBP|CHF|euros?|dollars?)\b)", re.I
)
SPECIAL = re.compile(r"\b(?:discount|non-?profit|student|promotion|trial|reduced|paus)\w*\b", re.I)
"""What a heading says of prices that do not hold for everybody."""
PRICED = frozenset(tokenize("cost costs price prices expensive much pay charge plan month year monthly yearly"))
"""Words of a question about a price that do not say of what."""
POINTS_AMOUNT, POINTS_BESIDE, POINTS_SPECIAL = 1.0, -2.5, -2.0


def price_points(question: str, text: str, above: str) -> float:
    """Points of a text under the titles `above` for a question that asks for a price; 0 for any other question."""
    if not ASKED.search(question) or COMPARED.search(question):
        return 0.0
    points = POINTS_SPECIAL if SPECIAL.search(above) and not SPECIAL.search(question) else 0.0
    if BESIDE.search(text):
        return points + POINTS_BESIDE
    named = set(tokenize(question)) - PRICED
    return points + (POINTS_AMOUNT if AMOUNT.search(text) and named <= set(tokenize(text)) else 0.0)
