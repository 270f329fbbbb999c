"""A report as one HTML file: no script, no network, fit for printing. What others wrote reaches it as text alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from jinja2 import Environment, StrictUndefined
from markdown_it.common.utils import escapeHtml
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup

from handrail.report import Report
from handrail.report.blocks import PARSER, read, web
from handrail.report.gaps import gaps
from handrail.report.render import GAPS, NO_GAPS, SOURCES, about, numbered

TEMPLATE = Path(__file__).with_name("page.html.j2")
MARK = re.compile(r"\[(\d{1,3})\]")


def page(report: Report) -> str:
    told = numbered(report)

    def shown(text: str) -> Markup:
        # The parser escapes what it does not know, tags among it, and knows no links but those to sources.
        return Markup(_Cited(len(told.sources)).render(read(text, told.sources), PARSER.options, {}))  # noqa: S704

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters["shown"] = shown
    environment.tests["web"] = web
    return environment.from_string(TEMPLATE.read_text(encoding="utf-8")).render(
        title=report.title,
        about=about(report),
        sections=told.sections,
        gaps=gaps(report),
        sources=told.sources,
        words={"gaps": GAPS, "sources": SOURCES, "no_gaps": NO_GAPS},
    )


class _Cited(RendererHTML):
    """Marks of citations lead to the list of sources."""

    def __init__(self, sources: int) -> None:
        super().__init__()
        self._sources = sources

    def text(self, tokens: Sequence[Token], idx: int, options: object, env: object) -> str:
        return MARK.sub(self._linked, escapeHtml(tokens[idx].content))

    def _linked(self, mark: re.Match[str]) -> str:
        number = int(mark[1])
        return f'<a class="cite" href="#source-{number}">{mark[0]}</a>' if 0 < number <= self._sources else mark[0]
