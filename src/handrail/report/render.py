"""A report as text: citations numbered from beginning to end, and as Markdown and JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from handrail.answer.citations import Prose
from handrail.report import Report, Source, Written
from handrail.report.gaps import gaps
from handrail.text.markdown import literal

INSUFFICIENT = "[INSUFFICIENT DATA]"
NOT_WRITTEN = "[NOT WRITTEN]"
GAPS, SOURCES = "Data gaps", "Sources"
NO_GAPS = "Nothing that the template asks for is missing."


@dataclass(frozen=True, slots=True)
class Told:
    """A section as it is read."""

    heading: str
    text: str
    """Markdown with `[n]` behind each claim."""
    cited: tuple[int, ...]
    """Numbers of its sources."""


@dataclass(frozen=True, slots=True)
class Numbered:
    """A report with its sources numbered in order of first use."""

    sections: tuple[Told, ...]
    sources: tuple[Source, ...]


def numbered(report: Report) -> Numbered:
    """Passages of one section of an article share a number."""
    first: dict[Source, str] = {}
    order: dict[str, int] = {}
    told = []
    for part in report.parts:
        by_id = {id_: first.setdefault(source, id_) for id_, source in part.sources.items()}
        prose = Prose()
        prose.order = order
        text = ""
        cited: set[int] = set()
        for claim in part.claims:
            known = replace(claim, passage_ids=tuple(by_id[id_] for id_ in claim.passage_ids))
            text += prose.add(known)
            cited.update(prose.indexes(known))
        told.append(Told(part.heading, _marked(part, text), tuple(sorted(cited))))
    named = {id_: source for source, id_ in first.items()}
    return Numbered(tuple(told), tuple(named[id_] for id_ in order))


def markdown(report: Report) -> str:
    read = numbered(report)
    sections = [f"## {literal(told.heading)}\n\n{told.text}" for told in read.sections]
    return (
        "\n\n".join(
            (f"# {literal(report.title)}", f"*{literal(about(report))}*", *sections, closing(report, read.sources))
        )
        + "\n"
    )


def closing(report: Report, sources: Sequence[Source]) -> str:
    """Data gaps and sources, in Markdown."""
    lacking = [
        f"**{literal(heading)}**\n\n" + "\n".join(f"- {line}" for line in lines) for heading, lines in gaps(report)
    ]
    listed = [f"{number}. {_linked(source)}" for number, source in enumerate(sources, start=1)]
    return "\n\n".join(
        (f"## {GAPS}", *(lacking or [NO_GAPS]), f"## {SOURCES}", "\n".join(listed) or "The report cites nothing.")
    )


def about(report: Report) -> str:
    """One line on how the report was made."""
    made = f"Written by {report.model} from" if report.model else "Quoted from"
    return f"{made} the knowledge base {report.kb}, {report.date}."


def as_json(report: Report) -> str:
    read = numbered(report)
    told: dict[str, Any] = {
        **report.model_dump(mode="json", exclude={"parts"}),
        "sections": [
            {
                "heading": one.heading,
                "how": part.how,
                "text": one.text,
                "citations": one.cited,
                "note": part.note,
                "failed": part.failed,
                "asked": [asked.model_dump(mode="json") for asked in part.asked],
            }
            for one, part in zip(read.sections, report.parts, strict=True)
        ],
        "gaps": [{"section": heading, "gaps": lines} for heading, lines in gaps(report)],
        "sources": [{"index": at, **source.model_dump()} for at, source in enumerate(read.sources, start=1)],
    }
    return json.dumps(told, ensure_ascii=False, indent=2)


def _marked(part: Written, text: str) -> str:
    """With what a reader has to know before reading it."""
    failed = f"{NOT_WRITTEN} {literal(part.failed).rstrip('.')}." if part.failed else ""
    note = part.note
    if text and (failed or note):
        note = f"{note} The articles are quoted instead.".strip()
    # Of a section that failed nobody knows whether the articles would have done.
    body = text or ("" if failed else INSUFFICIENT)
    return "\n\n".join(filter(None, (" ".join(filter(None, (failed, note))), body)))


def _linked(source: Source) -> str:
    title = literal(source.title)
    return f"[{title}](<{source.url}>)" if source.url else title
