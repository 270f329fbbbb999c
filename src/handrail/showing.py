"""What a visitor is shown of an answer before it is final: claim by claim, in order, each after its cheap check."""

from __future__ import annotations

from dataclasses import replace

from handrail.citations import Prose, citable
from handrail.plausible import plausible
from handrail.types import Claim, Draft, Evidence
from handrail.watch import TurnWatch

WITHDRAWN = "withdrawn"
UNSUPPORTED = "unsupported"


class Showing:
    """Shows claims while their answer is being written, and takes back what does not stand up later.

    A claim that fails its cheap check is held back, and so is what comes after it, since order matters; the checks
    that follow decide. Without a watcher nothing is checked early and nothing is shown.
    """

    def __init__(self, watch: TurnWatch | None) -> None:
        self._watch = watch
        self._evidence = Evidence("", ())
        self._prose = Prose()
        self._shown: dict[str, Claim | None] = {}
        self._taken_back = 0
        self._held = False

    def begin(self, evidence: Evidence) -> None:
        """An answer from `evidence` starts."""
        self._evidence = evidence

    async def write(self, claim: Claim) -> None:
        """A claim as it comes from the answerer. One that cites nothing it was given is dropped, as `enforce` will."""
        if self._watch is None or self._held or not citable(claim, self._evidence):
            return
        if plausible(claim, self._evidence):
            await self._show(claim)
        else:
            self._held = True

    async def paragraph(self, id: str, text: str | None) -> None:
        """A piece that rests on no passage, such as the acknowledgement of a high-stakes reply."""
        if self._watch is not None and text and id not in self._shown:
            self._shown[id] = None
            await self._watch.claim(id, self._prose.paragraph(text), ())

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
        for claim in draft.claims[self._claims_shown :]:
            await self.write(claim)

    async def settle(self, draft: Draft) -> None:
        """The draft is final: take back what it no longer holds, show what it holds beyond that."""
        if self._watch is None:
            return
        final = {claim.id: claim for claim in draft.claims}
        for id_, claim in list(self._shown.items()):
            if claim is None:
                continue
            kept = final.get(id_)
            if kept is None:
                await self._watch.replaced(id_, UNSUPPORTED, None)
            elif kept.text != claim.text:
                await self._watch.replaced(id_, kept.support, kept.text)
        for claim in draft.claims:
            if claim.id not in self._shown:
                await self._show(claim)

    async def withdraw(self) -> None:
        """Take back everything: another answer follows, or none."""
        if self._watch is None:
            return
        for id_ in self._shown:
            await self._watch.replaced(id_, WITHDRAWN, None)
        self._taken_back += self._claims_shown
        self._shown = {}
        self._prose = Prose()
        self._held = False

    @property
    def started(self) -> bool:
        return bool(self._shown)

    @property
    def _claims_shown(self) -> int:
        return sum(claim is not None for claim in self._shown.values())

    async def _show(self, claim: Claim) -> None:
        assert self._watch is not None  # noqa: S101
        id_ = claim.id or f"c{self._taken_back + self._claims_shown + 1}"
        self._shown[id_] = claim
        await self._watch.claim(id_, self._prose.add(claim), self._prose.indexes(claim))
