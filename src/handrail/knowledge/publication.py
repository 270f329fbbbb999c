"""Whom a page is for, by what its front matter says: everyone, agents only, or nobody yet."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from pydantic import TypeAdapter, ValidationError

from handrail.errors import KnowledgeError
from handrail.stores.audience import Audience

HELD_BACK_IF = {"draft": True, "published": False, "hidden": True, "unlisted": True, "noindex": True}
"""Fields that are true or false, and what they say of a page that is not public."""
HELD_BACK_AS = ("internal", "private", "hidden")
"""Values of `visibility` of such a page."""
REDIRECTS = ("redirect_to", "redirect", "redirect_url")
"""Fields of a page that only leads to another one."""
_TRUTH: TypeAdapter[bool] = TypeAdapter(bool)
_DATE: TypeAdapter[date] = TypeAdapter(date)


class NotClear(KnowledgeError):
    """A page says something of whom it is for that is not understood; it must not be taken for public."""


def held_back(fields: Mapping[str, Any]) -> str | None:
    """Why the page must not be indexed, as its front matter puts it (`draft: true`); None where it may be.

    Raises NotClear.
    """
    for key, value in HELD_BACK_IF.items():
        said = fields.get(key)
        if not _unsaid(said) and not (key == "published" and _is_date(said)) and _truth(key, said) is value:
            return f"{key}: {str(value).lower()}"
    if leads := next((key for key in REDIRECTS if not _unsaid(fields.get(key))), ""):
        return f"{leads}: it only leads to another page"
    if _kept_from_search(fields):
        return "it is kept from search engines"
    visibility = _one_of("visibility", fields.get("visibility"), (*Audience, *HELD_BACK_AS))
    return f"visibility: {visibility}" if visibility in HELD_BACK_AS else None


def audience(fields: Mapping[str, Any]) -> Audience:
    """Agents where the page's `audience` or its `visibility` says so. Raises NotClear."""
    said = (
        _one_of("audience", fields.get("audience"), tuple(Audience)),
        _one_of("visibility", fields.get("visibility"), (*Audience, *HELD_BACK_AS)),
    )
    return Audience.AGENTS if Audience.AGENTS in said else Audience.PUBLIC


def _kept_from_search(fields: Mapping[str, Any]) -> bool:
    """`robots: noindex`, the same in a `head` of tags, or MkDocs' `search: {exclude: true}`."""
    search = fields.get("search")
    if isinstance(search, dict) and search.get("exclude") is True:
        return True
    head = (
        [one.get("attrs") for one in fields.get("head") or [] if isinstance(one, dict)]
        if isinstance(fields.get("head"), list)
        else []
    )
    named = [one.get("content") for one in head if isinstance(one, dict) and one.get("name") == "robots"]
    return any(isinstance(one, str) and "noindex" in one.lower() for one in (fields.get("robots"), *named))


def _one_of(key: str, said: Any, allowed: tuple[str, ...]) -> str | None:
    if _unsaid(said):
        return None
    chosen = said.strip().casefold() if isinstance(said, str) else None
    if chosen not in allowed:
        raise NotClear(f"{key} in the front matter is {_short(said)}; it must be one of: {', '.join(allowed)}")
    return chosen


def _truth(key: str, said: Any) -> bool:
    try:
        return _TRUTH.validate_python(said.strip() if isinstance(said, str) else said)
    except ValidationError:
        others = ", false or a date" if key == "published" else " or false"
        raise NotClear(f"{key} in the front matter is {_short(said)}; it must be true{others}") from None


def _is_date(said: Any) -> bool:
    """`published` often says when, which is to say that it is."""
    if isinstance(said, date):
        return True
    try:
        return isinstance(said, str) and not said.strip().isdecimal() and bool(_DATE.validate_python(said.strip()[:10]))
    except ValidationError:
        return False


def _unsaid(said: Any) -> bool:
    return said is None or (isinstance(said, str) and not said.strip())


def _short(said: Any) -> str:
    """Aliases in YAML can make a value of a few lines too long to be written out."""
    return repr(said)[:60] if isinstance(said, str | int | float | date) else f"a {type(said).__name__}"
