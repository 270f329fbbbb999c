"""What a visitor sees while an answer is written, and what becomes of claims that do not hold to be true."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest

from handrail.answer import Told
from handrail.errors import RetryableError
from handrail.types import (
    Claim,
    Classification,
    Draft,
    Evidence,
    Label,
    Offer,
    Question,
    RefusalReason,
    Routing,
    Verdict,
)
from tests.stages import (
    EVIDENCE,
    RECORDS,
    STEPS,
    UNSURE,
    Answers,
    Labels,
    Library,
    Retrieves,
    ask,
    asking,
    critique,
    engine,
    found,
    quoting,
    request,
    says,
    stages,
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
class Watcher:
    """What stands on the visitor's screen: pieces by id, in the order in which they came."""

    pieces: dict[str, str] = field(default_factory=dict)
    labels: list[str] = field(default_factory=list)
    stages: list[str] = field(default_factory=list)
    drafts: list[str] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)
    """All that was ever on the screen."""

    @property
    def text(self) -> str:
        return "".join(self.pieces.values())

    async def stage(self, name: str) -> None:
        self.stages.append(name)

    async def draft(self, text: str) -> None:
        self.drafts.append(text)

    async def claim(self, id: str, text: str, indexes: Sequence[int]) -> None:
        self.pieces[id] = text
        self.shown.append(text)

    async def replaced(self, id: str, label: str, replacement: str | None) -> None:
        self.labels.append(label)
        self.pieces[id] = replacement or ""


@pytest.mark.parametrize("tells", [False, True], ids=["at once", "claim by claim"])
async def test_what_stands_on_the_screen_in_the_end_is_the_answer(*, tells: bool) -> None:
    watcher = Watcher()
    chosen = stages(answerer=Answers(TWO, tells=tells), critic=critique(), verifier=Labels({}))

    turn = await engine(chosen).run(ask(), watcher)

    assert watcher.text == turn.outcome.answer
    assert list(watcher.pieces) == ["c1", "c2"]
    assert watcher.stages == ["understand", "retrieve", "generate", "verify", "critique"]
    assert watcher.labels == []


async def test_whole_sections_are_shown_one_by_one_with_their_titles() -> None:
    library = Library({"connect": found((STEPS, 0.9)), "record": found((RECORDS, 0.9))})
    watcher = Watcher()

    turn = await engine(quoting(understands=asking(request("connect"), request("record")), retriever=library)).run(
        ask("connect and record"), watcher
    )

    assert watcher.text == turn.outcome.answer
    assert list(watcher.pieces) == ["c1", "c2"]
    assert watcher.labels == []


async def test_a_serious_reply_is_shown_in_its_order() -> None:
    watcher = Watcher()

    turn = await engine(quoting(classifier=says(Label.HIGH_STAKES))).run(ask(), watcher)

    assert watcher.text == turn.outcome.answer
    assert list(watcher.pieces) == ["acknowledgement", "c1", "closing"]


async def test_a_claim_removed_by_a_later_check_leaves_the_final_answer_on_the_screen() -> None:
    watcher = Watcher()
    chosen = stages(answerer=Answers(TWO), verifier=Labels({"c1": "unsupported"}))

    turn = await engine(chosen).run(ask(), watcher)

    assert turn.outcome.routing is Routing.PARTIALLY_ANSWERED
    assert turn.outcome.answer == "Add the A record at your provider [1]."
    assert turn.outcome.factuality == 0.5
    assert watcher.text.strip() == turn.outcome.answer
    assert watcher.labels[0] == "unsupported"


async def test_the_last_of_three_claims_removed_leaves_the_others_as_they_stand() -> None:
    watcher = Watcher()
    three = replace(TWO, claims=[*TWO.claims, Claim("Open Settings.", (STEPS.id,))])
    chosen = stages(answerer=Answers(three), verifier=Labels({"c3": "unsupported"}))

    turn = await engine(chosen).run(ask(), watcher)

    assert watcher.text == turn.outcome.answer
    assert len(turn.outcome.claims) == 2


async def test_an_answer_whose_claims_do_not_stand_up_makes_room_in_sight_for_the_articles_own_words() -> None:
    watcher = Watcher()
    critic = critique()
    chosen = stages(answerer=Answers(TWO), verifier=Labels({"c1": "unsupported", "c2": "unsupported"}), critic=critic)

    turn = await engine(chosen).run(ask(), watcher)

    assert turn.outcome.routing is Routing.ANSWERED
    assert turn.reasons == {"answer": "unsupported_claims"}
    assert [piece.markdown for piece in turn.outcome.pieces] == [STEPS.text]
    assert watcher.text == turn.outcome.answer
    assert critic.calls == []


async def test_an_answer_whose_claims_do_not_stand_up_is_withdrawn_in_sight_and_a_person_offered() -> None:
    watcher = Watcher()
    critic = critique()
    chosen = stages(
        answerer=Answers(TWO),
        verifier=Labels({"c1": "unsupported", "c2": "unsupported"}),
        critic=critic,
        retriever=Retrieves(UNSURE),
    )

    turn = await engine(chosen).run(ask(), watcher)

    assert turn.outcome.routing is Routing.CANNOT_ANSWER
    assert turn.outcome.refusal_reason is RefusalReason.UNSUPPORTED_CLAIMS
    assert turn.outcome.escalation.offer is Offer.BUTTON
    assert turn.outcome.factuality == 0.0
    assert turn.outcome.citations == ()
    assert watcher.text == ""
    assert critic.calls == []


async def test_an_answer_that_the_critic_refuses_is_withdrawn_in_sight() -> None:
    watcher = Watcher()

    await engine(stages(answerer=Answers(TWO), critic=critique(Verdict.CANNOT))).run(ask(), watcher)

    assert watcher.text == ""
    assert set(watcher.labels) == {"withdrawn"}


@dataclass
class BreaksOff(Answers):
    """Tells of its first claim, then fails."""

    async def answer(self, *arguments: object, **named: object) -> Draft:
        told = arguments[3]
        await told.write(TWO.claims[0])  # type: ignore[attr-defined]
        raise RetryableError("the provider went away")


async def test_what_a_model_wrote_before_it_broke_off_is_taken_back_before_the_sections_are_shown() -> None:
    watcher = Watcher()

    turn = await engine(stages(answerer=BreaksOff(TWO))).run(ask(), watcher)

    assert watcher.labels == ["withdrawn"]
    assert list(watcher.pieces) == ["c1", "c2"]
    assert watcher.text == turn.outcome.answer
    assert turn.degraded == ("answer",)


async def test_an_implausible_claim_is_held_back_with_what_follows_until_it_is_checked() -> None:
    watcher = Watcher()
    odd = Draft([Claim("It costs 99 euros a month.", (STEPS.id,)), TWO.claims[1]], "scripted")

    turn = await engine(stages(answerer=Answers(odd, tells=True), verifier=Labels({"c1": "unsupported"}))).run(
        ask(), watcher
    )

    assert turn.outcome.answer == "Add the A record at your provider [1]."
    assert watcher.text.strip() == turn.outcome.answer
    assert not any("99" in text for text in watcher.shown)


async def test_a_claim_that_cites_nothing_it_was_given_is_never_shown() -> None:
    watcher = Watcher()
    invented = Draft([Claim("Trust me.", ("invented/1",)), TWO.claims[0]], "scripted")

    await engine(stages(answerer=Answers(invented, tells=True))).run(ask(), watcher)

    assert watcher.text == "Open Settings and choose Domains [1]."
    assert not any("Trust" in text for text in watcher.shown)


async def test_a_verifier_that_fails_leaves_claims_to_the_local_one() -> None:
    away = Labels({}, RetryableError("away"))
    chosen = stages(answerer=Answers(TWO), verifier=away, verifies_instead=Labels({"c2": "unsupported"}))

    turn = await engine(chosen).run(ask())

    assert turn.degraded == ("verify",)
    assert turn.outcome.answer == "Open Settings and choose Domains [1]."


@pytest.mark.parametrize(
    ("support", "score", "cautious"), [("supported", 0.9, False), ("unverified", None, True), ("unverified", 0.6, True)]
)
async def test_an_answer_that_is_not_all_proved_says_so_above(
    support: str, score: float | None, *, cautious: bool
) -> None:
    claims = [replace(claim, score=score) for claim in TWO.claims]
    chosen = stages(answerer=Answers(replace(TWO, claims=claims)), verifier=Labels({"c2": support}))

    turn = await engine(chosen).run(ask())

    assert turn.outcome.routing is Routing.ANSWERED
    assert (turn.outcome.disclaimer is not None) is cautious
    assert [claim.support for claim in turn.outcome.claims] == ["supported", support]


async def test_an_answer_to_what_may_be_serious_is_shown_in_its_order() -> None:
    watcher = Watcher()

    turn = await engine(quoting(classifier=says(Label.HIGH_STAKES, probability=0.7))).run(ask(), watcher)

    assert watcher.text == turn.outcome.answer


async def test_the_evidence_of_an_answer_is_what_was_found() -> None:
    turn = await engine(stages(answerer=Answers(TWO))).run(ask())

    assert [citation.passage for citation in turn.outcome.citations] == EVIDENCE.passages


@dataclass
class Drafts(Answers):
    """Tells the words of each claim before the claim itself."""

    async def answer(
        self, question: Question, classification: Classification, evidence: Evidence, told: Told | None = None
    ) -> Draft:
        assert told is not None
        draft = await super().answer(question, classification, evidence, None)
        for claim in draft.claims:
            await told.words(claim.text[:8])
            await told.write(claim)
        return draft


async def test_the_words_of_a_claim_are_gone_before_it_stands() -> None:
    watcher = Watcher()
    chosen = stages(answerer=Drafts(TWO), critic=critique(), verifier=Labels({}))

    turn = await engine(chosen).run(ask(), watcher)

    assert watcher.drafts == ["Open Set", "", "Add the ", ""]
    assert watcher.text == turn.outcome.answer


async def test_behind_a_claim_that_is_held_back_no_words_are_shown() -> None:
    invented = Draft([Claim("Pay 999 euros by post.", (STEPS.id,)), *TWO.claims], "scripted")
    watcher = Watcher()
    chosen = stages(answerer=Drafts(invented), critic=critique(), verifier=Labels({"c1": "unsupported"}))

    await engine(chosen).run(ask(), watcher)

    assert watcher.drafts == ["Pay 999 ", ""]


async def test_of_a_serious_reply_only_words_are_shown_before_it_is_complete() -> None:
    watcher = Watcher()
    chosen = stages(classifier=says(Label.HIGH_STAKES), answerer=Drafts(TWO), verifier=Labels({}))

    turn = await engine(chosen).run(ask(), watcher)

    assert watcher.drafts == ["Open Set", "Add the ", ""]
    assert watcher.text == turn.outcome.answer
