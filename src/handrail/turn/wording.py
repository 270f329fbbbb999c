"""The words the product says by itself, per language, with the operator's brand filled in.

Everything that mentions a person is said by `Wording.say`, which knows whether anybody is there.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import cache
from importlib.resources import files
from math import ceil

from handrail.types.people import PRESENT, Availability, People

MATTERS = (
    "cancellation",
    "charge",
    "deletion",
    "security",
    "outage",
    "bereavement",
    "complaint",
    "legal",
    "danger",
)
"""Kinds of serious matter with an acknowledgement of their own, `ack_…`."""
PERSON = frozenset(
    {
        "out_of_scope",
        "cannot_answer",
        "not_listed",
        "withdrawn",
        "unavailable",
        "paused",
        "high_stakes_ack",
        "high_stakes_ack_again",
        "high_stakes_close",
        "no",
        "person",
        *(f"ack_{matter}" for matter in MATTERS),
    }
)
"""Texts that mention a person; each has a twin, `…_alone`, that does not."""
NEEDS_PERSON = frozenset({"out_of_scope", "high_stakes_close", "person"})
"""Those that leave the visitor with nothing when requests are read by nobody, so that this is said."""
OFFERS = frozenset(
    {
        "out_of_scope",
        "cannot_answer",
        "not_listed",
        "withdrawn",
        "unavailable",
        "paused",
        "high_stakes_close",
        "person",
    }
)
"""Those beside which a request can be left while nobody is there."""


class Wording:
    """Texts of one language; `say("nonsense")` fills in the brand."""

    def __init__(self, texts: Mapping[str, str], brand: str, lang: str = "en", people: People = PRESENT) -> None:
        self._texts = texts
        self._brand = brand
        self.lang = lang
        self.people = people

    def say(self, key: str, **values: str) -> str:
        """The text of `key`; one that mentions a person says what is true of people right now instead."""
        if key not in PERSON or self.people.there:
            return self._text(key, **values)
        said = [self._text(f"{key}_alone", **values)]
        if self.people.reachable and key in OFFERS:
            said += [self.nobody_there(), self._text("leave")]
        elif not self.people.reachable and key in NEEDS_PERSON:
            said.append(self._text("nobody_reads"))
        return " ".join(said)

    def acknowledge(self, matter: str | None) -> str:
        """The first words to a serious message: those of its kind of matter, where that is known and has some."""
        return self.say(f"ack_{matter}" if matter in MATTERS else "high_stakes_ack")

    def nobody_there(self) -> str:
        """Why nobody answers right now, in the operator's words where there are any."""
        people = self.people
        if people.away_text:
            return people.away_text
        if people.availability is not Availability.CLOSED:
            return self._text("away")
        opens = [self._text("opens", when=self.moment(people.opens_at, people.as_of))] if people.opens_at else []
        return " ".join([self._text("closed"), *opens])

    def expectation(self, promise: str) -> str:
        """What somebody who asks for a person should expect: from real waits, or the operator's `promise`.

        The promise is only repeated while somebody is there to keep it.
        """
        people = self.people
        if not people.reachable:
            return self._text("nobody_reads")
        if not people.there:
            return self.nobody_there()
        if people.wait_s is None:
            return promise
        most = [] if people.wait_most_s is None else [self._text("wait_most", minutes=_minutes(people.wait_most_s))]
        return " ".join([self._text("wait", minutes=_minutes(people.wait_s)), *most])

    def receipt(self, promise: str, *, created: bool, email: bool) -> str:
        """What is said to a request for a person; `created` is false for one that was added to.

        While nobody is there: when it is read, and where the reply is to be expected. `email` says whether an address
        was given.
        """
        said = [self._text("recorded" if created else "added"), self.expectation(promise)]
        if self.people.reachable and not self.people.there:
            how = ("reply_by_mail",) if email else ("reply_here", "add_email")
            said += [self._text(key) for key in ("read_later", *how)]
        return " ".join(said)

    def moment(self, when: datetime, now: datetime | None = None) -> str:
        """`Monday, 09:00 (CET)` within the coming week, with the date beyond it."""
        near = when - (now or datetime.now(when.tzinfo)) < timedelta(days=6)
        day = self._texts["weekdays"].split(",")[when.weekday()] if near else f"{when:%Y-%m-%d}"
        return f"{day}, {when:%H:%M} ({when.tzname()})"

    def into(self, lang: str, people: People | None = None) -> Wording:
        """The same words for a visitor who speaks `lang`, while `people` are there."""
        chosen = people or self.people
        if lang == self.lang and chosen == self.people:
            return self
        other = load_wording(self._brand, lang)
        return Wording(other._texts, self._brand, other.lang, chosen)

    def _text(self, key: str, **values: str) -> str:
        return self._texts[key].format(brand=self._brand, **values)

    def either(self, items: list[str]) -> str:
        """`a, b or c`."""
        return (
            items[0] if len(items) == 1 else self._texts["comma"].join(items[:-1]) + self._texts["either"] + items[-1]
        )

    def quoted(self, text: str) -> str:
        """`text` in the quotation marks of this language."""
        return self._texts["quotation"].replace("{text}", text)

    def language(self, lang: str) -> str:
        """The name of `lang` in this language; the code itself where there is none."""
        return self._texts.get(f"language_{lang}", lang)


def _minutes(seconds: float) -> str:
    """Rounded up: nobody minds an answer that comes earlier."""
    return str(max(1, ceil(seconds / 60)))


@cache
def load_wording(brand: str, lang: str = "en") -> Wording:
    """Texts in `lang`; English where the language is not there."""
    folder = files("handrail.turn") / "languages"
    spoken = lang if lang.isalpha() and lang.islower() and (folder / f"{lang}.toml").is_file() else "en"
    texts = tomllib.loads((folder / f"{spoken}.toml").read_text(encoding="utf-8"))
    return Wording(texts, brand, spoken)
