"""`POST /ask`: one turn."""

from __future__ import annotations

import hashlib
import json
from typing import Any
from uuid import uuid4

from fastapi import APIRouter, Depends
from fastapi.responses import JSONResponse

from api.dependencies import Needed, Services, Visitor, json_only
from api.errors import ApiError, rate_limited
from api.openapi import failures
from api.schemas import AskRequest, AskResponse
from handrail import guard
from handrail.limits import Denied
from handrail.present import response
from handrail.records.turns import TurnKey
from handrail.types import Question

NOT_READY_RETRY_S = 5
DEFAULT_LANGUAGE = "en"

router = APIRouter(tags=["conversation"])


@router.post(
    "/ask",
    operation_id="ask",
    summary="Ask a question",
    response_model=AskResponse,
    response_description="The outcome of the turn, be it an answer or a refusal.",
    responses=failures(409, 413, 415, 422, 429, 503),
    dependencies=[Depends(json_only)],
)
async def ask(body: AskRequest, services: Needed, visitor: Visitor) -> JSONResponse:
    """One turn of a conversation.

    The same `turn_id` sent again returns the stored result and is not counted again. One turn of a conversation is
    answered at a time; another waits for a few seconds and is then told to come back.
    """
    question = _question(body, services.settings.server.max_question_chars)
    key = TurnKey(
        turn_id=question.turn_id,
        conversation_id=question.conversation_id,
        conversation_given=body.conversation_id is not None,
        fingerprint=_fingerprint(question),
    )
    return JSONResponse(await services.once.run(key, lambda: _answer(question, services, visitor)))


async def _answer(question: Question, services: Services, visitor: str) -> dict[str, Any]:
    """Count the question, then answer it; what is refused here is not counted."""
    with services.turns.one():
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
        turn = await services.assistant.ask(question)
    return response(turn)


def _question(body: AskRequest, max_chars: int) -> Question:
    text = guard.clean(body.question, max_chars)
    return Question(
        text=text,
        conversation_id=body.conversation_id or uuid4().hex,
        turn_id=str(body.turn_id or uuid4()),
        lang=body.lang or DEFAULT_LANGUAGE,
        filters=body.filters,
        suspicious=guard.suspicious(text),
    )


def _fingerprint(question: Question) -> str:
    asked = json.dumps([question.text, question.lang, sorted(question.filters.items())])
    return hashlib.sha256(asked.encode()).hexdigest()
