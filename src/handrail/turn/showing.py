"""What a visitor is shown of an answer before it is final: claim by claim, in order, each after its cheap check."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from handrail.answer.citations import Prose, citable, unmarked
from handrail.turn.watch import TurnWatch
from handrail.types import Claim, Draft, Evidence
from handrail.verify.plausible import plausible

WITHDRAWN = "withdrawn"
UNSUPPORTED = "unsupported"
ACKNOWLEDGEMENT, OFFER, CLOSING = PARAGRAPHS = ("acknowledgement", "offer", "closing")
"""Ids of the pieces of a high-stakes reply that rest on no passage."""


class Showing:
    """Shows claims while their answer is being written, and takes back what does not stand up later.

    A claim that fails its cheap check is held back, and so is what comes after it, since order matters; the checks
    that follow decide. The words of a claim that is being written are shown as a draft. Without a watcher nothing is
    checked early and nothing is shown.
    """

    def __init__(self, watch: TurnWatch | None) -> None:
        self._watch = watch
        self._evidence = Evidence("", ())
        self._same_language = True
        self._prose = Prose()
        self._shown: dict[str, str] = {}
        """The piece of text that stands under each id."""
        self._taken_back = 0
        self._held = False
        self._drafted = False

    @property
    def started(self) -> bool:
        return bool(self._shown)

    def begin(self, evidence: Evidence, *, same_language: bool = True) -> None:
        """An answer from `evidence` starts; words are compared only where both are in one language."""
        self._evidence = evidence
        self._same_language = same_language

    async def write(self, claim: Claim) -> None:
        """A claim as it comes from the answerer. One that cites nothing it was given is dropped, as `enforce` will."""
        if self._watch is None or self._held or not citable(claim, self._evidence):
            return
        if claim.piece is not None or plausible(claim, self._evidence, words=self._same_language):
            id_ = claim.id or f"c{self._taken_back + len(self._shown) + 1}"
            await self._show(id_, self._prose.add(claim), self._prose.indexes(claim))
        else:
            self._held = True
            await self._clear()

    async def words(self, text: str) -> None:
        """What is being written of the next claim, shown as unchecked until it is complete."""
        if self._watch is not None and not self._held and text:
            self._drafted = True
            await self._watch.draft(text)
            await asyncio.sleep(0)

    async def _clear(self) -> None:
        if self._drafted and self._watch is not None:
            self._drafted = False
            await self._watch.draft("")

    def numbered(self, draft: Draft) -> Draft:
        """The draft with an id for each claim: those that were shown keep theirs."""
        first = self._taken_back + 1
        return replace(
            draft, claims=tuple(replace(claim, id=f"c{number}") for number, claim in enumerate(draft.claims, first))
        )

    async def rest(self, draft: Draft) -> None:
        """Show what has not been shown of a numbered draft, up to the first claim that fails its cheap check."""
        if self._watch is None:
            return
        self._held = False
        for claim in draft.claims[len(self._shown) :]:
            await self.write(claim)

    async def settle(self, draft: Draft) -> None:
        """The draft is final: replace what reads otherwise by now, take back what is gone, show what is missing.

        What stands afterwards, joined, is the text that `assemble` makes.
        """
        if self._watch is None:
            return
        await self._clear()
        final, prose = {claim.id: claim for claim in draft.claims}, Prose()
        for id_ in [id_ for id_ in self._shown if id_ not in final and id_ not in PARAGRAPHS]:
            await self._watch.replaced(id_, UNSUPPORTED, None)
            del self._shown[id_]
        if draft.acknowledgement:
            await self._show(ACKNOWLEDGEMENT, prose.paragraph(unmarked(draft.acknowledgement)), ())
        for id_, claim in final.items():
            piece = prose.add(claim)
            if id_ not in self._shown:
                await self._show(id_, piece, prose.indexes(claim))
            elif piece != self._shown[id_]:
                await self._watch.replaced(id_, claim.support, piece)
        for id_, text in ((OFFER, draft.offer or ""), (CLOSING, unmarked(draft.closing or ""))):
            if text:
                await self._show(id_, prose.paragraph(text), ())

    async def withdraw(self) -> None:
        """Take back everything: another answer follows, or none."""
        if self._watch is None:
            return
        await self._clear()
        for id_ in self._shown:
            await self._watch.replaced(id_, WITHDRAWN, None)
        self._taken_back += len(self._shown)
        self._shown = {}
        self._prose = Prose()
        self._held = False

    async def _show(self, id: str, piece: str, indexes: Sequence[int]) -> None:
        assert self._watch is not None  # noqa: S101
        self._shown[id] = piece
        await self._clear()
        await self._watch.claim(id, piece, indexes)
        await asyncio.sleep(0)  # whoever follows sends it before the next one is looked at


class WordsOnly:
    """Hears the words of a draft whose claims stand only once it is complete."""

    def __init__(self, showing: Showing) -> None:
        self._showing = showing

    async def write(self, claim: Claim) -> None:
        return None

    async def words(self, text: str) -> None:
        await self._showing.words(text)
