"""`POST /handoff`: a visitor wants a person."""

from __future__ import annotations

from dataclasses import replace
from uuid import uuid4

from fastapi import APIRouter, Depends, Response

from api import schemas, turns
from api.dependencies import Asker, Needed, Services, WhoAsks, json_only
from api.errors import ApiError
from api.openapi import failures
from handrail.accounts.customer import cleaned
from handrail.accounts.limits import Denied
from handrail.desk import handoff
from handrail.desk.handoff.conversations import known_of
from handrail.records import RecordsUnavailable
from handrail.text.guard import tidy
from handrail.text.language import base
from handrail.turn.wording import load_wording

router = APIRouter(tags=["conversation"])


@router.post(
    "/handoff",
    operation_id="requestPerson",
    summary="Ask for a person",
    status_code=201,
    response_description="The request is on record under a new reference.",
    responses={
        200: {
            "model": schemas.HandoffResponse,
            "description": "The conversation had a request already; what is new was added to it.",
        },
        **failures(401, 404, 408, 413, 415, 422, 429, 503),
    },
    dependencies=[Depends(json_only)],
)
async def request_person(
    body: schemas.HandoffRequest, response: Response, services: Needed, asker: WhoAsks
) -> schemas.HandoffResponse:
    """Record that a visitor wants a person.

    Works with or without a conversation, before the assistant is ready, and when all questions are used up. The same
    conversation again keeps its reference; a new e-mail address or message is added to the record.
    """
    verdict = await services.limits.handoffs.hit(asker.address)
    if isinstance(verdict, Denied):
        raise ApiError(
            429,
            "rate_limited",
            "You've already sent several requests, and we have them. Please wait before you send another.",
            retry_after_s=verdict.retry_after_s,
        )
    try:
        conversation_id, receipt = await _taken(body, services, asker)
    except RecordsUnavailable:
        await services.limits.handoffs.give_back(asker.address)  # whoever isn't heard may try again
        raise
    brand = services.settings.brand
    wording = load_wording(brand.name).into(base(body.lang), await services.rota.people())
    if not receipt.created:
        response.status_code = 200
    return schemas.HandoffResponse(
        reference=receipt.handoff.reference,
        status="recorded",
        message=wording.receipt(
            brand.person_expectation, created=receipt.created, email=receipt.handoff.email is not None
        ),
        conversation_id=conversation_id,
    )


async def _taken(body: schemas.HandoffRequest, services: Services, asker: Asker) -> tuple[str, handoff.Receipt]:
    """The conversation, and what is on record of the request. Raises RecordsUnavailable and Foreign."""
    conversation_id = _conversation(body)
    request = replace(_request(body), conversation_id=conversation_id)
    if await services.desk.conversations.on_record(conversation_id, asker.visitor_id):
        request = replace(request, claimed=())
    receipt = await services.requests.take(request)
    await services.desk.conversations.hand_over(
        conversation_id,
        asker.visitor_id,
        request,
        receipt.handoff.reference,
        queue=services.settings.brand.person_available,
        known=known_of(turns.proven(body.context_token, services.settings, conversation_id), cleaned(body.context)),
    )
    return conversation_id, receipt


def _conversation(body: schemas.HandoffRequest) -> str:
    """Where it will be answered: asking for a person may be the very first thing a visitor does."""
    if body.conversation_id is not None:
        return body.conversation_id
    return f"turn:{body.turn_id}" if body.turn_id else uuid4().hex


def _request(body: schemas.HandoffRequest) -> handoff.HandoffRequest:
    lines = [handoff.Line(line.author, tidy(line.text)) for line in body.transcript]
    return handoff.HandoffRequest(
        conversation_id=body.conversation_id,
        turn_id=str(body.turn_id) if body.turn_id else None,
        reason=tidy(body.reason or "") or None,
        email=body.email or None,
        message=tidy(body.message or "") or None,
        claimed=tuple(line for line in lines if line.text),
    )
