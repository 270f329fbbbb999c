"""The operator's written retention policy: which offer may be made, when, in exactly which words.

An offer's text is never composed: it is the operator's sentence or nothing. A model may choose among the offers whose
conditions hold; it never writes one.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Annotated

import Stemmer
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from handrail.errors import SettingsError

WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
NEGATIONS = frozenset({"not", "never", "don't", "dont", "doesn't", "didn't", "won't", "wouldn't", "no"})
INTENTIONS = frozenset({"want", "wish", "plan", "planning", "going", "looking", "trying", "intend", "intention"})
NEGATION_REACH = 5
"""Words before a keyword in which "don't want to" takes it back."""

Keyword = Annotated[str, StringConstraints(strip_whitespace=True, min_length=2, max_length=60)]


class RetentionOffer(BaseModel):
    """One offer: made when a `when` keyword is there, no `unless` keyword is, and its conditions are known to hold."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,60}$")
    text: Annotated[str, StringConstraints(strip_whitespace=True, min_length=10, max_length=600)]
    when: tuple[Keyword, ...] = Field(min_length=1)
    unless: tuple[Keyword, ...] = ()
    plan: tuple[Keyword, ...] = ()
    """Plans it is for; empty means every plan. An unknown plan is not one of them."""
    region: tuple[Keyword, ...] = ()
    """Regions it is for; empty means everywhere. An unknown region is not one of them."""

    def applies(self, text: str, context: Mapping[str, str]) -> bool:
        """Decided by word stems (Snowball, English), so `cancel` also stands for "cancelling" and "cancellation"."""
        for key, allowed in (("plan", self.plan), ("region", self.region)):
            if allowed and context.get(key, "").casefold() not in {value.casefold() for value in allowed}:
                return False
        words = _words(text)
        return _mentions(words, self.when, negatable=True) and not _mentions(words, self.unless)


class Policy(BaseModel):
    """All offers, the operator's preferred one first. Without any, no offer is ever made."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    offer: tuple[RetentionOffer, ...] = ()

    def offers_for(self, text: str, context: Mapping[str, str] | None = None) -> list[RetentionOffer]:
        """Every offer that may be made to the writer of `text`; `context` says what is known of `plan` and `region`."""
        return [offer for offer in self.offer if offer.applies(text, context or {})]

    def offer_for(self, text: str, context: Mapping[str, str] | None = None) -> RetentionOffer | None:
        """The first offer that may be made, if any."""
        return next(iter(self.offers_for(text, context)), None)


def load_policy(path: Path | None) -> Policy:
    """Read a policy file; no path is the empty policy. Raises SettingsError naming the file and the key to change."""
    if path is None:
        return Policy()
    try:
        tree = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise SettingsError(f"high_stakes.policy_file: there is no file {path}") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"high_stakes.policy_file: {path} is not readable TOML: {error}") from error
    try:
        policy = Policy.model_validate(tree)
    except ValidationError as error:
        raise SettingsError(_explain(path, error)) from None
    ids = [offer.id for offer in policy.offer]
    for repeated in {id_ for id_ in ids if ids.count(id_) > 1}:
        raise SettingsError(f"{path}: two offers have the id {repeated!r}; give each its own")
    return policy


def _explain(path: Path, error: ValidationError) -> str:
    lines = [f"{_where(item['loc'])}: {item['msg']}" for item in error.errors()]
    return f"{path} (high_stakes.policy_file) holds {len(lines)} wrong value(s):\n  " + "\n  ".join(lines)


def _where(loc: Sequence[int | str]) -> str:
    """`("offer", 0, "when")` as a reader of the file counts: `offer 1, when`."""
    parts = [str(part) if isinstance(part, str) else str(part + 1) for part in loc]
    return " ".join(parts[:2]) + (f", {' '.join(parts[2:])}" if len(parts) > 2 else "")


def _words(text: str) -> list[str]:
    return [word.replace("’", "'") for word in WORD.findall(text.casefold())]


def _mentions(words: Sequence[str], keywords: Sequence[str], *, negatable: bool = False) -> bool:
    stems = _stems(tuple(words))
    for keyword in keywords:
        wanted = _stems(tuple(_words(keyword)))
        for start in range(len(stems) - len(wanted) + 1):
            if stems[start : start + len(wanted)] == wanted and not (negatable and _taken_back(words, start)):
                return True
    return False


def _taken_back(words: Sequence[str], start: int) -> bool:
    """ "I don't want to cancel" is not a wish to cancel; "I can't cancel" may well be one."""
    before = words[max(0, start - NEGATION_REACH) : start]
    for position, word in enumerate(before):
        if word in NEGATIONS and any(later in INTENTIONS for later in before[position + 1 : position + 3]):
            return True
    return False


@lru_cache(maxsize=512)
def _stems(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(_stemmer().stemWords(list(words)))


@lru_cache(maxsize=1)
def _stemmer() -> Stemmer.Stemmer:
    return Stemmer.Stemmer("english")
