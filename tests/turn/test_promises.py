"""A person is only spoken of where there is one: every routing, in every language, whoever is or is not there."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from datetime import datetime
from importlib.resources import files
from zoneinfo import ZoneInfo

import pytest

from handrail.text.language import spoken
from handrail.turn import outcome
from handrail.turn.replies import COURTESIES
from handrail.turn.wording import PERSON, Wording, load_wording
from handrail.types import Label, Offer, Outcome, RefusalReason, Routing, Verdict
from handrail.types.people import NOBODY, PRESENT, Availability, People
from tests.stages import ask, engine, says, stages

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 22, 20, 0, tzinfo=BERLIN)
AWAY = People(Availability.AWAY, NOW)
CLOSED = People(Availability.CLOSED, NOW, datetime(2026, 11, 23, 9, 0, tzinfo=BERLIN))
ABSENT = (AWAY, CLOSED, NOBODY)
LANGUAGES = sorted(spoken())
PROMISE = "A person replies within one working day."

SOMEBODY = {
    "en": r"\bperson\b|\bsomeone\b|\bsomebody\b|\bcolleague\b|\bhuman\b|\bagent\b",
    "de": r"\bperson\b|\bjemand\b|\bkolleg|\bmenschen?\b|\bmitarbeiter",
    "fr": r"\bune personne\b|\bquelqu.un\b|\bcollègue\b|\bconseill",
    "es": r"\bpersona\b|\balguien\b|\bcolega\b|\bagente\b",
    "pt": r"\bpessoa\b|\balguém\b|\bcolega\b|\batendente\b",
    "ru": r"\bчеловек|\bкто-то\b|\bсотрудник|\bколлег|\bоператор",
    "ar": r"شخص|أحد\s+(?:الزملاء|الموظفين)|زميل|موظف",
}


def mentions(text: str, lang: str) -> bool:
    return re.search(SOMEBODY[lang], text, re.IGNORECASE) is not None


def texts(lang: str) -> dict[str, str]:
    return tomllib.loads((files("handrail.turn") / "languages" / f"{lang}.toml").read_text(encoding="utf-8"))


def outcomes(wording: Wording) -> dict[str, Outcome]:
    """One of every routing that has fixed words, as the pipeline builds them."""
    made = [outcome.static(label, wording, ["Bookings"]) for label in outcome.STATIC]
    made += [outcome.static(Label.IRRELEVANT, wording, rule=rule) for rule in COURTESIES.values()]
    made += [outcome.static(Label.OUT_OF_SCOPE, wording, rule="person")]
    made += [outcome.cannot_answer(reason, wording, 0.1) for reason in RefusalReason]
    made += [
        outcome.unavailable(wording),
        outcome.unavailable(wording, RefusalReason.PAUSED),
        outcome.followup(wording, ["DNS"], 0.2),
        outcome.not_listed(["TW-9"], wording, 0.0),
        outcome.closest([], {}, 0.4, wording),
        outcome.answered("Text.", Verdict.PARTLY, (), 0.7),
        outcome.low_confidence("Text.", (), 0.5, wording),
        outcome.high_stakes(f"{wording.say('high_stakes_ack')} {wording.say('high_stakes_close')}", (), 0.5),
    ]
    return {f"{one.routing.value} {index}": one for index, one in enumerate(made)}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_only_texts_known_to_mention_a_person_do(lang: str) -> None:
    """`handed_off` names whoever has the conversation, "{agent}": there is somebody then."""
    said = {key: text.replace("{agent}", "") for key, text in texts(lang).items()}

    assert {key for key, text in said.items() if mentions(text, lang)} <= PERSON


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("people", ABSENT, ids=lambda people: people.availability.value)
def test_nobody_is_mentioned_while_nobody_is_there(lang: str, people: People) -> None:
    wording = load_wording("Acme").into(lang, people)

    for name, made in outcomes(wording).items():
        reached = outcome.limit_offer(made, people)
        said = " ".join(filter(None, [reached.answer, reached.disclaimer, reached.notice]))
        assert not mentions(said, lang), (name, said)
        assert people.reachable or reached.escalation.offer is Offer.NONE, name


@pytest.mark.parametrize("lang", LANGUAGES)
def test_somebody_is_mentioned_while_somebody_is_there(lang: str) -> None:
    wording = load_wording("Acme").into(lang, PRESENT)

    assert mentions(wording.say("out_of_scope"), lang)
    assert mentions(wording.say("high_stakes_close"), lang)
    assert outcome.limit_offer(outcome.unavailable(wording), PRESENT).escalation.offer is Offer.BUTTON


@pytest.mark.parametrize("people", [AWAY, CLOSED], ids=["away", "closed"])
def test_while_nobody_is_there_a_request_can_still_be_left(people: People) -> None:
    wording = load_wording("Acme").into("en", people)

    reached = outcome.limit_offer(outcome.unavailable(wording), people)

    assert reached.escalation.offer is Offer.BUTTON
    assert "You can leave a request with your e-mail address." in reached.answer


def test_a_closed_desk_says_when_it_opens() -> None:
    closed = load_wording("Acme").into("en", CLOSED)
    far = replace(CLOSED, opens_at=datetime(2026, 12, 28, 9, 0, tzinfo=BERLIN))

    assert "It opens again on Monday, 09:00 (CET)." in closed.say("cannot_answer")
    assert "It opens again on 2026-12-28, 09:00 (CET)." in closed.into("en", far).say("cannot_answer")
    assert "opens again" not in closed.into("en", replace(CLOSED, opens_at=None)).say("cannot_answer")


def test_the_operators_own_words_stand_for_ours_while_nobody_is_there() -> None:
    wording = load_wording("Acme").into("en", replace(CLOSED, away_text="Back on Monday!"))

    assert wording.say("cannot_answer").split(". ")[1].startswith("Back on Monday!")


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("people", ABSENT, ids=lambda people: people.availability.value)
@pytest.mark.parametrize("email", [True, False])
def test_a_receipt_repeats_the_operators_promise_only_while_somebody_can_keep_it(
    lang: str, people: People, email: bool
) -> None:
    wording = load_wording("Acme").into(lang, people)

    said = wording.receipt(PROMISE, created=True, email=email)

    assert PROMISE not in said
    assert not mentions(said, lang)
    assert PROMISE in wording.into(lang, PRESENT).receipt(PROMISE, created=True, email=email)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("people", [AWAY, CLOSED], ids=lambda people: people.availability.value)
@pytest.mark.parametrize("email", [True, False])
def test_a_receipt_says_what_happens_next_while_nobody_is_there(lang: str, people: People, email: bool) -> None:
    wording, said = load_wording("Acme").into(lang, people), texts(lang)

    receipt = wording.receipt(PROMISE, created=True, email=email)

    assert said["read_later"] in receipt
    assert (said["reply_by_mail"] in receipt) is email
    assert (said["reply_here"] in receipt) is (said["add_email"] in receipt) is not email
    assert ("09:00" in receipt) is (people is CLOSED)


@pytest.mark.parametrize("people", [PRESENT, NOBODY], ids=lambda people: people.availability.value)
def test_a_receipt_speaks_of_later_only_where_a_request_waits(people: People) -> None:
    receipt = load_wording("Acme").into("en", people).receipt(PROMISE, created=True, email=True)

    assert texts("en")["read_later"] not in receipt


def test_an_expected_wait_is_told_in_whole_minutes_and_takes_the_place_of_the_promise() -> None:
    wording = load_wording("Acme").into("en", replace(PRESENT, wait_s=61.0, wait_most_s=600.0))

    said = wording.expectation(PROMISE)

    assert "answered within 2 min" in said
    assert "Four in five are answered within 10 min." in said
    assert PROMISE not in said
    assert "Four" not in wording.into("en", replace(PRESENT, wait_s=61.0)).expectation(PROMISE)


@pytest.mark.anyio
@pytest.mark.parametrize("people", [PRESENT, AWAY, CLOSED, NOBODY], ids=lambda people: people.availability.value)
async def test_a_turn_knows_who_is_there(people: People) -> None:
    turn = await engine(stages(classifier=says(Label.HIGH_STAKES))).run(ask("I want my money back", people=people))

    assert turn.outcome.routing is Routing.HIGH_STAKES
    assert (turn.outcome.escalation.offer is Offer.NONE) is (people is NOBODY)


@pytest.mark.anyio
async def test_with_hand_off_switched_off_nobody_is_offered_whatever_the_caller_says() -> None:
    off = engine(stages(classifier=says(Label.OUT_OF_SCOPE)), brand={"person_available": False})

    turn = await off.run(ask())

    assert turn.outcome.escalation.offer is Offer.NONE
    assert not mentions(turn.outcome.answer, "en")
    assert "Nobody reads requests" in turn.outcome.answer
