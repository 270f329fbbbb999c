"""The keys that articles can be chosen by, and what each of them means in either index."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from enum import StrEnum
from typing import Any

from handrail.errors import PermanentError
from handrail.stores.audience import FACET as AUDIENCE
from handrail.stores.audience import Audience, written_for
from handrail.types import Passage
from handrail.types.filters import Filters, Tier

DOCUMENT, TIER, LANG, UPDATED, FROM, TO = "document_id", "tier", "lang", "updated", "updated_from", "updated_to"
SEVERAL = ("project_key", "tags", "related", "next", "supersedes", "links")
"""Facets with several values, one a line."""
KEYS = ("project_key", "tags", "source_type", TIER, LANG, FROM, TO, DOCUMENT, "section", AUDIENCE)
CLOSED: Mapping[str, type[StrEnum]] = {TIER: Tier, AUDIENCE: Audience}
EXACT = (DOCUMENT, "section")
"""Keys whose values are compared as they are written; the others are compared in lower case."""
LONGEST_VALUE, MOST_VALUES = 500, 50
_VALUE = re.compile(r"[^\x00-\x1f\x7f\ud800-\udfff]{1,500}")
UNSAID = ""
"""In a filter by language: articles that name none, and so are in that of the knowledge base."""


class BadFilter(PermanentError):
    """A filter that means nothing; the message names what is allowed."""


def read(given: Mapping[str, Any]) -> Filters:
    """The filters as they are applied and told back. Raises BadFilter."""
    return {key: _date(key, value) if key in (FROM, TO) else _values(key, value) for key, value in given.items()}


def values(facets: Mapping[str, str], key: str) -> tuple[str, ...]:
    """Those of one facet, with what an article that says nothing counts as."""
    if key == AUDIENCE:
        return (written_for(facets),)
    if key == TIER:
        return (facets.get(TIER, Tier.APPROVED.value),)
    return tuple(facets.get(key, UNSAID).split("\n"))


def wanted(value: str | Sequence[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def over(filters: Filters, lang: str, held: Collection[str] = ()) -> Filters:
    """`filters` for a knowledge base in `lang` whose articles name the languages `held`.

    `en` is also `en-gb`, and who asks for a knowledge base's language is given articles that name none, too.
    """
    asked = wanted(filters.get(LANG, ()))
    if not asked:
        return filters
    kinds = [one for one in held if any(one.startswith(f"{each}-") for each in asked)]
    own = [UNSAID] if any(one.partition("-")[0] == lang for one in asked) else []
    return {**filters, LANG: tuple(dict.fromkeys((*asked, *sorted(kinds), *own)))}


def selected(passage: Passage, filters: Filters) -> bool:
    """Whether a passage is among those that `filters` ask for."""
    return all(_holds(passage, key, wanted(value)) for key, value in filters.items())


def day(text: str) -> int:
    """A date such as `2026-03-31` as a number that sorts like it."""
    return int(text.replace("-", ""))


def _holds(passage: Passage, key: str, asked: Sequence[str]) -> bool:
    if key == DOCUMENT:
        return passage.article_id in asked
    if key in (FROM, TO):
        updated = passage.facets.get(UPDATED)
        return updated is not None and (updated >= asked[0] if key == FROM else updated <= asked[0])
    return not set(asked).isdisjoint(values(passage.facets, key))


def _values(key: str, given: Any) -> str | tuple[str, ...]:
    if key not in KEYS:
        raise BadFilter(f"unknown filter {key!r:.60}; use {_either(KEYS)}")
    said = given if isinstance(given, list | tuple) else [given]
    written = [one for one in said if isinstance(one, str) and one.strip() and _VALUE.fullmatch(one)]
    if len(written) != len(said) or not 1 <= len(said) <= MOST_VALUES:
        raise BadFilter(f"{key}: give a text of 1 to 500 characters, or a list of up to {MOST_VALUES} of them")
    found = tuple(dict.fromkeys(one if key in EXACT else one.strip().casefold() for one in written))
    allowed = tuple(CLOSED[key]) if key in CLOSED else found
    if unknown := next((one for one in found if one not in allowed), None):
        raise BadFilter(f"{key}: unknown value {unknown!r:.60}; use {_either(allowed)}")
    if key == LANG:
        found = tuple(one.replace("_", "-") for one in found)
    return found[0] if len(found) == 1 else found


def _date(key: str, given: Any) -> str:
    try:
        return date.fromisoformat(given).isoformat()
    except (TypeError, ValueError):
        raise BadFilter(f"{key}: give one date such as 2026-03-31") from None


def _either(words: Sequence[str]) -> str:
    return f"one of: {', '.join(words)}"
