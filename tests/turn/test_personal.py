"""What a visitor pasted by mistake reaches no search, no model and no memory; the conversation keeps contacts."""

from __future__ import annotations

import pytest

from handrail.types import Exchange, Question, Routing, Understanding
from tests.stages import (
    DRAFT,
    EVIDENCE,
    Answers,
    Critiques,
    Retrieves,
    Understands,
    ask,
    critique,
    engine,
    request,
    stages,
)

pytestmark = pytest.mark.anyio

SECRETS = {
    "card": "4111 1111 1111 1111",
    "iban": "DE89 3704 0044 0532 0130 00",
    "token": "sk-proj-abcdefghijklmnopqrst",
    "mail": "ada.lovelace@example.org",
    "phone": "+49 170 1234567",
}


class Reads(Understands):
    """Takes the message as it is for its one request."""

    async def read(self, question: Question) -> Understanding:
        whole = request(question.text)
        self.result = Understanding((whole,), whole)
        return await self._run(question)


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
async def test_no_stage_is_given_what_no_answer_needs(secret: str) -> None:
    understands, retriever = Reads(RuntimeError("unread")), Retrieves(EVIDENCE)
    answerer: Answers = Answers(DRAFT)
    critic: Critiques = critique()
    past = Exchange("How?", "How?", "So.", Routing.ANSWERED)
    message = ask(f"I paid with {secret}, where is my refund?", history=(past,), earlier=(f"It is {secret}.",))

    turn = await engine(stages(understands=understands, retriever=retriever, answerer=answerer, critic=critic)).run(
        message
    )

    for stage in (understands, retriever, answerer, critic):
        assert stage.calls, "it was not asked"
        assert secret not in str(stage.calls)
        assert "refund" in str(stage.calls)
    assert secret not in turn.standalone + turn.question.text
    assert turn.outcome.routing is Routing.ANSWERED


async def test_what_is_no_secret_stays_as_it_was_written() -> None:
    retriever = Retrieves(EVIDENCE)
    text = "Error E-4012 since 2026-11-02: order number 1234567890 costs 1,234,567.89, port 65535"

    await engine(stages(understands=Reads(RuntimeError("unread")), retriever=retriever)).run(ask(text))

    assert retriever.calls[0][0] == text
