"""A decision model's word on claims in doubt: it takes support away and never gives any."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from handrail.assembly.deciding import build_decider, support_opinions
from handrail.decide.calibration import Maps
from handrail.decide.local import LocalDecisionModel
from handrail.decide.questions import load_decisions
from handrail.settings import Settings, Verify
from handrail.types import Claim, Draft, Evidence, Proof, Question, Verified
from handrail.verify.decided import DecidedVerifier
from handrail.verify.label import labelled, verified
from tests.answers import evidence, question
from tests.decide.system_one import Server, chosen
from tests.stages import DRAFT, STEPS, Answers, ask, engine, stages

pytestmark = pytest.mark.anyio

ARTICLES = evidence({"a/1": "Refunds take 5 days.", "a/2": "Refunds go back to the card."})


class Says:
    """A first verifier with one opinion of everything."""

    def __init__(self, *proofs: Proof) -> None:
        self._proofs = proofs

    async def verify(self, question: Question, draft: Draft, evidence: Evidence) -> Verified:
        given = {hit.passage.id: hit.passage for hit in evidence.hits}
        return verified(draft, [labelled(claim, self._proofs, given) for claim in draft.claims])


def proof(score: float, support: str, by: str = "local", passage_id: str = "a/1") -> Proof:
    return Proof(passage_id, support, score, by, ((0, 20),) if support == "supported" else ())


async def check(
    decision_server: Server, *proofs: Proof, cites: tuple[str, ...] = ("a/1",), claims: int = 1, **settings: Any
) -> list[Claim]:
    decisions = {"model": "system-one:judge-7", "base_url": decision_server.url, "grey_to": 0.95}
    decider = build_decider(
        Settings.model_validate({"decisions": decisions}), LocalDecisionModel(load_decisions(), {}, Maps()), Maps()
    )
    verifier = DecidedVerifier(Says(*proofs), support_opinions(decider), Verify(**settings))
    draft = Draft([Claim(f"You wait {number + 2} days.", cites) for number in range(claims)], "llm")
    try:
        return list((await verifier.verify(question("refund?"), draft, ARTICLES)).draft.claims)
    finally:
        await decider.aclose()


@pytest.mark.parametrize(
    ("first", "said", "becomes"),
    [
        (proof(0.6, "unverified"), 0.1, ("unsupported", 0.1)),
        (proof(0.6, "unverified"), 0.4, ("unverified", 0.4)),
        (proof(0.6, "unverified"), 0.99, ("unverified", 0.6)),
        (proof(0.9, "supported"), 0.5, ("unverified", 0.5)),
        (proof(0.9, "supported"), 0.1, ("unsupported", 0.1)),
        (proof(0.9, "supported"), 0.87, ("supported", 0.87)),
        (proof(0.95, "supported", by="llm"), 0.1, ("unsupported", 0.1)),
    ],
)
async def test_support_is_taken_away_and_never_given(
    decision_server: Server, first: Proof, said: float, becomes: tuple[str, float]
) -> None:
    decision_server.answers = chosen("", said)

    (claim,) = await check(decision_server, first)

    assert claim.support == becomes[0]
    assert claim.score == pytest.approx(becomes[1])
    assert decision_server.requests[0]["state"] == {
        "claim": claim.text,
        "title": "A/1",
        "passage": "Refunds take 5 days.",
    }


async def test_of_two_passages_the_one_that_still_proves_it_is_cited(decision_server: Server) -> None:
    decision_server.answers = chosen("", 0.1)
    both = (proof(0.9, "supported"), proof(0.97, "supported", passage_id="a/2"))

    (claim,) = await check(decision_server, *both, cites=("a/1", "a/2"))

    assert len(decision_server.requests) == 1, "one is beyond the grey zone"
    assert (claim.support, claim.passage_ids) == ("supported", ("a/2",))


async def test_a_claim_nobody_could_tell_about_is_asked_about(decision_server: Server) -> None:
    decision_server.answers = chosen("", 0.1)

    (claim,) = await check(decision_server)

    assert (claim.support, claim.proofs[0].by) == ("unsupported", "decision")


@pytest.mark.parametrize("first", [proof(1.0, "supported", by="quote"), proof(0.05, "unsupported")])
async def test_quotations_and_what_can_sink_no_lower_are_not_asked_about(decision_server: Server, first: Proof) -> None:
    (claim,) = await check(decision_server, first)

    assert decision_server.requests == []
    assert claim.proofs == (first,)


async def test_no_more_claims_than_the_settings_say_are_asked_about(decision_server: Server) -> None:
    decision_server.answers = chosen("", 0.1)

    found = await check(decision_server, proof(0.6, "unverified"), claims=4, max_judged=2)

    assert len(decision_server.requests) == 2
    assert sorted(claim.support for claim in found) == ["unsupported", "unsupported", "unverified", "unverified"]


async def test_when_the_model_is_away_the_first_labels_stand(decision_server: Server) -> None:
    decision_server.status = 503

    (claim,) = await check(decision_server, proof(0.9, "supported"))

    assert (claim.support, claim.score, claim.proofs[0].by) == ("supported", 0.9, "local")


async def test_an_answer_loses_the_claim_that_the_model_denies(decision_server: Server) -> None:
    decision_server.answers = lambda name, asked: {"type": "noul", "noul": 0.05}
    decisions = {"model": "system-one:judge-7", "base_url": decision_server.url}
    settings = Settings.model_validate({"decisions": decisions})
    decider = build_decider(settings, LocalDecisionModel(load_decisions(), {}, Maps()), Maps())
    doubtful = proof(0.6, "unverified", passage_id=STEPS.id)
    verifier = DecidedVerifier(Says(doubtful), support_opinions(decider), settings.verify)
    draft = replace(DRAFT, claims=[Claim("Domains are free for ever.", (STEPS.id,))])

    turn = await engine(stages(verifier=verifier, answerer=Answers(draft))).run(ask())
    await decider.aclose()

    assert turn.reasons == {"answer": "unsupported_claims"}
    assert "free for ever" not in turn.outcome.answer
