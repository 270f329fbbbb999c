"""`POST /visitor`: a token that says who a visitor is, without cookies."""

from __future__ import annotations

from fastapi import APIRouter, Depends

from api.dependencies import Needed, counted_by_address, json_only
from api.openapi import failures
from api.schemas import VisitorRequest, VisitorResponse
from handrail.accounts.visitor_token import VALID_S

router = APIRouter(tags=["conversation"])


@router.post(
    "/visitor",
    operation_id="visitor",
    summary="Get a visitor token",
    response_description="A token, valid for a quarter of an hour.",
    responses=failures(401, 408, 413, 415, 422, 429, 503),
    dependencies=[Depends(json_only), Depends(counted_by_address)],
)
async def visitor(body: VisitorRequest, services: Needed) -> VisitorResponse:
    """A new visitor, or a fresh token for one who still has an older one, up to 30 days after it has run out.

    A token is exchanged once. For a minute it is still taken, and sent again gives the same new one; then it is dead.
    """
    tokens = services.desk.tokens
    visitor_id, token = await tokens.renew(body.token) if body.token is not None else tokens.begin()
    return VisitorResponse(visitor_id=visitor_id, token=token, expires_in=VALID_S)
