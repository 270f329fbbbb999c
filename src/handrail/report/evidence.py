"""What the articles hold for a section: looked up as a whole, and for each thing that its guidance asks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from handrail.answer.gate import Band, Bands
from handrail.answer.pieces import MOST
from handrail.report import Near, Part, Source
from handrail.retrieve import Retriever
from handrail.text.markdown import gist
from handrail.turn.found import together
from handrail.types import Evidence
from handrail.types.evidence import heading_of


@dataclass(frozen=True, slots=True)
class Looked:
    """What was found for one thing a section asks."""

    text: str
    evidence: Evidence
    band: Band
    closest: tuple[Near, ...]
    """The sections that would be shown as the closest."""


@dataclass(frozen=True, slots=True)
class Found:
    """What was found for a section."""

    part: Part
    asked: Sequence[Looked]
    evidence: Evidence
    """Of everything asked and of the section as a whole, the best of each first."""
    band: Band
    """The best of any."""


async def look_up(part: Part, retriever: Retriever, bands: Bands) -> Found:
    """Each thing asked is searched for by itself and under its heading; the sense that is answered best is taken."""
    asked = []
    for text in part.asks:
        senses = dict.fromkeys((text, f"{part.heading}: {text}" if text != part.heading else text))
        found = [await retriever.retrieve(sense, {}) for sense in senses]
        best = max(found, key=lambda evidence: evidence.probability)
        asked.append(Looked(text, best, bands.band(best), _closest(best, bands)))
    whole = await retriever.retrieve(gist(f"{part.heading}\n{part.guidance}"), {})
    everything = [*(one.evidence for one in asked), whole]
    likeliest = max(everything, key=lambda evidence: evidence.probability)
    return Found(part, asked, together(everything), bands.band(likeliest))


def _closest(evidence: Evidence, bands: Bands) -> tuple[Near, ...]:
    if bands.band(evidence) is Band.NOTHING:
        return ()
    worth = [one for one in evidence.sections if one.probability >= bands.least(evidence)][:MOST]
    return tuple(
        Near(
            source=Source(title=heading_of(one.section.title, one.section.headings), url=one.section.url),
            probability=round(one.probability, 4),
        )
        for one in worth
    )
