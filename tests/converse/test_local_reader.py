"""Follow-ups read without a model: which messages need the past, and what they carry over."""

from __future__ import annotations

import numpy as np
import pytest

from handrail.converse.llm_reader import LlmReader
from handrail.converse.local import LocalReader
from handrail.reading import label_of_follow_up
from handrail.types import Classification, Exchange, Label, Probe, Reading, Routing
from tests.answers import BRAND, PROMPTS, model_at
from tests.scripted_openai import Says, ScriptedOpenAI
from tests.stages import ask

pytestmark = pytest.mark.anyio

NEAR = Probe(np.array([1.0, 0.0], dtype=np.float32), {"passage_top": 0.7, "known": 1.0})
ASKED = "How do I connect a domain by DNS records?"
DOMAIN = Exchange(ASKED, ASKED, "Open Settings.", Routing.ANSWERED, ("domains:dns",), ("Connect by DNS records",))
OFFER = Exchange("domain", "domain", "", Routing.FOLLOWUP, (), ("Buy a domain", "Renew a domain"))


async def look(text: str) -> Probe:
    return NEAR


async def read(text: str, *history: Exchange, suspicious: bool = False) -> Reading:
    question = ask(text, history=history, suspicious=suspicious)
    return await LocalReader(look).read(question, NEAR)


@pytest.mark.parametrize(
    "text", ["why?", "And by nameservers?", "what about mobile", "how long does it take?", "and then?"]
)
async def test_a_follow_up_carries_the_question_before_it(text: str) -> None:
    reading = await read(text, DOMAIN)

    assert reading.kind == "follow_up"
    assert reading.text == f"{ASKED} {text}"
    assert reading.favoured == ("domains:dns",)


@pytest.mark.parametrize(
    "text",
    [
        "How do I give a customer their money back after a cancelled appointment?",
        "Where can I see which orders still need to be shipped this week?",
        "How do I set up a waitlist?",
        "hello",
        "No.",
        "yes",
        "thanks!",
        "how can i contact you?",
        "can I call you",
    ],
)
async def test_a_complete_message_is_left_exactly_as_it_is(text: str) -> None:
    assert await read(text, DOMAIN) == Reading(text)


async def test_a_complaint_asks_the_last_question_anew() -> None:
    assert await read("that's not what I asked", DOMAIN) == Reading(ASKED, "complaint")
    assert await read("that's not what I asked") == Reading("that's not what I asked")


async def test_what_comes_after_a_complaint_is_read_with_the_past() -> None:
    reading = await read("wrong answer. I use nameservers", DOMAIN)

    assert reading.kind == "follow_up"
    assert reading.text == f"{ASKED} I use nameservers"


async def test_an_announced_change_of_topic_is_read_without_the_announcement() -> None:
    reading = await read("Another question: where are my invoices?", DOMAIN)

    assert (reading.text, reading.kind, reading.depends) == ("where are my invoices?", "switch", False)


async def test_a_correction_leaves_out_what_was_taken_back() -> None:
    reading = await read("No, I meant nameservers, not records", DOMAIN)

    assert reading.kind == "correction"
    assert "records" not in reading.text.lower()
    assert reading.text.endswith("nameservers")


async def test_who_wants_no_pause_is_not_read_as_asking_for_one() -> None:
    cancel = Exchange("please cancel my plan", "please cancel my plan", "You can pause it.", Routing.HIGH_STAKES)

    reading = await read("no i don't want to pause it, cancel it", cancel)

    assert reading.kind == "correction"
    assert "cancel my plan" in reading.text
    assert "pause" not in reading.text


@pytest.mark.parametrize(
    ("message", "read_as"),
    [
        ("no i mean the amount not the day", "how do I change the amount my rent is taken"),
        ("sorry, I meant amount, not day", "how do I change the amount my rent is taken"),
        ("I meant the amount not rent", "how do I change the day the amount is taken"),
        ("no, I don't want to change it, I want to skip it", "how do I skip the day my rent is taken"),
        ("no, not the day, I want it taken on the first of each month", None),
    ],
)
async def test_a_word_put_right_takes_the_place_of_the_one_taken_back(message: str, read_as: str | None) -> None:
    asked = Exchange("x", "how do I change the day my rent is taken", "", Routing.ANSWERED, ("a",), ("Rent",))

    reading = await read(message, asked)

    assert reading.kind == "correction"
    assert read_as is None or reading.text == read_as


async def test_what_both_words_are_of_is_said_once() -> None:
    asked = Exchange("x", "is the red one in stock", "", Routing.ANSWERED, ("a",), ("Stock",))

    assert (await read("I meant the blue one, not the red one", asked)).text == "is the blue one in stock"


async def test_a_visitor_picks_from_what_was_offered() -> None:
    assert (await read("the second one", OFFER)).text == "Renew a domain"
    assert (await read("yes", OFFER)).kind == "fresh"


async def test_nothing_is_carried_over_from_a_plea_for_help() -> None:
    plea = Exchange("i need help", "i need help", "", Routing.FOLLOWUP, (), ("Domains", "Billing"))

    assert await read("domains", plea) == Reading("domains")
    assert (await read("why?", DOMAIN, plea)).text == f"{ASKED} why?"
    assert await read("can you help me?", DOMAIN) == Reading("can you help me?")


async def test_nothing_is_carried_over_from_who_asked_for_a_phone_number() -> None:
    number = Exchange("your phone number?", "your phone number?", "", Routing.OUT_OF_SCOPE)

    assert (await read("why?", DOMAIN, number)).text == f"{ASKED} why?"


async def test_what_a_person_wrote_last_is_searched_for_beside_the_message() -> None:
    to_person = Exchange("Can I move my waitlist?", "Can I move my waitlist?", "", Routing.HANDED_OFF, turn_id="2")
    thanks = Exchange("Great, thanks!", "Great, thanks!", "", Routing.HANDED_OFF, turn_id="3")
    person = Exchange("", "", "That needs the Business plan.", Routing.HANDED_OFF)

    reading = await read("how do I upgrade to it?", DOMAIN, to_person, person, thanks)

    assert reading.text == "Can I move my waitlist? how do I upgrade to it?"
    assert "That needs the Business plan. how do I upgrade to it?" in reading.beside
    assert reading.favoured == ()


async def test_neither_a_first_message_nor_a_suspicious_one_reads_the_past() -> None:
    assert await read("why?") == Reading("why?")
    assert await read("why?", DOMAIN, suspicious=True) == Reading("why?")


async def test_a_model_writes_the_standalone_question(llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script(Says({"depends": True, "question": "How long does connecting a domain by DNS records take?"}))
    async with model_at(llm_provider) as model:
        reader = LlmReader(model, PROMPTS, BRAND, LocalReader(look))
        reading = await reader.read(ask("how long?", history=(DOMAIN,)), NEAR)

    assert reading.text == "How long does connecting a domain by DNS records take?"
    assert f"Visitor: {ASKED}" in llm_provider.requests[0].user


async def test_a_model_that_loses_a_code_is_not_followed(llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script(Says({"depends": True, "question": "What does the error mean?"}))
    async with model_at(llm_provider) as model:
        reader = LlmReader(model, PROMPTS, BRAND, LocalReader(look))
        reading = await reader.read(ask("and TW-3007?", history=(DOMAIN,)), NEAR)

    assert reading.text == f"{ASKED} and TW-3007?"


def label(name: Label, probability: float = 0.96) -> Classification:
    return Classification(name, probability, "local")


def test_a_follow_up_is_labelled_by_its_standalone_form() -> None:
    follow_up, correction = Reading("x", "follow_up"), Reading("x", "correction")

    def decided(alone: Label, together: Label, reading: Reading = follow_up, text: str = "and then?") -> Label:
        message = ask(text, history=(DOMAIN,))
        return label_of_follow_up(label(alone), label(together), reading, message).label

    assert decided(Label.NONSENSE, Label.ANSWERABLE) is Label.ANSWERABLE
    assert decided(Label.NONSENSE, Label.IRRELEVANT) is Label.ANSWERABLE
    assert decided(Label.OUT_OF_SCOPE, Label.OUT_OF_SCOPE) is Label.OUT_OF_SCOPE
    assert decided(Label.HIGH_STAKES, Label.ANSWERABLE) is Label.HIGH_STAKES
    assert decided(Label.ANSWERABLE, Label.HIGH_STAKES, correction) is Label.ANSWERABLE

    weather = "What will the weather be like tomorrow?"
    assert decided(Label.IRRELEVANT, Label.ANSWERABLE, text=weather) is Label.IRRELEVANT
    assert decided(Label.IRRELEVANT, Label.ANSWERABLE, text="and what will it be like tomorrow?") is Label.ANSWERABLE
    assert decided(Label.IRRELEVANT, Label.ANSWERABLE, text="from Berlin") is Label.ANSWERABLE


@pytest.mark.parametrize(
    ("text", "probability", "kind", "serious"),
    [
        ("why?", 0.4, "follow_up", False),
        ("undo that", 0.8, "follow_up", False),
        ("no, the other one", 0.9, "correction", False),
        ("sorry, I mean Business", 0.97, "correction", False),
        ("THIEVES", 0.99, "follow_up", True),
        ("you are useless", 0.85, "follow_up", True),
        ("no, I was charged twice", 0.99, "correction", True),
        ("they paid in cash", 0.9, "follow_up", False),
        ("they stole my money", 0.97, "follow_up", True),
    ],
)
def test_a_few_words_after_a_question_are_serious_only_where_they_say_so(
    text: str, probability: float, kind: str, serious: bool
) -> None:
    alone, together = label(Label.HIGH_STAKES, probability), label(Label.ANSWERABLE)

    found = label_of_follow_up(alone, together, Reading("x", kind), ask(text, history=(DOMAIN,)))

    assert (found.label is Label.HIGH_STAKES) is serious


@pytest.mark.parametrize(
    "text", ["thanks, that worked", "got it", "that's all, bye", "never mind", "I don't understand"]
)
async def test_what_only_acknowledges_an_answer_carries_nothing_over(text: str) -> None:
    assert await read(text, DOMAIN) == Reading(text)


@pytest.mark.parametrize("text", [ASKED, ASKED.lower().rstrip("?"), "How can I connect a domain by DNS records?"])
async def test_a_question_asked_once_more_carries_nothing_over(text: str) -> None:
    later = Exchange("And by email?", f"{ASKED} And by email?", "", Routing.OUT_OF_SCOPE)

    assert await read(text, DOMAIN) == Reading(text)
    assert await read(text, DOMAIN, later) == Reading(text)
