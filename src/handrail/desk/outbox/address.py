"""The one e-mail address that a visitor may name: a bare `name@example.com`, and nothing a header could misread."""

from __future__ import annotations

import re
from email.headerregistry import Address

from handrail.text.guard import INVISIBLE

LONGEST = 254
"""Characters of an address in an SMTP envelope (RFC 5321, with erratum 1690)."""

_ATOM = r"[A-Za-z0-9#$&'*+/=^_`{|}~-]+"
"""Without `!` and `%`, which old mail servers read as a route, and without `?`, which opens an encoded word."""
_UNSEEN = r"\s\x80-\xa0\u2028-\u202e\u2066-\u2069" + "".join(f"\\u{code:04x}" for code in INVISIBLE)
_LETTER = rf"[^\x00-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f{_UNSEEN}]"
_LABEL = rf"{_LETTER}(-*{_LETTER})*"
PATTERN = rf"^(?=[^@]{{1,64}}@){_ATOM}(\.{_ATOM})*@{_LABEL}(\.{_LABEL})+$"
_COMPILED = re.compile(PATTERN)

HINT = "Write one e-mail address such as name@example.com: no name, brackets, commas, semicolons or spaces beside it"


def one_address(text: str) -> str:
    """`text` itself, when it is exactly one address. Raises ValueError, whose words say what to change.

    The shape is narrower than RFC 5322 on purpose: no display names, quoted names, comments or address literals.
    """
    if len(text) > LONGEST or not _COMPILED.fullmatch(text):
        raise ValueError(HINT)
    return str(recipient(text).addr_spec)


def recipient(text: str) -> Address:
    """The one recipient that `text` is, as the standard library reads it. Raises ValueError for anything else."""
    try:
        address = Address(addr_spec=text)
    except Exception as error:  # its parser raises defects, header errors and, for odd input, IndexError
        raise ValueError(HINT) from error
    if address.addr_spec != text or not address.username or not address.domain:
        raise ValueError(HINT)
    return address


def in_ascii(address: Address) -> Address:
    """`address` with an international domain as mail servers know it. Raises ValueError where it has no such form."""
    if address.domain.isascii():
        return address
    return Address(username=address.username, domain=address.domain.encode("idna").decode())
