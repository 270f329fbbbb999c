"""`POST /feedback`: what a visitor thinks of an answer."""

from __future__ import annotations

from fastapi import APIRouter, Depends

from api.dependencies import Needed, Services, WhoAsks, json_only
from api.errors import BY_STATUS, ApiError, rate_limited
from api.openapi import failures
from api.schemas import FeedbackRequest, FeedbackResponse
from handrail.accounts.limits import Denied
from handrail.records.evidence import Feedback
from handrail.text.guard import tidy
from handrail.text.redact import redact

router = APIRouter(tags=["conversation"])


@router.post(
    "/feedback",
    operation_id="feedback",
    summary="Rate an answer",
    status_code=201,
    response_description="It is on record.",
    responses=failures(401, 404, 408, 413, 415, 422, 429, 503),
    dependencies=[Depends(json_only)],
)
async def feedback(body: FeedbackRequest, services: Needed, asker: WhoAsks) -> FeedbackResponse:
    """A thumb up or down for a turn, with a reason if there is one. Another one for the same turn replaces it."""
    verdict = await services.limits.messages.hit(asker.address)
    if isinstance(verdict, Denied):
        raise rate_limited(verdict.retry_after_s, verdict.scope)
    desk, turn_id = services.desk, str(body.turn_id)
    if await _conversation_of(turn_id, services) != body.conversation_id:
        raise ApiError(404, *BY_STATUS[404])
    await desk.talks.conversations.owned_by_person(body.conversation_id, asker.visitor_id)
    comment = tidy(body.comment or "")
    said = Feedback(turn_id, body.rating, body.reason, redact(comment) if comment else None)
    await desk.talks.evidence.rate(said, body.conversation_id, desk.clock())
    if body.rating == "down":
        await services.assistant.rated_down(turn_id)
    return FeedbackResponse(turn_id=turn_id, rating=body.rating)


async def _conversation_of(turn_id: str, services: Services) -> str | None:
    """Evidence is recorded a moment after the response, so the stored response counts as well."""
    found = await services.desk.talks.evidence.turn(turn_id)
    if found is None and (stored := await services.once.stored(turn_id)):
        return str(stored["conversation_id"])
    return found.conversation_id if found else None
