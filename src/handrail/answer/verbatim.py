"""The default answerer, without a language model: whole sections of the articles, and fixed words around them."""

from __future__ import annotations

from collections.abc import Sequence

from handrail.answer import Told
from handrail.answer.gate import Band
from handrail.answer.pieces import QUOTED, Pieces
from handrail.answer.policy import Policy
from handrail.turn.wording import Wording
from handrail.types import Claim, Classification, Draft, Evidence, Label, Question, Routing

CRISIS = "crisis"


class VerbatimAnswerer:
    """An Answerer."""

    least = Band.ANSWERED

    def __init__(self, pieces: Pieces, wording: Wording, policy: Policy) -> None:
        self._pieces = pieces
        self._wording = wording
        self._policy = policy

    async def answer(
        self, question: Question, classification: Classification, evidence: Evidence, told: Told | None = None
    ) -> Draft:
        claims = self._claims(evidence)
        if classification.label is not Label.HIGH_STAKES:
            return Draft(claims, QUOTED)
        crisis = classification.rule == CRISIS
        wording = self._wording.into(question.lang, question.people)
        last = question.history[-1] if question.history else None
        again = last is not None and last.routing is Routing.HIGH_STAKES
        said = [wording.say("high_stakes_ack_again") if again else wording.acknowledge(classification.matter)]
        if crisis:
            said.append(wording.say("in_danger"))
        elif claims:
            said.append(wording.say("high_stakes_context"))
        context = question.context
        offer = None if question.declined else self._policy.offer_for(question.text, context, question.history)
        return Draft(
            () if crisis else claims,
            QUOTED,
            acknowledgement="\n\n".join(said),
            offer=None if crisis else self._policy.said(question.text, context, offer),
            closing=wording.say("high_stakes_close"),
        )

    def _claims(self, evidence: Evidence) -> Sequence[Claim]:
        """Those of each request in turn; a section that answers two of them is quoted once."""
        asked = evidence.parts or (evidence,)
        claims = [claim for one in asked for claim in self._pieces.claims(one, several=len(asked) > 1)]
        return tuple({claim.text: claim for claim in claims}.values())
