"""All sections of a report, one after the other, within one budget."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from handrail.llm.meter import Bounds, metering
from handrail.report import Report, Template, Written
from handrail.report.journal import Journal
from handrail.report.sections import Reporter

Advance = Callable[[int, str], None]
"""Told how many sections are finished, and the heading of the next; none after the last."""


async def run(
    template: Template,
    reporter: Reporter,
    journal: Journal,
    bounds: Bounds,
    advance: Advance,
    *,
    kb: str,
    kb_version: str,
    today: date,
) -> Report:
    """`bounds`: what the model may take for all sections of this run."""
    parts: list[Written] = []
    with metering(bounds) as meter:
        for part in template.parts:
            advance(len(parts), part.heading)
            done = journal.held(part.heading)
            if done is None:
                done = await reporter.section(template, part)
                journal.keep(done)
            parts.append(done)
    advance(len(parts), "")
    return Report(
        title=template.title,
        kb=kb,
        kb_version=kb_version,
        date=today.isoformat(),
        model=reporter.model,
        parts=tuple(parts),
        usage=meter.usage,
    )
