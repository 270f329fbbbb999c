"""What becomes of claims that later checks do not hold to be true, while a visitor is watching."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from handrail.errors import RetryableError
from handrail.types import (
    Claim,
    Critique,
    Draft,
    Evidence,
    Exchange,
    Offer,
    Probe,
    Question,
    Reading,
    RefusalReason,
    Routing,
    Verdict,
    Verified,
)
from tests.stages import (
    DRAFT,
    EVIDENCE,
    RECORDS,
    STEPS,
    Answers,
    Critiques,
    Retrieves,
    Script,
    ask,
    pipeline,
    stages,
    understood,
)

pytestmark = pytest.mark.anyio

TWO = Draft(
    [
        Claim("Open Settings and choose Domains.", (STEPS.id,)),
        Claim("Add the A record at your provider.", (RECORDS.id,)),
    ],
    "scripted",
)


@dataclass
class Labels:
    """A Verifier that gives each claim the label written for it."""

    labels: Mapping[str, str]
    error: Exception | None = None

    async def verify(self, question: Question, draft: Draft, evidence: Evidence) -> Verified:
        if self.error is not None:
            raise self.error
        claims = [replace(claim, support=self.labels.get(claim.id, "supported")) for claim in draft.claims]
        return Verified(
            replace(draft, claims=tuple(claims)), sum(claim.support == "supported" for claim in claims) / len(claims)
        )


@dataclass
class Watcher:
    """What stands on the visitor's screen: pieces by id, in order."""

    pieces: dict[str, str] = field(default_factory=dict)
    labels: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(self.pieces.values())

    async def stage(self, name: str) -> None:
        return None

    async def claim(self, id: str, text: str, indexes: Sequence[int]) -> None:
        self.pieces[id] = text

    async def replaced(self, id: str, label: str, replacement: str | None) -> None:
        self.labels.append(label)
        self.pieces[id] = replacement or ""


async def test_a_claim_removed_by_a_later_check_leaves_the_final_answer_on_the_screen() -> None:
    watcher = Watcher()
    chosen = stages(answerer=Answers(TWO), verifier=Labels({"c1": "unsupported"}))

    turn = await pipeline(chosen).run(ask(), watcher)

    assert turn.outcome.routing is Routing.PARTIALLY_ANSWERED
    assert turn.outcome.answer == "Add the A record at your provider [1]."
    assert turn.outcome.factuality == 0.5
    assert watcher.text.strip() == turn.outcome.answer
    assert watcher.labels[0] == "unsupported"


async def test_the_last_of_three_claims_removed_leaves_the_others_as_they_stand() -> None:
    watcher = Watcher()
    three = replace(TWO, claims=[*TWO.claims, Claim("Open Settings.", (STEPS.id,))])
    chosen = stages(answerer=Answers(three), verifier=Labels({"c3": "unsupported"}))

    turn = await pipeline(chosen).run(ask(), watcher)

    assert watcher.text == turn.outcome.answer
    assert len(turn.outcome.claims) == 2


async def test_an_answer_whose_claims_do_not_stand_up_is_withdrawn_in_sight_and_a_person_offered() -> None:
    watcher = Watcher()
    critic = Critiques(Critique(Verdict.FULLY, 0.9))
    chosen = stages(answerer=Answers(TWO), verifier=Labels({"c1": "unsupported", "c2": "unsupported"}), critic=critic)

    turn = await pipeline(chosen).run(ask(), watcher)

    assert turn.outcome.routing is Routing.CANNOT_ANSWER
    assert turn.outcome.refusal_reason is RefusalReason.UNSUPPORTED_CLAIMS
    assert turn.outcome.escalation.offer is Offer.BUTTON
    assert turn.outcome.factuality == 0.0
    assert turn.outcome.citations == ()
    assert watcher.text == ""
    assert critic.calls == []


async def test_a_verifier_that_fails_leaves_claims_to_the_local_one() -> None:
    chosen = stages(
        answerer=Answers(TWO),
        verifier=Labels({}, RetryableError("away")),
        fallback_verifier=Labels({"c2": "unsupported"}),
    )

    turn = await pipeline(chosen).run(ask())

    assert "verify" in turn.degraded
    assert turn.outcome.answer == "Open Settings and choose Domains [1]."


@dataclass
class Reads(Script[Reading]):
    async def read(self, question: Question, probe: Probe) -> Reading:
        return await self._run(question, probe)


async def test_a_follow_up_is_not_answered_with_the_same_quotation_again() -> None:
    quoted = Answers(replace(DRAFT, provider="extractive"))
    past = Exchange("q", "q", "Open Settings and choose Domains [1].", Routing.ANSWERED)
    reader = Reads(Reading("q. I did that, it does not work", "follow_up"))

    again = await pipeline(stages(answerer=quoted, reader=reader)).run(ask("I did that", history=(past,)))
    other = replace(past, answer="Something else [1].")
    first = await pipeline(stages(answerer=quoted, reader=reader)).run(ask("I did that", history=(other,)))

    assert again.outcome.routing is Routing.CANNOT_ANSWER
    assert again.outcome.escalation.offer is Offer.BUTTON
    assert first.outcome.routing is Routing.ANSWERED


async def test_what_somebody_in_despair_says_is_not_reworded() -> None:
    past = Exchange("q", "q", "Open Settings and choose Domains [1].", Routing.ANSWERED)
    reader = Reads(Reading("how do I pause my plan", "follow_up"))

    turn = await pipeline(stages(reader=reader)).run(ask("and how? I don't want to live anymore", history=(past,)))

    assert not reader.calls
    assert turn.question.text == "and how? I don't want to live anymore"


class HearsDespair(Retrieves):
    async def probe(self, text: str) -> Probe:
        return Probe(np.zeros(4, dtype=np.float32), understood=understood(crisis=0.9))


async def test_what_is_heard_as_despair_is_not_reworded_either() -> None:
    past = Exchange("q", "q", "Open Settings and choose Domains [1].", Routing.ANSWERED)
    reader = Reads(Reading("how do I pause my plan", "follow_up"))

    turn = await pipeline(stages(reader=reader, retriever=HearsDespair(EVIDENCE))).run(
        ask("and how? all is dark", history=(past,))
    )

    assert not reader.calls
    assert turn.question.text == "and how? all is dark"
