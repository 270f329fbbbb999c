"""What the local verifier calls supported: quotations, paraphrases it is sure of, and none of the usual lies."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from handrail.assembly.verifying import verifier_alone
from handrail.generate import Verifier
from handrail.settings import load_settings
from handrail.types import Claim, Draft
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


async def test_a_paraphrase_scores_above_its_opposite(verifier: Verifier) -> None:
    pairs = [
        ("A card refund takes three to five working days.", "A card refund takes thirty to fifty working days."),
        ("Money spent on gift cards is not given back.", "Money spent on gift cards is given back."),
        ("A refund of 600 euros has to be made by the owner.", "A refund of 600 euros can be made by an admin."),
    ]
    told = await checked(verifier, *(text for pair in pairs for text in pair))

    scores = [claim.score or 0.0 for claim in told]
    assert sum(true > false for true, false in zip(scores[::2], scores[1::2], strict=True)) >= 2


async def test_terse_english_is_read_and_another_language_is_left_open(verifier: Verifier) -> None:
    terse, german = await checked(
        verifier,
        "Card refunds take 13 working days.",
        "Rückzahlungen auf Karten dauern drei bis fünf Werktage.",
    )

    assert terse.proofs
    assert (german.support, german.proofs) == ("unverified", ())
