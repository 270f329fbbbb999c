"""Numbers of payment cards in free text, however they are grouped, and the code beside one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from handrail.text.removed import Span, Stage

CARD = "[card number removed]"
CODE = "[card code removed]"

SPACE = r"[ \t-]"
DIGITS = re.compile(r"\d(?:[\W_]{0,4}\d){12,}")
GROUP = re.compile(r"\d+")
PLAIN = re.compile(rf"{SPACE}{{1,4}}")
LENGTHS = range(13, 20)
MOST_GROUPS = 6
"""A card number is written in at most so many, such as four times four digits and three more."""
USUAL = re.compile(r"(?:4 ){3}[1-4] |(?:4 ){4}[1-3] |4 6 [45] ")
"""Lengths of the groups of a number that is not written with spaces or hyphens alone."""
SPELLED = range(15, 17)
"""Digits of a number that is written digit by digit."""
ISSUED = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2(?:2[2-9]|[3-6]\d|7[0-2])\d{13}|220[0-4]\d{12,15}|3[47]\d{13}|"
    r"3(?:0[0-59]|[689]\d)\d{11,16}|35\d{14,17}|(?:50|5[6-8]|6\d)\d{14,17}|(?:8[12]|9[0-9])\d{14}"
)
"""Numbers of the payment networks by first digits and length (ISO/IEC 7812); 15 digits are otherwise a telephone's."""

CODE_NAMES = r"cvv2?|cvc2?"
CODE_WORDS = (
    r"csc|cid|security (?:code|number)|(?:karten)?pr[üu]f(?:ziffer|nummer|code)|sicherheitscode|cryptogramme|"
    r"code de sécurité|código de seguridad|código de segurança|codice di sicurezza|код(?: безопасности)?|رمز الأمان"
)
LINK = r"(?:\s*[:=(#]\s*|\s+)(?:(?:is|ist|lautet|est|es|é|è|number|code)(?:\s*[:=]\s*|\s+)){0,2}"
NAMED_CODE = re.compile(
    rf"(?<!\w)((?:{CODE_NAMES})\)?{LINK})\d{{3,4}}(?!\w)|(?<![\w.,/-])\d{{3,4}}(?=\s*\(?(?:{CODE_NAMES})(?!\w))", re.I
)
BESIDE_CARD = re.compile(rf"(?<!\w)((?:{CODE_WORDS}){LINK})\d{{3,4}}(?!\w)", re.I)
AFTER_EXPIRY = re.compile(
    rf"({re.escape(CARD)}\W{{1,5}}(?:\w+\W{{1,3}})?(?:0[1-9]|1[0-2])\s?[/-]\s?(?:20)?\d\d\W{{1,3}})\d{{3,4}}(?!\w)"
)


def _numbers(text: str) -> Iterator[Span]:
    for run in DIGITS.finditer(text):
        yield from ((run.start() + start, run.start() + end, CARD) for start, end in _cards(run[0]))


def _cards(run: str) -> Iterator[tuple[int, int]]:
    """A run of digits may hold more than the card, such as its expiry date, so every stretch of groups is tried."""
    groups = list(GROUP.finditer(run))
    first = 0
    while first < len(groups):
        last = _card_end(run, groups, first)
        if last is None:
            first += 1
            continue
        yield groups[first].start(), groups[last].end()
        first = last + 1


def _named_codes(text: str) -> Iterator[Span]:
    for found in NAMED_CODE.finditer(text):
        yield found.end(1) if found[1] else found.start(), found.end(), CODE


def _codes_after_expiry(text: str) -> Iterator[Span]:
    yield from ((found.end(1), found.end(), CODE) for found in AFTER_EXPIRY.finditer(text))


def _codes_beside_cards(text: str) -> Iterator[Span]:
    if CARD in text:
        yield from ((found.end(1), found.end(), CODE) for found in BESIDE_CARD.finditer(text))


def _card_end(run: str, groups: list[re.Match[str]], first: int) -> int | None:
    """Place of the last group of the longest card number that begins with group `first`."""
    if len(groups) in SPELLED and all(len(group[0]) == 1 for group in groups):
        return len(groups) - 1 if first == 0 and _issued("".join(group[0] for group in groups)) else None
    digits, shape, plain, end = "", "", True, None
    for place in range(first, min(len(groups), first + MOST_GROUPS)):
        if place > first:
            plain = plain and bool(PLAIN.fullmatch(run[groups[place - 1].end() : groups[place].start()]))
        digits += groups[place][0]
        shape += f"{len(groups[place][0])} "
        if len(digits) > max(LENGTHS):
            break
        if len(digits) in LENGTHS and (plain or USUAL.fullmatch(shape)) and _issued(digits):
            end = place
    return end


def _issued(number: str) -> bool:
    return bool(ISSUED.fullmatch(number)) and luhn(number)


def luhn(number: str) -> bool:
    """Whether the last digit is right (ISO/IEC 7812-1, annex B); one digit over and over is no number."""
    digits = [int(character) for character in reversed(number)]
    doubled = (sum(divmod(2 * digit, 10)) for digit in digits[1::2])
    return len(set(digits)) > 1 and (sum(digits[::2]) + sum(doubled)) % 10 == 0


STAGES: tuple[Stage, ...] = (_numbers, _named_codes, _codes_after_expiry, _codes_beside_cards)
