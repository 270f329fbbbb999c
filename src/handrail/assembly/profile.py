"""A company's own settings, made of five answers and of the articles it has."""

from __future__ import annotations

import json
import re
import secrets
import tempfile
import time
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from handrail.answer.suggest.candidates import alike
from handrail.answer.suggest.phrasing import asked
from handrail.errors import HandrailError, SettingsError
from handrail.knowledge import Article, Loader
from handrail.knowledge.folder import Folder
from handrail.knowledge.sources import Surroundings, loader_of
from handrail.knowledge.sources.kept import Kept
from handrail.settings import Brand, Knowledge, Settings, environment, explain
from handrail.settings.paths import SAMPLE_KB
from handrail.settings.show import chosen
from handrail.settings.sources import Source
from handrail.stores.audience import Audience

NOBODY = "nobody"
TOPICS, STARTERS = 6, 3
LONGEST_TOPIC = 40
PER_DAY = 1000
"""Questions from all visitors: what a day can cost has to end somewhere."""
PAGES = 40
"""Of a site, read to make proposals of."""
READS = ("ar", "de", "en", "es", "fr", "it", "nl", "pt", "ru")
SECRETS = {
    "HANDRAIL__DESK__SECRET": "Signs visitor tokens; the same for all processes.",
    "HANDRAIL__CUSTOMER__SECRET": "Signs what your own pages say of a signed-in customer: docs/hand-off.md.",
    "HANDRAIL__OBSERVE__METRICS_KEY": "What Prometheus sends to read /metrics.",
}
IGNORED = (".env", "var/", "var.before-*/", "*.tar.gz")


class Answers(BaseModel):
    """What only the company knows."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    company: str = Field(min_length=1, max_length=50)
    offers: str = Field(min_length=1, max_length=400)
    articles: str = Field(min_length=1, max_length=2000)
    languages: list[str] = Field(["en"], min_length=1)
    person: str = Field(NOBODY, min_length=1, max_length=200)

    @field_validator("company", "offers", "articles", "person")
    @classmethod
    def _one_line(cls, value: str) -> str:
        if not value.isprintable():
            raise ValueError("write it in one line, without control characters")
        return value

    @field_validator("languages")
    @classmethod
    def _codes(cls, languages: list[str]) -> list[str]:
        codes = [code.strip().lower() for code in languages]
        if wrong := [code for code in codes if not re.fullmatch(r"[a-z]{2,3}", code)]:
            raise ValueError(f"write languages as codes such as en or de, not {', '.join(map(repr, wrong))}")
        return codes

    @property
    def site(self) -> bool:
        return self.articles.startswith(("https://", "http://"))

    @property
    def email(self) -> bool:
        return bool(re.fullmatch(r"[^@\s]+@[^@\s]+\.[^@\s]+", self.person))


@dataclass(frozen=True, slots=True)
class Proposal:
    """Chips of an empty chat: what the articles are about, and questions made of their titles."""

    topics: tuple[str, ...] = ()
    starters: tuple[str, ...] = ()
    articles: int = 0
    problem: str = ""
    """Why nothing could be read."""


def answers_from(values: Mapping[str, Any]) -> Answers:
    """Raises SettingsError that names each answer that is missing or wrong."""
    try:
        return Answers.model_validate(dict(values))
    except ValidationError as error:
        told = [f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in error.errors()]
        raise SettingsError("\n  ".join(["these answers can't be used:", *told])) from None


def proposed(answers: Answers) -> Proposal:
    """From the folder, or from the first pages of the site. An address that can't be read proposes nothing."""
    try:
        with tempfile.TemporaryDirectory() as scratch, Kept(Path(scratch) / "pages.sqlite") as kept:
            largest = Knowledge().max_article_bytes
            loader: Loader
            if answers.site:
                around = Surroundings(kept, Path(scratch), environment(), "", largest, time.sleep)
                loader = loader_of(Source(kind="site", where=answers.articles, max_pages=PAGES), around)
            else:
                loader = Folder(Path(answers.articles), "", largest)
            found = [item for item in loader.articles() if isinstance(item, Article)]
    except HandrailError as error:
        return Proposal(problem=str(error))
    public = [article for article in found if Audience.PUBLIC.may_read(article.facets)]
    return Proposal(topics_of(public), starters_of(public, answers.languages[0]), len(found))


def topics_of(articles: Sequence[Article]) -> tuple[str, ...]:
    """The sections with the most articles; of articles without sections, the titles that are short enough to press."""
    sections = Counter(filter(None, (article.facets.get("section", "") for article in articles)))
    names = [_spoken(name) for name, _ in sections.most_common()]
    if len(names) < 2:
        names = [article.title for article in articles]
    fitting = dict.fromkeys(name for name in names if len(name) <= LONGEST_TOPIC)
    return tuple(fitting)[:TOPICS]


def starters_of(articles: Sequence[Article], lang: str) -> tuple[str, ...]:
    """One question from each section in turn, none of which asks what another does.

    Only of titles that name an action or ask something themselves: nobody has tried yet how others would be asked.
    """
    by_section: dict[str, list[str]] = {}
    for article in articles:
        if question := asked(article.title, lang):
            by_section.setdefault(article.facets.get("section", ""), []).append(question)
    found: list[str] = []
    for question in _in_turn(list(by_section.values())):
        if len(found) < STARTERS and not any(alike(question, other) for other in found):
            found.append(question)
    return tuple(found)


def settings_of(answers: Answers, proposal: Proposal, folder: Path) -> dict[str, Any]:
    """The settings that differ from the defaults, as a TOML file in `folder` has them. Raises SettingsError."""
    brand: dict[str, Any] = {
        "name": answers.company,
        "assistant": f"{answers.company} assistant"[:60].strip(),
        "suggestions": list(proposal.starters),
        "topics": list(proposal.topics),
        "covers": answers.offers,
    }
    if answers.site:
        brand["link_hosts"] = [urlsplit(answers.articles).hostname or ""]
    if answers.person == NOBODY:
        brand["person_available"] = False
    else:
        promise = Brand().person_expectation
        brand["person_expectation"] = f"{promise} You can also reach us at {answers.person}."
    knowledge = {"kb": kb_name(answers.company)}
    if answers.languages[0] in READS:
        knowledge["lang"] = answers.languages[0]
    source = {"kind": "site" if answers.site else "folder", "where": _place(answers, folder)}
    values: dict[str, Any] = {
        "server": {"demo_mode": False, "public": True},
        "brand": {key: value for key, value in brand.items() if value != getattr(Brand(), key)},
        "knowledge": knowledge,
        "limits": {"global_per_day": PER_DAY},
        "sources": [source],
    }
    try:
        Settings.model_validate(values)
    except ValidationError as error:
        raise SettingsError(explain(error, "your answers")) from None
    return values


def config_text(answers: Answers, values: Mapping[str, Any]) -> str:
    """A file that says of each setting what it is for."""
    parts = [
        f"# Settings of {answers.company}: what differs from the defaults. `handrail config` prints every setting that",
        "# most installations change, docs/settings.md has the others, and .env holds what is secret.",
        "",
        chosen({name: section for name, section in values.items() if name != "sources"}),
        "# Where the articles come from: `handrail sync` reads them again. See docs/sources.md.",
    ]
    for source in values["sources"]:
        parts += ["[[sources]]", *(f"{key} = {_quoted(value)}" for key, value in source.items())]
    if answers.email:
        parts += [
            "",
            "# Requests for a person wait at the desk. To have them mailed as well, fill in your mail server:",
            "# [alerts]",
            f"# mail_to = [{_quoted(answers.person)}]",
            f"# mail_from = {_quoted(answers.person)}",
            '# smtp_host = "smtp.example.com"',
        ]
    text = "\n".join(parts) + "\n"
    assert tomllib.loads(text) == dict(values)  # noqa: S101 - what is read is what was meant
    return text


def env_text(before: str, *, signed: bool) -> str:
    """`before` with a new secret for each name that it doesn't set yet: to change one voids what it signed.

    `signed` says that the data folder has made its own secret already, which goes on to sign tokens.
    """
    named = {line.partition("=")[0].strip() for line in before.splitlines()}
    if signed:
        named.add("HANDRAIL__DESK__SECRET")
    new = [f"# {what}\n{name}={secrets.token_urlsafe(32)}" for name, what in SECRETS.items() if name not in named]
    return "\n".join(filter(None, [before.rstrip("\n"), *new])) + "\n"


def kb_name(company: str) -> str:
    """A name for its knowledge base, which visitors don't see."""
    plain = unicodedata.normalize("NFKD", company).encode("ascii", "ignore").decode().lower()
    name = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:40].strip("-")
    return name if len(name) > 1 and name != SAMPLE_KB else "help"


def _place(answers: Answers, folder: Path) -> str:
    """A folder inside that of the settings moves with it."""
    if answers.site:
        return answers.articles
    place, home = Path(answers.articles).resolve(), folder.resolve()
    return place.relative_to(home).as_posix() if place.is_relative_to(home) else place.as_posix()


def _spoken(section: str) -> str:
    """`getting-started`, the name of a folder, as a person writes it."""
    words = section.rsplit("/", 1)[-1].replace("-", " ").replace("_", " ").strip()
    return words[:1].upper() + words[1:]


def _in_turn(lists: Sequence[Sequence[str]]) -> Iterable[str]:
    for place in range(max(map(len, lists), default=0)):
        yield from (one[place] for one in lists if place < len(one))


def _quoted(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)
