"""`GET /pages/{name}`: the page that a cited passage stands on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Depends, Path, Query, Response

from api.dependencies import Needed, Services, WhoAsks, counted
from api.errors import BY_STATUS, ApiError
from api.openapi import failures

NAME = r"^[0-9a-f]{20}-[1-9][0-9]{0,6}$"
A_DAY = "private, max-age=86400, immutable"

PageName = Annotated[str, Path(pattern=NAME, max_length=40, description="`image.name` of a citation's place.")]
Cited = Sequence[Mapping[str, Any]]

router = APIRouter(tags=["widget"])


@router.get(
    "/pages/{name}",
    operation_id="pageImage",
    summary="Get the picture of a cited page",
    response_class=Response,
    response_description="The page as WebP.",
    responses={200: {"content": {"image/webp": {}}}, **failures(401, 404, 422, 429, 503)},
    dependencies=[Depends(counted)],
)
async def page_image(
    name: PageName,
    turn_id: Annotated[UUID, Query(description="The turn whose answer cites it.")],
    services: Needed,
    asker: WhoAsks,
) -> Response:
    """Only what an answer to this visitor cites is given, and only while everyone may read the passage."""
    conversation_id, cited = await _turn(str(turn_id), services)
    await services.desk.talks.conversations.owned_by_person(conversation_id, asker.visitor_id)
    for one in cited:
        if any((place.get("image") or {}).get("name") == name for place in one.get("places") or ()):
            data = await services.assistant.page_image(one["id"], name)
            if data is not None:
                return Response(data, media_type="image/webp", headers={"Cache-Control": A_DAY})
    raise ApiError(404, *BY_STATUS[404])


async def _turn(turn_id: str, services: Services) -> tuple[str, Cited]:
    """Its conversation and citations. Evidence is recorded a moment after the response, which counts as well."""
    row = await services.desk.talks.evidence.turn(turn_id)
    if row is not None:
        return row.conversation_id, row.passages
    if (stored := await services.once.stored(turn_id)) is None:
        raise ApiError(404, *BY_STATUS[404])
    return str(stored["conversation_id"]), stored["citations"]
