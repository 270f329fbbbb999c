"""What a report leaves open, said of each thing that was asked and is not answered."""

from __future__ import annotations

from handrail.answer.gate import Band
from handrail.report import EVEN, Asked, Report, Written


def gaps(report: Report) -> list[tuple[str, list[str]]]:
    """Headings of the sections that lack something, each with its gaps, in the report's order."""
    found = [(part.heading, of_section(part)) for part in report.parts]
    return [(heading, lines) for heading, lines in found if lines]


def of_section(part: Written) -> list[str]:
    """One line of Markdown for each gap."""
    failed = [f"The section was not written: {part.failed.rstrip('.')}."] if part.failed else []
    return [*failed, *(f"{_ended(one.text)} {_why(one)}" for one in part.lacking)]


def _why(one: Asked) -> str:
    """By what was found in the articles: they say nothing, may say something, or say it and the text does not."""
    if one.closest is None:
        return "No article was found that answers this."
    where = f"“{one.closest.title}”"
    if one.probability is None:
        return f"It could not be checked whether the text answers this. Closest in the articles: {where}."
    if one.found is Band.CLOSEST and one.likely < EVEN:
        return f"Probably no article answers this. Closest: {where} (probability {one.likely:.2f})."
    if one.found is Band.CLOSEST:
        return f"{where} may answer this (probability {one.likely:.2f}), which is not sure enough to quote it."
    return f"{where} probably answers this (probability {one.likely:.2f}), but the section does not say it."


def _ended(text: str) -> str:
    return f"**{text}**" if text.endswith((".", "?", "!", ":")) else f"**{text}.**"
