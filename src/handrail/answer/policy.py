"""The operator's written policy: which offer may be made, and what is said about refunds, when, in exactly which words.

A text is never composed: it is the operator's sentence or nothing. A model may choose among the offers whose conditions
hold; it never writes one. Conditions are about what is proven of the customer; what is not known does not hold.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Self

import Stemmer
from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    StringConstraints,
    Tag,
    ValidationError,
    model_validator,
)

from handrail.errors import SettingsError
from handrail.text.contacts import without_personal
from handrail.types import Exchange

WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
APOSTROPHE = re.compile(r"['’](?!(?:ll|d|re)$)")
NEGATIONS = frozenset({"not", "never", "dont", "doesnt", "didnt", "wont", "wouldnt", "no"})
INTENTIONS = frozenset({"want", "wish", "plan", "planning", "going", "looking", "trying", "intend", "intention"})
NEGATION_REACH = 5
"""Words before a keyword in which "don't want to" takes it back."""

Context = Mapping[str, str | float]
Keyword = Annotated[str, StringConstraints(strip_whitespace=True, min_length=2, max_length=60)]


class Range(BaseModel):
    """A range of a number, both ends included."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    min: float | None = None
    max: float | None = None

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        if self.min is None and self.max is None:
            raise ValueError("give min, max or both, such as { min = 6 }")
        if self.min is not None and self.max is not None and self.min > self.max:
            raise ValueError(f"min {self.min:g} is above max {self.max:g}")
        return self

    def holds(self, value: str | float | None) -> bool:
        if isinstance(value, str | bool) or value is None:
            return False
        return (self.min is None or value >= self.min) and (self.max is None or value <= self.max)


class Conditions(BaseModel):
    """All of them must be known to hold."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    plan: tuple[Keyword, ...] = ()
    region: tuple[Keyword, ...] = ()
    tenure_months: Range | None = None

    @property
    def any(self) -> bool:
        return bool(self.plan or self.region or self.tenure_months)

    def hold(self, context: Context) -> bool:
        for key, allowed in (("plan", self.plan), ("region", self.region)):
            if allowed and str(context.get(key, "")).casefold() not in {value.casefold() for value in allowed}:
                return False
        return self.tenure_months is None or self.tenure_months.holds(context.get("tenure_months"))


KEYWORDS, TABLE = "as keywords", "as a table"


def _form(value: object) -> str:
    return TABLE if isinstance(value, dict | Conditions) else KEYWORDS


When = Annotated[
    Annotated[tuple[Keyword, ...], Tag(KEYWORDS)] | Annotated[Conditions, Tag(TABLE)], Discriminator(_form)
]


class Statement(BaseModel):
    """Words of the operator: said when a `words` keyword is there, no `unless` keyword is, and all conditions hold.

    `when` is the table of conditions. A list there holds the keywords, and `plan` and `region` may stand beside it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,60}$")
    text: Annotated[str, StringConstraints(strip_whitespace=True, min_length=10, max_length=600)]
    words: tuple[Keyword, ...] = Field((), max_length=200)
    when: When = ()
    unless: tuple[Keyword, ...] = ()
    plan: tuple[Keyword, ...] = ()
    """Plans it is for; empty means every plan. An unknown plan is not one of them."""
    region: tuple[Keyword, ...] = ()
    """Regions it is for; empty means everywhere. An unknown region is not one of them."""

    @model_validator(mode="after")
    def _says_when(self) -> Self:
        if not self.keywords:
            raise ValueError('name the messages it answers: words = ["cancel", "too expensive"]')
        if isinstance(self.when, Conditions) and (self.plan or self.region):
            raise ValueError("put plan and region in the `when` table, not beside it")
        return self

    @property
    def keywords(self) -> tuple[str, ...]:
        return self.words + (() if isinstance(self.when, Conditions) else self.when)

    @property
    def conditions(self) -> Conditions:
        if isinstance(self.when, Conditions):
            return self.when
        return Conditions(plan=self.plan, region=self.region)

    def applies(self, text: str, context: Context) -> bool:
        """Decided by word stems (Snowball, English), so `cancel` also stands for "cancelling" and "cancellation"."""
        words = _words(text)
        said = _mentions(words, self.keywords, negatable=True) and not _mentions(words, self.unless)
        return said and self.conditions.hold(context)


RetentionOffer = Statement


class Policy(BaseModel):
    """All offers and refund wordings, the operator's preferred one first. Without any, nothing is ever offered."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    offer: tuple[Statement, ...] = ()
    refund: tuple[Statement, ...] = ()

    @property
    def conditional(self) -> bool:
        """Whether anything depends on who the customer is."""
        return any(one.conditions.any for one in (*self.offer, *self.refund))

    def offers_for(
        self, text: str, context: Context | None = None, history: Sequence[Exchange] = ()
    ) -> list[Statement]:
        """Every offer that may be made to the writer of `text`; `context` is what is proven of the customer.

        One that the conversation has heard is not made again: who did not take it does not want it.
        """
        offers = [offer for offer in self.offer if offer.applies(text, context or {})]
        return [offer for offer in offers if not any(_made(offer, past.answer) for past in history)]

    def offer_for(
        self, text: str, context: Context | None = None, history: Sequence[Exchange] = ()
    ) -> Statement | None:
        """The first offer that may be made, if any."""
        return next(iter(self.offers_for(text, context, history)), None)

    def refund_for(self, text: str, context: Context | None = None) -> Statement | None:
        """What the operator wants said about refunds to the writer of `text`, if anything."""
        return next((one for one in self.refund if one.applies(text, context or {})), None)

    def said(self, text: str, context: Context, offer: Statement | None) -> str | None:
        """The refund wording that applies and the chosen offer, word for word; None for neither."""
        parts = [one.text for one in (self.refund_for(text, context), offer) if one is not None]
        return "\n\n".join(parts) or None


def load_policy(path: Path | None) -> Policy:
    """Read a policy file; no path is the empty policy. Raises SettingsError naming the file and the key to change."""
    if path is None:
        return Policy()
    try:
        text = path.read_text(encoding="utf-8-sig")
        tree = tomllib.loads(text)
    except FileNotFoundError:
        raise SettingsError(f"high_stakes.policy_file: there is no file {path}") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"high_stakes.policy_file: {path} is not readable TOML: {error}") from error
    try:
        policy = Policy.model_validate(tree)
    except ValidationError as error:
        raise SettingsError(_explain(path, text, tree, error)) from None
    ids = [one.id for one in (*policy.offer, *policy.refund)]
    for repeated in sorted({id_ for id_ in ids if ids.count(id_) > 1}):
        raise SettingsError(f"{path}: two entries have the id {repeated!r}; give each its own")
    return policy


def _explain(path: Path, text: str, tree: Mapping[str, Any], error: ValidationError) -> str:
    lines = [f"{_where(text, tree, item['loc'])}: {item['msg']}" for item in error.errors()]
    return f"{path} (high_stakes.policy_file) holds {len(lines)} wrong value(s):\n  " + "\n  ".join(lines)


def _where(text: str, tree: Mapping[str, Any], loc: Sequence[int | str]) -> str:
    """`("offer", 0, "when")` as a reader of the file finds it: `line 4, offer 1, when (id "pause")`."""
    if len(loc) < 2 or not isinstance(loc[1], int):
        return ".".join(str(part) for part in loc)
    kind, index = str(loc[0]), loc[1]
    within = [str(part) for part in loc[2:] if part not in (KEYWORDS, TABLE)]
    starts = [number for number, line in enumerate(text.splitlines(), 1) if _heads(line, kind)]
    line = f"line {starts[index]}, " if index < len(starts) else ""
    entry = tree[kind][index]
    name = entry.get("id") if isinstance(entry, dict) else None
    named = f" (id {name!r})" if isinstance(name, str) else ""
    return f"{line}{kind} {index + 1}{', ' + '.'.join(within) if within else ''}{named}"


def _heads(line: str, kind: str) -> bool:
    return re.match(rf"\s*\[\[\s*{re.escape(kind)}\s*\]\]", line) is not None


def _made(offer: Statement, answer: str) -> bool:
    """Whether an answer had it, as the memory keeps it: perhaps without its telephone number."""
    return offer.text in answer or without_personal(offer.text) in answer


def _words(text: str) -> list[str]:
    """Without apostrophes, which visitors leave out as often as not; "I'll" is nobody who is ill."""
    return [APOSTROPHE.sub("", word) for word in WORD.findall(text.casefold())]


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
