"""A message understood by local heads: its requests, the ways it may be meant, and what it does in its conversation.

The heads are scripted: each message is heard as its test says, however it is worded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from handrail.types import (
    Act,
    Classification,
    Evidence,
    Exchange,
    Label,
    Probe,
    Question,
    Routing,
    Understanding,
    Understood,
    Wordings,
)
from handrail.types.filters import Filters
from handrail.understand.local import LocalUnderstanding
from tests.stages import CLASSIFY, NOTHING, PROBE, ask, label

pytestmark = pytest.mark.anyio

ASKED = "How do I connect a domain?"
DOMAIN = Exchange(ASKED, ASKED, "Open Settings.", Routing.ANSWERED, ("domains:dns",), ("Connect by DNS records",))
REQUEST = Understood({Act.REQUEST: 0.9, Act.THANKS: 0.1}, 0.0, 0.0, 0.0)


def understood_as(act: Act = Act.REQUEST, probability: float = 0.9, **outputs: Any) -> Understood:
    acts: dict[str, float] = {Act.REQUEST: 1 - probability, act: probability}
    return replace(Understood(acts, 0.0, 0.0, 0.0), **outputs)


def told(answerable: float) -> Classification:
    found = label(Label.ANSWERABLE, answerable)
    return replace(found, probabilities={Label.ANSWERABLE: answerable, Label.IRRELEVANT: 1 - answerable})


@dataclass
class Heads:
    """A Retriever that hears, and a Classifier: by what a message holds, the first word that it does."""

    said: Mapping[str, Understood] = field(default_factory=dict)
    labels: Mapping[str, Classification] = field(default_factory=dict)
    deaf: bool = False
    looked: list[str] = field(default_factory=list)
    classified: list[str] = field(default_factory=list)

    async def probe(self, text: str) -> Probe:
        self.looked.append(text)
        if self.deaf:
            return PROBE
        found = next((said for word, said in self.said.items() if word in text.casefold()), REQUEST)
        return replace(PROBE, understood=found)

    async def retrieve(
        self, query: str, filters: Filters, probe: Probe | None = None, wordings: Wordings | None = None
    ) -> Evidence:
        return NOTHING

    async def classify(self, question: Question, probe: Probe) -> Classification:
        self.classified.append(question.text)
        found = (said for word, said in self.labels.items() if word in question.text.casefold())
        return next(found, label(Label.ANSWERABLE, 0.9))


async def read(heads: Heads, text: str, *history: Exchange, suspicious: bool = False) -> Understanding:
    return await LocalUnderstanding(heads, heads, CLASSIFY).read(ask(text, history=history, suspicious=suspicious))


async def test_a_message_that_asks_one_thing_is_one_request_in_its_own_words() -> None:
    found = await read(Heads(), ASKED)

    [request] = found.requests
    [sense] = request.senses
    assert (request.text, sense.text, sense.prior, sense.carried) == (ASKED, ASKED, 1.0, False)
    assert sense.classification.label is Label.ANSWERABLE
    assert sense.probe.understood == REQUEST
    assert found.whole == request
    assert (found.act, found.crisis, found.wants_person, found.refuses_offer) == (Act.REQUEST, False, False, False)


async def test_where_nothing_hears_a_message_it_is_a_request_that_needs_no_past() -> None:
    found = await read(Heads(deaf=True), "thanks a lot", DOMAIN)

    assert (found.act, found.depends) == (Act.REQUEST, 0.0)
    assert [sense.text for sense in found.whole.senses] == ["thanks a lot"]


@pytest.mark.parametrize(("probability", "certain"), [(0.9, True), (0.51, True), (0.45, False)])
async def test_what_a_message_does_is_told(probability: float, *, certain: bool) -> None:
    found = await read(Heads({"cheers": understood_as(Act.STILL_FAILS, probability)}), "cheers mate")

    assert found.act is (Act.STILL_FAILS if certain else Act.REQUEST)


@pytest.mark.parametrize("act", [Act.THANKS, Act.GREETING, Act.NO, Act.CHAT])
@pytest.mark.parametrize(
    ("probability", "off_topic", "social"), [(0.6, 0.9, True), (0.95, 0.3, True), (0.6, 0.05, False)]
)
async def test_a_courtesy_is_one_as_far_as_its_label_asks_for_nothing(
    act: Act, probability: float, off_topic: float, *, social: bool
) -> None:
    heads = Heads({"cheers": understood_as(act, probability)}, {"cheers": told(1 - off_topic)})

    assert (await read(heads, "cheers mate")).act is (act if social else Act.REQUEST)


@pytest.mark.parametrize(("refuses", "act"), [(0.9, Act.NO), (0.1, Act.REQUEST)])
async def test_a_no_to_an_offer_asks_for_nothing_whatever_the_offer_was_about(refuses: float, act: Act) -> None:
    said = understood_as(Act.NO, 0.6, refuses_offer=refuses)

    assert (await read(Heads({"agent": said}, {"agent": told(0.95)}), "no agent needed")).act is act


@pytest.mark.parametrize(("depends", "act"), [(0.05, Act.ABOUT_ASSISTANT), (0.85, Act.REQUEST)])
async def test_what_goes_on_from_what_was_said_is_not_about_the_assistant(depends: float, act: Act) -> None:
    said = understood_as(Act.ABOUT_ASSISTANT, 0.6, depends=depends)

    assert (await read(Heads({"delete": said}, {"delete": told(0.5)}), "will you delete it")).act is act


async def test_what_is_serious_is_asked_for_though_an_offer_is_declined_with_it() -> None:
    said = understood_as(Act.NO, 0.6, refuses_offer=0.9)
    serious = label(Label.HIGH_STAKES, 0.9)

    assert (await read(Heads({"cancel": said}, {"cancel": serious}), "just cancel it, no discounts")).act is Act.REQUEST


@pytest.mark.parametrize(
    ("value", "refuses", "crisis", "person"),
    [(0.8, True, True, True), (0.5, True, True, False), (0.3, False, True, False), (0.29, False, False, False)],
)
async def test_a_crisis_is_acted_on_early_and_the_wish_for_a_person_late(
    value: float, *, refuses: bool, crisis: bool, person: bool
) -> None:
    said = understood_as(Act.ASKS_PERSON, value, refuses_offer=value, crisis=value)

    found = await read(Heads({"leave": said}, {"leave": told(0.7)}), "leave me in peace")

    assert (found.refuses_offer, found.crisis, found.wants_person) == (refuses, crisis, person)


@pytest.mark.parametrize(("answerable", "wanted"), [(0.5, True), (0.95, False)])
async def test_words_about_people_are_no_wish_for_one_where_the_articles_can_answer(
    answerable: float, *, wanted: bool
) -> None:
    heads = Heads({"talk": understood_as(Act.ASKS_PERSON, 0.9)}, {"talk": told(answerable)})

    assert (await read(heads, "can my customers talk to a person")).wants_person is wanted


@pytest.mark.parametrize(
    ("name", "between", "crisis"),
    [
        (Label.HIGH_STAKES, 0, True),
        (Label.HIGH_STAKES, 2, True),
        (Label.HIGH_STAKES, 3, False),
        (Label.ANSWERABLE, 0, False),
    ],
)
async def test_despair_goes_on_in_serious_messages_that_follow_soon(name: Label, between: int, *, crisis: bool) -> None:
    dark = Exchange("all is dark", "all is dark", "", Routing.HIGH_STAKES)
    heads = Heads({"dark": understood_as(crisis=0.9)}, {"joking": label(name, 0.6)})

    assert (await read(heads, "i am not joking", dark, *[DOMAIN] * between)).crisis is crisis


@pytest.mark.parametrize("deaf", [False, True])
async def test_phrases_of_despair_count_whatever_the_heads_say(*, deaf: bool) -> None:
    assert (await read(Heads(deaf=deaf), "I don't want to live anymore")).crisis


async def test_a_follow_up_may_be_meant_with_what_was_said_before_or_alone_each_as_likely_as_heard() -> None:
    heads = Heads({"long": understood_as(depends=0.7)})

    found = await read(heads, "how long?", DOMAIN)

    [together, alone] = found.whole.senses
    assert (together.text, together.prior) == (f"{ASKED} how long?", 0.7)
    assert together.wordings is not None and together.wordings.favoured == ("domains:dns",)
    assert (alone.text, alone.carried) == ("how long?", False)
    assert alone.prior == pytest.approx(0.3)
    assert found.depends == 0.7
    assert list(found.requests) == [found.whole]


@pytest.mark.parametrize(("depends", "texts"), [(0.14, ["alone"]), (0.86, ["together"]), (0.5, ["together", "alone"])])
async def test_a_way_that_is_hardly_meant_is_not_looked_up(depends: float, texts: list[str]) -> None:
    found = await read(Heads({"long": understood_as(depends=depends)}), "how long?", DOMAIN)

    assert [("together" if sense.carried else "alone") for sense in found.whole.senses] == texts


async def test_neither_a_first_message_nor_a_suspicious_one_reads_the_past() -> None:
    heads = Heads({"long": understood_as(depends=0.9)})

    assert [sense.text for sense in (await read(heads, "how long?")).whole.senses] == ["how long?"]
    assert [sense.text for sense in (await read(heads, "how long?", DOMAIN, suspicious=True)).whole.senses] == [
        "how long?"
    ]


GRAVE, OUT, OFF = (label(name, 0.9) for name in (Label.HIGH_STAKES, Label.OUT_OF_SCOPE, Label.IRRELEVANT))


async def standing(alone: Classification, together: Classification, last: Exchange = DOMAIN) -> Label:
    """What a follow-up counts as whose own label and label with the past are these."""
    heads = Heads({"long": understood_as(depends=0.9)}, {last.standalone.casefold(): together, "long": alone})
    [sense] = (await read(heads, "how long?", last)).whole.senses
    return sense.classification.label


async def test_a_follow_up_is_labelled_with_the_question_before_it() -> None:
    nonsense = label(Label.NONSENSE, 0.9)

    assert await standing(nonsense, label(Label.ANSWERABLE, 0.9)) is Label.ANSWERABLE
    assert await standing(OUT, OUT, replace(DOMAIN, routing=Routing.CANNOT_ANSWER)) is Label.OUT_OF_SCOPE


async def test_after_an_answer_a_follow_up_is_a_question_about_it() -> None:
    assert await standing(OFF, OFF) is Label.ANSWERABLE


async def test_a_follow_up_is_serious_where_it_is_so_by_itself_and_not_because_the_question_before_was() -> None:
    assert await standing(replace(GRAVE, probability=0.97), label(Label.ANSWERABLE, 0.9)) is Label.HIGH_STAKES
    assert await standing(replace(GRAVE, probability=0.8), label(Label.ANSWERABLE, 0.9)) is Label.ANSWERABLE
    assert await standing(OFF, GRAVE, replace(DOMAIN, routing=Routing.HIGH_STAKES)) is Label.ANSWERABLE


@pytest.mark.parametrize(
    ("text", "requests"),
    [
        (
            "how do I refund an order and how do I print a label",
            ["how do I refund an order.", "how do I print a label."],
        ),
        (
            "I run a small bakery. How do I refund an order? It came yesterday. How do I print a label?",
            ["I run a small bakery. How do I refund an order? It came yesterday.", "How do I print a label?"],
        ),
        ("I run a small bakery. How do I refund an order?", None),
        ("How do I refund an order? It came yesterday.", None),
    ],
)
async def test_parts_that_ask_are_requests_and_the_others_belong_to_them(text: str, requests: list[str] | None) -> None:
    story = understood_as(Act.CHAT)
    heads = Heads({"refund": REQUEST, "print": REQUEST, "bakery": story, "yesterday": story})

    found = await read(heads, text)

    assert [request.text for request in found.requests] == (requests or [text])
    assert found.whole.text == text


async def test_a_part_that_points_back_at_the_one_before_it_is_read_behind_it() -> None:
    heads = Heads({"refund": REQUEST, "undo": understood_as(depends=0.9)})

    found = await read(heads, "How do I refund an order, and can I undo it later?")

    assert len(found.requests) == 2
    together, alone = found.requests[1].senses
    assert together.text == f"{found.requests[0].text} {alone.text}"
    assert together.prior == 0.9
    assert alone.prior == pytest.approx(0.1)


async def test_a_request_is_also_looked_up_without_what_stands_around_it() -> None:
    heads = Heads({"salon": understood_as(Act.CHAT), "refund": REQUEST})

    found = await read(heads, "I run a small salon by the sea. How do I refund an order?")

    [request] = found.requests
    assert [sense.text for sense in request.senses] == [request.text, "How do I refund an order?"]


@pytest.mark.parametrize(
    "doubtful", [label(Label.NONSENSE, 0.9), label(Label.IRRELEVANT, 0.9), label(Label.ANSWERABLE, 0.5)]
)
async def test_a_part_that_is_no_clear_question_is_no_request(doubtful: Classification) -> None:
    heads = Heads(labels={"weather": doubtful})

    found = await read(heads, "How do I refund an order? And how about the weather?")

    assert len(found.requests) == 1


@pytest.mark.parametrize("other", [GRAVE, OUT])
async def test_a_serious_part_and_one_that_a_person_settles_are_requests(other: Classification) -> None:
    heads = Heads(labels={"money": other})

    found = await read(heads, "How do I print a label? And I want my money back.")

    assert [request.senses[0].classification.label for request in found.requests] == [Label.ANSWERABLE, other.label]


async def test_a_serious_matter_told_in_several_sentences_is_one_request() -> None:
    heads = Heads(labels={"account": GRAVE, "bank": GRAVE})

    found = await read(heads, "Somebody was in my account from another country! And my bank details were changed.")

    [request] = found.requests
    assert [sense.text for sense in request.senses] == [request.text]


async def test_more_than_three_requests_are_one_message() -> None:
    text = "How do I refund it? How do I print it? How do I send it? How do I track it?"

    assert [request.text for request in (await read(Heads(), text)).requests] == [text]


async def test_a_suspicious_message_is_never_cut() -> None:
    text = "How do I refund an order? How do I print a label?"

    assert len((await read(Heads(), text)).requests) == 2
    assert [request.text for request in (await read(Heads(), text, suspicious=True)).requests] == [text]


async def test_each_request_is_classified_and_embedded_in_its_own_words() -> None:
    heads = Heads()

    found = await read(heads, "how do I refund an order and how do I print a label")

    texts = [request.senses[0].text for request in found.requests]
    assert texts == ["how do I refund an order.", "how do I print a label."]
    assert set(texts) <= set(heads.looked) & set(heads.classified)
