"""What a report leaves open, said of each thing that was asked and is not answered."""

from __future__ import annotations

from collections.abc import Sequence

from handrail.answer.gate import Band
from handrail.report import Asked, Near, Report, Written
from handrail.text.markdown import literal


def gaps(report: Report) -> list[tuple[str, list[str]]]:
    """Headings of the sections that lack something, each with its gaps, in the report's order."""
    found = [(part.heading, of_section(part)) for part in report.parts]
    return [(heading, lines) for heading, lines in found if lines]


def of_section(part: Written) -> list[str]:
    """One line of Markdown for each gap."""
    failed = [f"The section was not written: {literal(part.failed).rstrip('.')}."] if part.failed else []
    return [*failed, *(f"{_ended(one.text)} {_why(one)}" for one in part.lacking)]


def _why(one: Asked) -> str:
    """By what was found in the articles: they say nothing, may say something, or say it and the text does not."""
    if not one.closest:
        return "Nothing was found in the articles that answers this."
    if one.probability is None:
        return f"It could not be checked whether the text answers this. Closest in the articles: {_named(one.closest)}."
    if one.found is Band.CLOSEST:
        return f"No section of an article surely answers this. Closest: {_named(one.closest)}."
    return f"{_named(one.closest[:1])} probably answers this, but the report's section does not say it."


def _named(near: Sequence[Near]) -> str:
    return "; ".join(f"“{literal(one.source.title)}” (probability {one.probability:.2f})" for one in near)


def _ended(text: str) -> str:
    return f"**{literal(text)}**" if text.endswith((".", "?", "!", ":")) else f"**{literal(text)}.**"
