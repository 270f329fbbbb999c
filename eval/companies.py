"""Assistants of other companies, for routing files whose rows name one: does the classifier work there untrained?

Each company of the file beside has a name, a text on what its help covers, and articles of a sentence or two. They are
indexed as `handrail ingest` does it, in a folder that goes when the measurement ends.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from rich.console import Console

from eval.datasets.lines import BadRow, DatasetError, read_lines
from handrail.assembly import Parts, build_parts, build_stages, new_trace_id
from handrail.knowledge.folder import Folder
from handrail.observe.silent import SilentTracer
from handrail.settings import Settings
from handrail.turn.stages import Stages
from handrail.turn.wording import Wording, load_wording


class Article(BaseModel):
    model_config = ConfigDict(frozen=True)

    title: str = Field(min_length=1)
    text: str = ""


class Company(BaseModel):
    """One row of a file of companies; fields it does not name are ignored."""

    model_config = ConfigDict(frozen=True)

    id: str = Field(min_length=1)
    name: str = Field(min_length=1, max_length=60)
    covers: str = Field("", max_length=2000)
    articles: tuple[Article, ...] = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class Companies:
    sha256: str
    known: Mapping[str, Company]


def read_companies(path: Path) -> Companies:
    """By id. Raises DatasetError naming the first row that is no company."""
    digest, lines = read_lines(path)
    known: dict[str, Company] = {}
    for line in lines:
        if isinstance(line, BadRow):
            raise DatasetError(f"{path} line {line.line}: {line.why}")
        try:
            company = Company.model_validate(line.value)
        except ValidationError as error:
            found = error.errors()[0]
            where = ".".join(map(str, found["loc"]))
            raise DatasetError(f"{path} line {line.number}: {where}: {found['msg']}") from None
        if company.id in known:
            raise DatasetError(f"{path} line {line.number}: the company {company.id!r} stands there twice")
        known[company.id] = company
    if not known:
        raise DatasetError(f"{path}: no companies")
    return Companies(digest, known)


@dataclass(frozen=True, slots=True)
class Assistant:
    settings: Settings
    built: Parts
    stages: Stages
    wording: Wording


@dataclass(slots=True)
class Assistants:
    """That of one company at a time: models and index are loaded when its first message comes."""

    settings: Settings
    known: Mapping[str, Company] = field(default_factory=dict)
    _folder: tempfile.TemporaryDirectory[str] | None = None
    _company: str | None = None
    _open: Assistant | None = None

    async def of(self, company: str | None) -> Assistant:
        """Of a company that is not known, that of the settings."""
        company = company if company in self.known else None
        if self._open is None or company != self._company:
            self.close()
            self._company, self._open = company, await asyncio.to_thread(self._built, company)
        return self._open

    def close(self) -> None:
        """Can be called again."""
        if self._open is not None:
            self._open.built.close()
        if self._folder is not None:
            self._folder.cleanup()
        self._open = self._folder = None

    def _built(self, company: str | None) -> Assistant:
        settings = self.settings if company is None else self._indexed(self.known[company])
        built = build_parts(settings)
        wording = load_wording(settings.brand.name)
        stages = build_stages(settings, built, wording, SilentTracer(new_trace_id))
        return Assistant(settings, built, stages, wording)

    def _indexed(self, company: Company) -> Settings:
        from handrail.cli.ingest import run

        self._folder = tempfile.TemporaryDirectory(prefix="handrail-company-")
        folder = Path(self._folder.name)
        articles = folder / "articles"
        articles.mkdir()
        for number, article in enumerate(company.articles):
            (articles / f"{number:03}.md").write_text(
                f"# {article.title}\n\n{article.text or article.title}\n", encoding="utf-8"
            )
        settings = of_company(self.settings, company, folder / "data")
        loader = Folder(articles, settings.knowledge.url_base, settings.knowledge.max_article_bytes)
        run(settings, [loader], console=Console(quiet=True))
        return settings


def of_company(settings: Settings, company: Company, data: Path) -> Settings:
    """The same settings for another company, whose index is on disk in `data`."""
    update = {
        "brand": settings.brand.model_copy(update={"name": company.name, "covers": company.covers}),
        "knowledge": settings.knowledge.model_copy(update={"kb": "company"}),
        "storage": settings.storage.apart(data),
    }
    return settings.model_copy(update=update)
