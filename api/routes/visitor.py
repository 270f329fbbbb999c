"""`POST /visitor`: a token that says who a visitor is, without cookies."""

from __future__ import annotations

from altcha.v1 import Payload
from fastapi import APIRouter, Depends

from api.dependencies import Needed, Services, counted_by_address, json_only
from api.errors import ApiError
from api.openapi import failures
from api.schemas import Proof, VisitorRequest, VisitorResponse
from handrail.accounts.proof_of_work import BadProof
from handrail.accounts.visitor_token import VALID_S, BadToken

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
    Where `limits.proof_of_work` is set, a new visitor is refused with a `challenge` (ALTCHA), and taken once with its
    solution as `proof`.
    """
    tokens = services.desk.tokens
    if body.token is not None:
        visitor_id, token = await tokens.renew(body.token)
    elif services.desk.proof.most == 0:
        visitor_id, token = tokens.begin()
    else:
        visitor_id, token = await _proven(body.proof, services)
    return VisitorResponse(visitor_id=visitor_id, token=token, expires_in=VALID_S)


async def _proven(proof: Proof | None, services: Services) -> tuple[str, str]:
    """Raises ApiError with a new challenge."""
    desk = services.desk
    if proof is not None:
        try:
            return await desk.tokens.begin_once(desk.proof.visitor(Payload(**proof.model_dump())))
        except (BadProof, BadToken):
            pass
    refusal = ApiError(401, "proof_needed", "Solve the challenge and send the solution as `proof`.")
    refusal.more = {"challenge": desk.proof.challenge()}
    raise refusal
