"""What a turn needs whichever way it is answered: read, admitted, run."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from uuid import uuid4

from api.dependencies import Services
from api.errors import ApiError, rate_limited
from api.schemas import AskRequest
from handrail import guard
from handrail.limits import Denied
from handrail.present import response
from handrail.records.turns import Response, TurnKey
from handrail.types import Question
from handrail.watch import TurnWatch

NOT_READY_RETRY_S = 5
DEFAULT_LANGUAGE = "en"


def read(body: AskRequest, max_chars: int) -> tuple[Question, TurnKey]:
    """The question, cleaned, and what makes it the same one when it is sent again. Raises TextRefused."""
    text = guard.clean(body.question, max_chars)
    question = Question(
        text=text,
        conversation_id=body.conversation_id or uuid4().hex,
        turn_id=str(body.turn_id or uuid4()),
        lang=body.lang or DEFAULT_LANGUAGE,
        filters=body.filters,
        suspicious=guard.suspicious(text),
        follows=body.branches_from,
    )
    key = TurnKey(
        turn_id=question.turn_id,
        conversation_id=question.conversation_id,
        conversation_given=body.conversation_id is not None,
        fingerprint=_fingerprint(question),
    )
    return question, key


async def admit(services: Services, visitor: str) -> None:
    """Count the question; what is refused here is not counted. Raises ApiError and LimitsUnavailable."""
    if not services.assistant.ready:
        raise ApiError(
            503,
            "not_ready",
            "The assistant is still starting. Please try again in a few seconds.",
            retry_after_s=NOT_READY_RETRY_S,
        )
    verdict = await services.limits.questions.hit(visitor)
    if isinstance(verdict, Denied):
        raise rate_limited(verdict.retry_after_s, verdict.scope)


async def answer(services: Services, question: Question, watch: TurnWatch | None = None) -> Response:
    """Run the turn, knowing who is at the desk; the response as `/ask` sends it."""
    question = replace(question, people=await services.rota.people())
    return response(await services.assistant.ask(question, watch))


def _fingerprint(question: Question) -> str:
    asked = json.dumps([question.text, question.lang, sorted(question.filters.items())])
    return hashlib.sha256(asked.encode()).hexdigest()
