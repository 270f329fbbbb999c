"""Who the customer is, asked before an offer with conditions is made."""

from __future__ import annotations

from dataclasses import replace

from handrail.customer import Customers
from handrail.errors import HandrailError
from handrail.turn.state import SMALL_SHARE, TurnInFlight


async def learn(turn: TurnInFlight, customers: Customers | None) -> None:
    """Puts what is known into the question's context; without an answer in time, only what is signed counts."""
    if customers is None:
        return
    async with turn.stage("customer") as span:
        try:
            known = await turn.in_time(customers.known(turn.question), SMALL_SHARE)
        except HandrailError:
            turn.go_on_without("customer")
            known = turn.question.context
        span.record(output=sorted(known))
    turn.question = replace(turn.question, context=known)
