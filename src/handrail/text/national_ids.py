"""Numbers by which a state knows a person, in free text: by their form and check digits, or behind their name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial

from handrail.text.removed import Span, Stage

NOTE = "[ID number removed]"
NAMES = (
    r"ssn|social security|national insurance|ni number|nino|passport|aadhaar|pesel|bsn|"
    r"steuer-?(?:id|identifikationsnummer|nummer)|sozialversicherungsnummer|reisepass\w*|pass-?(?:nummer|nr)|personalausweis\w*|"
    r"ahv(?:-nummer)?|sécurité sociale|nir|passeport|dni|nie|curp|pasaporte|cpf|nif|passaporte|codice fiscale|"
    r"снилс|инн|паспорт\w*|رقم الهوية|جواز السفر"
)
NAMED = re.compile(
    rf"(?<!\w)((?:{NAMES})(?!\w)[^\w\n]{{0,3}}(?:(?:number|no|nr|nummer|numéro|número|is|ist|est|es|é|номер|رقم|هو)"
    r"[^\w\n]{1,3}){0,2})([A-Z]{0,2}\d(?:[ .-]?[A-Z0-9]){5,17})(?!\w)",
    re.I,
)
LEAST_DIGITS = 6


def _digits(text: str) -> str:
    return "".join(character for character in text if character.isdigit())


def _spain(text: str) -> bool:
    number = text.upper().translate(str.maketrans("XYZ", "012", " -"))
    return "TRWAGMYFPDXBNJZSQVHLCKE"[int(number[:8]) % 23] == text[-1].upper()


def _france(text: str) -> bool:
    digits = _digits(text)
    return int(digits[:13]) % 97 == 97 - int(digits[13:])


def _brazil(text: str) -> bool:
    digits = _digits(text)
    return all(
        sum(int(digit) * weight for digit, weight in zip(digits, range(last + 1, 1, -1), strict=False)) * 10 % 11 % 10
        == int(digits[last])
        for last in (9, 10)
    )


def _switzerland(text: str) -> bool:
    digits = [int(digit) for digit in _digits(text)]
    return (sum(digits[::2]) + 3 * sum(digits[1::2])) % 10 == 0


def _russia(text: str) -> bool:
    digits = _digits(text)
    return sum(int(digit) * weight for digit, weight in zip(digits, range(9, 0, -1), strict=False)) % 101 % 100 == int(
        digits[9:]
    )


def _italy(text: str) -> bool:
    signs = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    odd = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21) * 2 + (2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23)
    code = text.upper()
    values = [int(sign) if sign.isdigit() else ord(sign) - ord("A") for sign in code]
    total = sum(odd[signs.index(sign)] if place % 2 == 0 else values[place] for place, sign in enumerate(code[:15]))
    return total % 26 == values[15]


def _formed(text: str) -> bool:
    return True


FORMS: tuple[tuple[re.Pattern[str], Callable[[str], bool]], ...] = tuple(
    (re.compile(rf"(?<![\w.-]){form}(?![\w-]|\.\d)", re.I), right)
    for form, right in (
        (r"(?!000|666|9)\d{3}-(?!00)\d\d-(?!0000)\d{4}", _formed),  # United States
        (r"(?![DFIQUV])[A-CEGHJ-PR-TW-Z](?![DFIOQUV])[A-Z] ?\d\d ?\d\d ?\d\d ?[A-D]", _formed),  # United Kingdom
        (r"(?:\d{8}|[XYZ]-?\d{7})-?[A-Z]", lambda text: _spain(text.replace("-", ""))),
        (r"[12] ?\d\d ?(?:0[1-9]|1[0-2]) ?\d\d ?\d{3} ?\d{3} ?\d\d", _france),
        (r"\d{3}\.\d{3}\.\d{3}-\d\d", _brazil),
        (r"756\.\d{4}\.\d{4}\.\d\d", _switzerland),
        (r"\d{3}-\d{3}-\d{3} \d\d", _russia),
        (r"[A-Z]{6}\d\d[A-EHLMPRST]\d\d[A-Z]\d{3}[A-Z]", _italy),
    )
)


def _formed_so(form: re.Pattern[str], right: Callable[[str], bool], text: str) -> Iterator[Span]:
    yield from ((*found.span(), NOTE) for found in form.finditer(text) if right(found[0]))


def _named(text: str) -> Iterator[Span]:
    """Any that only digits make up need their name before them."""
    for found in NAMED.finditer(text):
        if len(_digits(found[2])) >= LEAST_DIGITS:
            yield *found.span(2), NOTE


STAGES: tuple[Stage, ...] = (*(partial(_formed_so, form, right) for form, right in FORMS), _named)
