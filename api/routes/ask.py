"""`POST /ask`: one turn."""

from __future__ import annotations

from fastapi import APIRouter, Depends
from fastapi.responses import JSONResponse

from api import turns
from api.answer_schemas import AskResponse
from api.dependencies import Needed, WhoAsks, counted, json_only
from api.openapi import failures
from api.schemas import AskRequest
from handrail.records.turns import Response

router = APIRouter(tags=["conversation"])


@router.post(
    "/ask",
    operation_id="ask",
    summary="Ask a question",
    response_model=AskResponse,
    response_description="The outcome of the turn, be it an answer or a refusal.",
    responses=failures(401, 404, 408, 409, 413, 415, 422, 429, 503),
    dependencies=[Depends(json_only), Depends(counted)],
)
async def ask(body: AskRequest, services: Needed, asker: WhoAsks) -> JSONResponse:
    """One turn of a conversation.

    The same `turn_id` sent again returns the stored result and is not counted again. One turn of a conversation is
    answered at a time; another waits for a few seconds and is then told to come back.
    """
    question, key = turns.read(body, services.settings)
    said = await turns.to_person(services, question, key, asker)
    if said is not None:
        return JSONResponse(said)

    async def work() -> Response:
        with services.turns.one():
            admitted = await turns.admit(services, question, key, asker)
            return await turns.answer(services, question, asker, admitted)

    return JSONResponse(await services.once.run(key, work))
