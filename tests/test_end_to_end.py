"""The whole product without HTTP, as it ships, over the sample help centre: real models, real index."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from handrail.assembly import Assistant, build_parts
from handrail.cli.ingest import sample_folder
from handrail.turn.present import response
from handrail.turn.wording import load_wording
from handrail.types import Label, Offer, Outcome, Question, RefusalReason, Routing, Turn
from tests.sample import sample_settings
from tests.stages import ask

pytestmark = [pytest.mark.anyio, pytest.mark.models]


MISSED = pytest.mark.xfail(reason="the models that ship do not tell it yet", strict=False)


def missed(*values: str) -> Any:
    return pytest.param(*values, marks=MISSED)


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def assistant(sample_index: Path) -> AsyncIterator[Assistant]:
    assistant = Assistant(sample_settings(sample_index))
    await assistant.start()
    yield assistant
    await assistant.stop()


def opening(text: str = "How do I connect a domain?", **fields: Any) -> Question:
    """A message that opens a conversation of its own."""
    return ask(text, conversation_id=uuid4().hex, **fields)


def cited(turn: Turn) -> list[str]:
    return list(dict.fromkeys(citation.passage.article_id for citation in turn.outcome.citations))


@pytest.mark.parametrize(
    ("text", "article"),
    [
        ("How do I connect a domain I already own by DNS records?", "domains:connect-by-dns-records"),
        ("How do I refund a customer?", "payments:refund-a-customer"),
        ("How do I reset my password?", "account:reset-your-password"),
        ("How do I connect Google Calendar?", "integrations:google-calendar"),
        ("How can I create a discount code?", "store:discount-codes"),
        ("How do I set up a waitlist?", "bookings:waitlist"),
        ("How do I add a favicon?", "website:favicon-and-logo"),
        ("Where can I download my invoices?", "billing:invoices-and-receipts"),
        ("How do I import my customers from a CSV file?", "getting-started:import-your-customers"),
        ("How do I set up two-step sign-in?", "account:two-step-sign-in"),
        ("How do I pause my plan?", "billing:pause-your-plan"),
        ("How do I invite a team member?", "team:invite-a-team-member"),
    ],
)
async def test_a_plain_question_is_answered_from_its_article(assistant: Assistant, text: str, article: str) -> None:
    turn = await assistant.ask(opening(text))

    assert turn.outcome.routing is Routing.ANSWERED
    assert cited(turn)[0] == article
    assert 1 <= len(turn.outcome.sources) <= 2
    assert_proven(turn.outcome)


@pytest.mark.parametrize(
    ("text", "article"),
    [
        missed("Wie verbinde ich meine eigene Domain?", "domains:connect"),
        missed("Comment ajouter un membre à mon équipe ?", "team:invite-a-team-member"),
        ("Как сбросить пароль?", "account:reset-your-password"),
    ],
)
async def test_who_writes_in_another_language_reads_the_right_article(
    assistant: Assistant, text: str, article: str
) -> None:
    turn = await assistant.ask(opening(text))

    assert turn.outcome.routing in (Routing.ANSWERED, Routing.LOW_CONFIDENCE)
    assert cited(turn)[0].startswith(article)
    assert turn.outcome.notice
    assert_proven(turn.outcome)


async def test_who_wants_his_money_back_in_another_language_gets_a_person(assistant: Assistant) -> None:
    turn = await assistant.ask(opening("Ich will mein Geld zurück, sofort!"))

    assert turn.outcome.routing is Routing.HIGH_STAKES
    assert turn.outcome.escalation.offer is Offer.BUTTON


def assert_proven(outcome: Outcome) -> None:
    """Every number in the text is a citation; what is quoted is in its article, word for word."""
    shown = {int(number) for number in re.findall(r"\[(\d+)\]", outcome.answer)}
    assert shown <= {citation.index for citation in outcome.citations}
    for piece in [*outcome.pieces, *(card.piece for card in outcome.closest)]:
        source = _words(_body(piece.article_id))
        assert all(_words(line) in source for line in piece.markdown.splitlines())
    for piece in outcome.pieces:
        assert piece.span is not None
        assert outcome.answer[slice(*piece.span)].startswith(piece.markdown[:20])


def _body(article: str) -> str:
    return (Path(sample_folder()) / f"{article.replace(':', '/')}.md").read_text(encoding="utf-8")


def _words(text: str) -> str:
    """Without the targets of links, which are made absolute."""
    return " ".join(re.findall(r"\w+", re.sub(r"\]\([^)]*\)", "] ", text)))


async def test_the_questions_of_the_demo_are_answered_with_every_step_and_warning(assistant: Assistant) -> None:
    for chip in assistant.settings.brand.suggestions:
        outcome = (await assistant.ask(opening(chip))).outcome

        assert outcome.routing is Routing.ANSWERED, chip
        best = outcome.pieces[0]
        steps_and_notes = re.findall(r"(?m)^(?:\d+\.|>) .+$", _section(_body(best.article_id), best.section))
        assert steps_and_notes, chip
        assert all(_words(line) in _words(best.markdown) for line in steps_and_notes), chip


def _section(body: str, path: str) -> str:
    """What stands under the last heading of `path`; under all "Step n" where a procedure is in sections of its own."""
    under = dict(re.findall(r"(?ms)^#{1,6} ([^\n]+)\n(.*?)(?=^#{1,6} |\Z)", body))
    heading = path.split(" › ")[-1]
    return under[heading] if heading else "\n".join(text for name, text in under.items() if name.startswith("Step "))


PAUSE = "you can pause your plan instead of cancelling"


async def test_an_offer_is_made_to_who_leaves_and_not_to_who_wants_none(assistant: Assistant) -> None:
    conversation = uuid4().hex
    texts = ("I want to cancel my plan", "please spare me your offers and end it", "so please cancel my plan")

    offered, refused, later = [await assistant.ask(ask(text, conversation_id=conversation)) for text in texts]

    assert PAUSE in offered.outcome.answer
    assert PAUSE not in refused.outcome.answer + later.outcome.answer
    assert refused.outcome.escalation.offer is Offer.BUTTON


async def test_a_serious_matter_beside_a_question_leaves_neither_unanswered(assistant: Assistant) -> None:
    turn = await assistant.ask(opening("How do I cancel my plan and how do I add a team member?"))

    assert turn.outcome.escalation.offer is Offer.BUTTON
    assert {"billing:cancel-your-plan", "team:invite-a-team-member"} <= set(cited(turn))


async def test_the_table_of_prices_is_found_by_what_its_rows_say(sample_index: Path) -> None:
    settings = sample_settings(sample_index)
    parts = build_parts(settings)

    evidence = await parts.retriever(settings).retrieve("What does each plan cost?", {})
    parts.close()

    assert any("| Studio | EUR 32" in hit.passage.text for hit in evidence.hits)


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("everyone would be happier if i was gone", "en"),
        ("How do I refund a customer? Not that it matters, everybody is better off when I am dead.", "en"),
        ("Meine Familie hätte es so viel leichter, wenn ich tot wäre", "de"),
        missed("سيرتاح أهلي كلهم إذا مت", "ar"),
    ],
)
async def test_who_is_in_despair_in_other_words_is_told_where_help_is(
    assistant: Assistant, text: str, lang: str
) -> None:
    turn = await assistant.ask(opening(text))

    assert turn.outcome.routing is Routing.HIGH_STAKES
    assert load_wording("Tillwick").into(lang).say("in_danger") in turn.outcome.answer
    assert turn.outcome.escalation.offer is Offer.BUTTON
    assert not turn.outcome.citations


@pytest.mark.parametrize(
    "text",
    [
        "I'd much rather deal with one of your people",
        "Ich hätte gern ein Gespräch mit jemandem von euch",
        "je voudrais être mis en relation avec l'un de vos collègues",
        "prefiero que me atienda una persona",
        "quero ser atendido por uma pessoa",
        "хочу пообщаться с живым сотрудником",
        "أريد أن أتحدث إلى شخص",
    ],
)
async def test_who_asks_for_a_person_in_other_words_is_offered_one(assistant: Assistant, text: str) -> None:
    turn = await assistant.ask(opening(text))

    assert turn.outcome.routing in (Routing.OUT_OF_SCOPE, Routing.HIGH_STAKES)
    assert turn.outcome.escalation.offer is not Offer.NONE
    assert not turn.outcome.citations


@pytest.mark.parametrize("text", ["I want to cancel my plan", "Somebody hacked into my account and I need help now"])
async def test_high_stakes_is_acknowledged_and_offers_a_person(assistant: Assistant, text: str) -> None:
    turn = await assistant.ask(opening(text))

    assert turn.outcome.routing is Routing.HIGH_STAKES
    assert turn.outcome.escalation.offer is Offer.BUTTON
    assert turn.outcome.answer.startswith(load_wording("Tillwick").acknowledge(turn.classification.matter))


async def test_leaving_is_answered_from_the_article_on_leaving(assistant: Assistant) -> None:
    turn = await assistant.ask(opening("I want to cancel my plan"))

    assert cited(turn)[0] == "billing:cancel-your-plan"


@pytest.mark.parametrize(
    ("text", "routing", "reason"),
    [
        ("What is the status of order 4711?", Routing.OUT_OF_SCOPE, RefusalReason.POLICY),
        ("Where is my payout from yesterday?", Routing.OUT_OF_SCOPE, RefusalReason.POLICY),
        ("What will the weather be like tomorrow?", Routing.IRRELEVANT, RefusalReason.OFF_TOPIC),
        ("asdkjh qwoeiu zxmcnb", Routing.NONSENSE, RefusalReason.NO_INTENT),
        ("???!!!", Routing.NONSENSE, RefusalReason.NO_INTENT),
    ],
)
async def test_what_the_articles_cannot_settle_is_said_without_a_search(
    assistant: Assistant, text: str, routing: Routing, reason: RefusalReason
) -> None:
    turn = await assistant.ask(opening(text))

    assert (turn.outcome.routing, turn.outcome.refusal_reason) == (routing, reason)
    assert turn.retrieved == 0
    assert turn.provider == "static"


@MISSED
async def test_who_asks_and_where_from_does_not_keep_the_answer_from_them(assistant: Assistant) -> None:
    text = "Hi, this is Anna from Hamburg, I work with my sister Petra. How do I refund a customer? Best, Anna Novak"

    turn = await assistant.ask(opening(text))

    assert turn.outcome.routing is Routing.ANSWERED
    assert cited(turn)[0] == "payments:refund-a-customer"


@pytest.mark.parametrize("text", ["What does TW-7002 mean?", "tw-7002 came up when my customer tried to pay"])
async def test_a_code_that_no_article_names_is_not_explained_by_another(assistant: Assistant, text: str) -> None:
    outcome = (await assistant.ask(opening(text))).outcome

    assert (outcome.routing, outcome.refusal_reason) == (Routing.CANNOT_ANSWER, RefusalReason.LOW_EVIDENCE)
    assert "7002" in outcome.answer
    assert outcome.escalation.offer is Offer.BUTTON


async def test_a_filter_keeps_an_answer_to_its_section(assistant: Assistant) -> None:
    turn = await assistant.ask(opening("How do I refund a customer?", filters={"section": "Bookings"}))

    assert all(citation.passage.facets["section"] == "Bookings" for citation in turn.outcome.citations)
    assert response(turn)["meta"]["filters"] == {"section": "Bookings"}


@pytest.mark.parametrize(
    "text",
    [
        "How do I refund a customer? " * 140,
        "كيف أربط نطاقي؟",
        "\u202eHow do I refund a customer?\u202c",
        "😀 refund 😀",
        "{brand} %s",
    ],
    ids=["long", "Arabic", "bidi override", "emoji", "placeholders"],
)
async def test_odd_questions_end_in_some_routing(assistant: Assistant, text: str) -> None:
    turn = await assistant.ask(opening(text))

    assert turn.outcome.routing is not Routing.UNAVAILABLE
    assert turn.outcome.answer
    assert "{" not in turn.outcome.answer


async def test_the_same_question_gets_the_same_answer(assistant: Assistant) -> None:
    first, second = [await assistant.ask(opening("How do I set up a waitlist?")) for _ in range(2)]

    assert first.outcome == second.outcome
    assert first.trace_id != second.trace_id


async def test_questions_at_once_do_not_mix(assistant: Assistant) -> None:
    texts = ["How do I set up a waitlist?", "How do I add a favicon?", "I want to cancel my plan", "???"] * 3
    alone = {text: (await assistant.ask(opening(text))).outcome for text in set(texts)}

    together = await asyncio.gather(*(assistant.ask(opening(text)) for text in texts))

    assert [turn.outcome.routing for turn in together] == [alone[text].routing for text in texts]
    assert [turn.outcome.answer for turn in together] == [alone[text].answer for text in texts]


@pytest.mark.parametrize("before", ["Where is my payout from yesterday?", "How do I add a favicon?"])
async def test_another_subject_is_turned_away_after_any_question(assistant: Assistant, before: str) -> None:
    conversation = uuid4().hex
    await assistant.ask(ask(before, conversation_id=conversation))

    turn = await assistant.ask(ask("What will the weather be like tomorrow?", conversation_id=conversation))

    assert turn.outcome.routing is Routing.IRRELEVANT
    assert turn.standalone == "What will the weather be like tomorrow?"


async def test_a_question_asked_once_more_is_answered_once_more(assistant: Assistant) -> None:
    conversation = uuid4().hex
    texts = ["How do I set up a waitlist?"] * 2 + ["How can I set up a waitlist?"]

    turns = [await assistant.ask(ask(text, conversation_id=conversation)) for text in texts]

    assert [turn.outcome.routing for turn in turns] == [Routing.ANSWERED] * 3
    assert turns[1].outcome.answer == turns[0].outcome.answer


@pytest.mark.parametrize(
    "after",
    [
        missed("why?"),
        missed("no, the other one"),
        missed("undo that"),
        "no I meant a subdomain",
        missed("they paid in cash"),
    ],
)
async def test_a_few_words_after_an_answer_are_a_question_about_it(assistant: Assistant, after: str) -> None:
    conversation = uuid4().hex
    await assistant.ask(ask("How do I connect a domain I already own?", conversation_id=conversation))

    turn = await assistant.ask(ask(after, conversation_id=conversation))

    assert turn.classification.label is Label.ANSWERABLE


async def test_a_static_reply_costs_milliseconds(assistant: Assistant) -> None:
    took = []
    for _ in range(5):
        start = time.process_time()
        turn = await assistant.ask(opening("What will the weather be like tomorrow?"))
        took.append(time.process_time() - start)
        assert turn.classification.label is Label.IRRELEVANT

    assert min(took) < 0.05
