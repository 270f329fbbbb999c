"""What the local verifier calls supported: quotations, paraphrases it is sure of, and none of the usual lies."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from handrail.assembly.verifying import verifier_alone
from handrail.settings import load_settings
from handrail.types import Claim, Draft
from handrail.verify import Verifier
from tests.answers import evidence, question

pytestmark = [pytest.mark.anyio, pytest.mark.models]

REFUNDS = (
    "Refunds to a card take 3 to 5 working days. You can refund all of a payment or a part of it. "
    "Gift cards cannot be refunded. Admins can refund up to 500 euros; larger refunds need the owner."
)
ARTICLES = evidence({"a/1": REFUNDS})


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def verifier() -> AsyncIterator[Verifier]:
    async with verifier_alone(load_settings()) as one:
        yield one


async def checked(verifier: Verifier, *texts: str) -> list[Claim]:
    draft = Draft([Claim(text, ("a/1",)) for text in texts], "llm")
    return list((await verifier.verify(question("How do refunds work?"), draft, ARTICLES)).draft.claims)


async def test_a_quotation_is_supported_by_its_own_words(verifier: Verifier) -> None:
    [claim] = await checked(verifier, "You can refund all of a payment or a part of it.")

    assert (claim.support, claim.quote) == ("supported", "You can refund all of a payment or a part of it.")


async def test_no_lie_is_called_supported(verifier: Verifier) -> None:
    lies = await checked(
        verifier,
        "Refunds to a card take 3 to 5 weeks.",
        "Refunds to a card take 13 working days.",
        "Gift cards can be refunded.",
        "You cannot refund a part of a payment.",
        "Admins can refund any amount.",
        "Refunds are paid out in cash at the counter.",
    )

    assert [claim.text for claim in lies if claim.support == "supported"] == []


async def test_what_its_passage_says_with_a_not_is_unsupported(verifier: Verifier) -> None:
    denials = await checked(
        verifier,
        "You cannot refund all of a payment or a part of it.",
        "Gift cards can be refunded.",
        "Admins cannot refund up to 500 euros.",
        "Larger refunds do not need the owner.",
    )

    assert [claim.support for claim in denials] == ["unsupported"] * 4


async def test_what_its_passage_says_without_a_perhaps_is_not_supported(verifier: Verifier) -> None:
    [claim] = await checked(verifier, "Larger refunds may need the owner.")

    assert claim.support == "unverified"


async def test_a_paraphrase_scores_above_its_opposite(verifier: Verifier) -> None:
    pairs = [
        ("A card refund takes three to five working days.", "A card refund takes thirty to fifty working days."),
        ("Money spent on gift cards is not given back.", "Money spent on gift cards is given back."),
        ("A refund of 600 euros has to be made by the owner.", "A refund of 600 euros can be made by an admin."),
    ]
    told = await checked(verifier, *(text for pair in pairs for text in pair))

    scores = [claim.score or 0.0 for claim in told]
    assert sum(true > false for true, false in zip(scores[::2], scores[1::2], strict=True)) >= 2


async def test_an_english_claim_without_small_words_is_read(verifier: Verifier) -> None:
    [claim] = await checked(verifier, "Admins refund gift cards instantly.")

    assert claim.score is not None


async def test_a_german_claim_over_an_english_passage_is_left_to_the_judge(verifier: Verifier) -> None:
    draft = Draft([Claim("Geschenkkarten können nicht erstattet werden.", ("a/1",))], "llm")

    [claim] = (await verifier.verify(question("Erstattung?", lang="de"), draft, ARTICLES)).draft.claims

    assert (claim.support, claim.score) == ("unverified", None)


async def test_a_number_that_no_passage_has_is_doubted_in_any_language(verifier: Verifier) -> None:
    texts = ("Rückzahlungen auf eine Karte dauern 3 bis 5 Werktage.", "Rückzahlungen auf eine Karte dauern 9 Werktage.")
    draft = Draft([Claim(text, ("a/1",)) for text in texts], "llm")

    right, wrong = (await verifier.verify(question("Erstattung?", lang="de"), draft, ARTICLES)).draft.claims

    assert right.score is None
    assert wrong.score is not None and wrong.score < load_settings().verify.shown_from


async def test_a_wrong_cell_of_a_table_is_no_support(verifier: Verifier) -> None:
    prices = evidence(
        {"p/1": "Prices per month.\n\n| Plan | Monthly |\n| --- | --- |\n| Solo | EUR 14 |\n| Studio | EUR 32 |"}
    )
    draft = Draft([Claim(text, ("p/1",)) for text in ("Solo costs EUR 32.", "Studio costs EUR 32.")], "llm")

    wrong, right = (await verifier.verify(question("price?"), draft, prices)).draft.claims

    assert wrong.support == "unsupported"
    assert right.support != "unsupported"


async def test_steps_quoted_in_another_order_are_unsupported(verifier: Verifier) -> None:
    steps = evidence({"s/1": "1. Open the settings page.\n2. Choose your domain.\n3. Select the button."})
    draft = Draft([Claim(text, ("s/1",)) for text in ("1. Choose your domain.", "2. Open the settings page.")], "llm")

    claims = (await verifier.verify(question("how?"), draft, steps)).draft.claims

    assert {claim.support for claim in claims} == {"unsupported"}


SEATS = {
    "s/1": "A plan holds five seats. Who has left the company keeps a seat until somebody removes them.",
    "s/2": "| Seats | Monthly |\n| --- | --- |\n| first five | included |\n| each further seat | EUR 6 |",
    "t/1": "Each further seat costs EUR 6 a month in the shop's own currency.",
}


async def test_a_claim_is_cited_where_its_article_speaks_of_it(verifier: Verifier) -> None:
    draft = Draft([Claim("Each further seat is EUR 6 monthly.", ("s/1",))], "llm")

    [claim] = (await verifier.verify(question("seats?"), draft, evidence(SEATS))).draft.claims

    assert claim.passage_ids == ("s/2",)
    assert [proof.passage_id for proof in claim.proofs] == ["s/2"]
    assert claim.score is not None and claim.score >= load_settings().verify.shown_from


async def test_what_the_right_passage_denies_is_not_saved_by_the_one_cited(verifier: Verifier) -> None:
    draft = Draft([Claim("Each further seat is EUR 60 monthly.", ("s/1",))], "llm")

    [claim] = (await verifier.verify(question("seats?"), draft, evidence(SEATS))).draft.claims

    assert claim.passage_ids == ("s/2",)
    assert claim.support != "supported" and (claim.score or 0.0) < load_settings().verify.shown_from


async def test_another_article_is_not_looked_at(verifier: Verifier) -> None:
    draft = Draft([Claim("Each further seat costs EUR 6 a month.", ("s/1",))], "llm")
    given = evidence({"s/1": SEATS["s/1"], "t/1": SEATS["t/1"]})

    [claim] = (await verifier.verify(question("seats?"), draft, given)).draft.claims

    assert claim.passage_ids == ("s/1",)


async def test_a_number_of_its_own_is_not_shown_unless_the_visitor_said_it(verifier: Verifier) -> None:
    said = "The sixth of your 6 people takes a further seat for EUR 6 a month, which is 12 seats in all."
    draft = Draft([Claim(said.replace("12", "6"), ("s/2",)), Claim(said, ("s/2",))], "llm")

    right, wrong = (await verifier.verify(question("we are 6 people"), draft, evidence(SEATS))).draft.claims

    assert (wrong.score or 0.0) < load_settings().verify.shown_from
    assert (right.score or 0.0) > (wrong.score or 0.0)


async def test_a_number_that_the_visitor_said_is_no_invention(verifier: Verifier) -> None:
    draft = Draft([Claim("For your team of 40, each further seat is EUR 6 monthly.", ("s/2",))], "llm")

    [said], [unsaid] = [
        (await verifier.verify(question(text), draft, evidence(SEATS))).draft.claims
        for text in ("we are 40 people, what is a seat", "what is a seat")
    ]

    shown_from = load_settings().verify.shown_from
    assert (unsaid.score or 0.0) < shown_from <= (said.score or 0.0)
