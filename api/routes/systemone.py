"""`POST /v1/systemone` and `GET /v1/models`: the local decision model behind the System One protocol.

Refusals have the protocol's shape, not this API's: its clients read nothing else.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from handrail.errors import RetryableError

if TYPE_CHECKING:
    from pydantic_ai.models.decision import DecisionModel

    from handrail.decide.protocol import Body

RETRY_S = "2"
PROBABILITY = {"type": "number", "minimum": 0, "maximum": 1}
QUESTION = {
    "type": "object",
    "required": ["type"],
    "properties": {
        "type": {"enum": ["noul", "choice", "score"], "description": "Yes or no, one of several, or ordered levels."},
        "instructions": {"description": "The question's text, or its name in `x_decisions` of `GET /v1/models`."},
        "criteria": {"description": "Options by name, levels from the lowest, or what `true` and `false` mean."},
    },
}
REQUEST = {
    "type": "object",
    "required": ["model", "state", "questions"],
    "properties": {
        "model": {"type": "string", "description": "`handrail-local`.", "examples": ["handrail-local"]},
        "state": {"description": "What is decided about: an object with the entries of `x_decisions`, or one text."},
        "questions": {
            "type": "object",
            "minProperties": 1,
            "maxProperties": 200,
            "additionalProperties": QUESTION,
            "description": "By any name of your own.",
        },
    },
    "example": {
        "model": "handrail-local",
        "state": {"claim": "Plans renew monthly.", "passage": "Every plan renews each month."},
        "questions": {"c1": {"type": "noul", "instructions": "supported"}},
    },
}
ANSWER = {
    "type": "object",
    "required": ["type"],
    "properties": {
        "type": {"enum": ["noul", "choice", "score"]},
        "noul": {**PROBABILITY, "description": "Probability of yes."},
        "choice": {"type": "string", "description": "The likeliest option."},
        "score": {"type": "number", "description": "The expected level, from 0."},
        "probabilities": {"type": "object", "additionalProperties": PROBABILITY, "description": "By option or level."},
        "confidence": {**PROBABILITY, "description": "How far the likeliest stands above chance; go by probabilities."},
        "legend": {"type": "object", "description": "The levels as they were asked."},
    },
}
RESPONSE = {
    "type": "object",
    "required": ["model", "answers", "usage"],
    "properties": {
        "model": {"type": "string"},
        "answers": {"type": "object", "additionalProperties": ANSWER},
        "usage": {"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}},
    },
}
ERROR = {"type": "object", "required": ["detail"], "properties": {"detail": {"description": "What is wrong."}}}
REFUSALS = {
    400: "There is no such model.",
    401: "The key is missing or wrong.",
    413: "The body is too large.",
    422: "The request is not valid, or no head was trained for a question.",
    503: "The models are loading or busy.",
}


def build_router(model: Callable[[], Awaitable[DecisionModel[Any]]], key: str | None) -> APIRouter:
    """`key` is asked for as `Authorization: Bearer …`; None asks for none."""
    router = APIRouter(tags=["decisions"])

    @router.post(
        "/v1/systemone",
        operation_id="decide",
        summary="Decide typed questions about a state",
        responses=_declared("An answer for each question.", RESPONSE, REFUSALS),
        openapi_extra={"requestBody": {"required": True, "content": {"application/json": {"schema": REQUEST}}}},
    )
    async def decide(request: Request) -> JSONResponse:
        """In the System One protocol. Needs the key of `decisions.serve_key`; without one this address does not exist.

        Answers the questions that the local model was trained for and refuses others with 422.
        """
        from handrail.decide.protocol import answered

        if (refused := _refused(request, key)) is not None:
            return refused
        body = await request.body()
        try:
            status, written = await answered(body, await model())
        except RetryableError as error:
            return _busy(error)
        return _shown(status, written)

    @router.get(
        "/v1/models",
        operation_id="decisionModels",
        summary="The decision model and its questions",
        responses=_declared("The model, and each question as it is to be asked.", {}, (401, 503)),
    )
    async def models(request: Request) -> JSONResponse:
        """What may be asked of `POST /v1/systemone`, with the same key."""
        from handrail.decide.local import LocalDecisionModel
        from handrail.decide.protocol import listed
        from handrail.decide.questions import load_decisions

        if (refused := _refused(request, key)) is not None:
            return refused
        try:
            found = await model()
        except RetryableError as error:
            return _busy(error)
        return _shown(200, listed(load_decisions(), found.names if isinstance(found, LocalDecisionModel) else []))

    return router


def _refused(request: Request, key: str | None) -> JSONResponse | None:
    from handrail.decide.protocol import problem

    if key is None:
        return None
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and secrets.compare_digest(given.strip().encode(), key.encode()):
        return None
    said = "the key is wrong" if given else "send the key as Authorization: Bearer …"
    return _shown(401, problem("authentication_error", said))


def _busy(error: RetryableError) -> JSONResponse:
    from handrail.decide.protocol import problem

    return _shown(503, problem("overloaded_error", str(error)))


def _shown(status: int, body: Body) -> JSONResponse:
    return JSONResponse(body, status, {"Retry-After": RETRY_S} if status == 503 else None)


def _declared(answer: str, schema: dict[str, Any], refusals: Iterable[int]) -> dict[int | str, dict[str, Any]]:
    shapes = {200: (answer, schema), **{status: (REFUSALS[status], ERROR) for status in refusals}}
    return {
        status: {"description": said, "content": {"application/json": {"schema": shape}}}
        for status, (said, shape) in shapes.items()
    }
