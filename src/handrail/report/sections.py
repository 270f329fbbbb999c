"""One section, from its guidance to its text: looked up, then written or quoted, then checked for what it lacks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from handrail.answer.gate import Band, Bands
from handrail.answer.pieces import Pieces
from handrail.errors import BudgetExhausted, HandrailError, NotSupported
from handrail.report import Part, Source, Template, Written
from handrail.report.evidence import Found, look_up
from handrail.report.recall import Judge, nothing, of_quotes, of_text
from handrail.report.write import Writer
from handrail.retrieve import Retriever
from handrail.text.markdown import literal
from handrail.types import Claim, Evidence
from handrail.types.evidence import heading_of

WITHDRAWN = "The text that the model wrote was withdrawn: its sources do not state what it says."
SPENT = "The spending limit of this run is used up"


class Reporter:
    """Without a writer, and where the writer fails, the articles are quoted."""

    def __init__(
        self,
        retriever: Retriever,
        bands: Bands,
        pieces: Pieces,
        writer: Writer | None = None,
        judge: Judge | None = None,
    ) -> None:
        """`judge` tells what written text lacks."""
        self._retriever = retriever
        self._bands = bands
        self._pieces = pieces
        self._writer = writer
        self._judge = judge

    @property
    def model(self) -> str | None:
        return self._writer.name if self._writer is not None else None

    def made_with(self, template: Template) -> str:
        """What a section depends on besides the template, the settings and the articles."""
        return f"{self._bands} {self._writer.digest(template) if self._writer is not None else ''}"

    async def section(self, template: Template, part: Part) -> Written:
        """A provider that fails costs the section its text, not the report. Raises HandrailError when search fails."""
        found = await look_up(part, self._retriever, self._bands)
        if self._writer is None:
            return self._quoted(found)
        if found.band is Band.NOTHING:
            return Written(heading=part.heading, how="insufficient", asked=nothing(found))
        try:
            draft = await self._writer.write(template, found)
        except NotSupported:
            return self._quoted(found, note=WITHDRAWN)
        except BudgetExhausted:
            return self._quoted(found, failed=SPENT)
        except HandrailError as error:
            return self._quoted(found, failed=str(error))
        if not draft.claims:
            return Written(heading=part.heading, how="insufficient", asked=nothing(found))
        return await self._written(found, draft.claims)

    async def _written(self, found: Found, claims: Sequence[Claim]) -> Written:
        text = "\n".join(claim.text for claim in claims)
        asked = await of_text(found, text, self._judge or _untold)
        return Written(
            heading=found.part.heading,
            how="written",
            claims=tuple(claims),
            sources=_sources(found, claims),
            asked=asked,
        )

    def _quoted(self, found: Found, *, note: str = "", failed: str = "") -> Written:
        """The best whole section for each thing asked that the gate calls answered."""
        surely = [self._sure(one.evidence) for one in found.asked if one.band is Band.ANSWERED]
        quotes = [claim for evidence in surely for claim in self._pieces.claims(evidence, several=True)[:1]]
        claims = tuple({claim.text: _titled(claim) for claim in quotes}.values())
        return Written(
            heading=found.part.heading,
            how="quoted" if claims else "insufficient",
            claims=claims,
            sources=_sources(found, claims),
            asked=of_quotes(found, claims, self._bands),
            note=note,
            failed=failed,
        )

    def _sure(self, evidence: Evidence) -> Evidence:
        """With those sections alone that may be given as the answer."""
        return replace(evidence, sections=[one for one in evidence.sections if one.probability >= self._bands.answered])


def _titled(claim: Claim) -> Claim:
    """Titles may name tags and tables, which a file of Markdown would take for some."""
    return claim if claim.piece is None else replace(claim, heading=f"**{literal(claim.piece.heading)}**")


async def _untold(asked: Sequence[str], heading: str, text: str) -> Sequence[float | None]:
    return [None] * len(asked)


def _sources(found: Found, claims: Sequence[Claim]) -> dict[str, Source]:
    """By passage id; a quotation is named by its own heading, a passage by the one it stands under."""
    given = found.evidence.given
    passages = [given[id_].passage for claim in claims for id_ in claim.passage_ids if id_ in given]
    named = {one.id: Source(title=heading_of(one.title, one.headings), url=one.url) for one in passages}
    quoted = [claim.piece for claim in claims if claim.piece is not None]
    return named | {piece.passage_id: Source(title=piece.heading, url=piece.url) for piece in quoted}
