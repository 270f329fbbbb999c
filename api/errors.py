"""Every refusal in one shape, with a code for programs and a message for people."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from api.schemas import ErrorBody, ErrorDetail, ErrorResponse
from handrail.accounts.api_keys import BadKey
from handrail.accounts.limits import LimitsUnavailable
from handrail.accounts.limits.open_streams import TooManyStreams
from handrail.accounts.visitor_token import BadToken
from handrail.desk.handoff.ownership import NotPossible
from handrail.records import NotStorable, RecordsUnavailable
from handrail.records.conversations import Foreign, Stale, Unknown
from handrail.records.once import StillRunning, TurnConflict
from handrail.text.guard import TextRefused

log = logging.getLogger("handrail.errors")

BUSY_RETRY_S = 2
AWAY_RETRY_S = 30
STREAMS_RETRY_S = 10

BY_STATUS = {
    401: ("unauthorized", "Sign in first."),
    403: ("forbidden", "You aren't allowed to do this."),
    400: ("validation", "The request can't be read. Send a single JSON object in UTF-8."),
    404: ("not_found", "Nothing was found at this address."),
    405: (
        "method_not_allowed",
        "This address doesn't support that method. The Allow header lists the methods it supports.",
    ),
    413: ("too_large", "The request is too large. Send less."),
    415: ("unsupported_media_type", "Send the body as JSON, with the header Content-Type: application/json."),
    500: (
        "internal",
        "Something went wrong on our side. Please try again. If it keeps happening, report the request id.",
    ),
}

MAX_SHOWN = 60
"""Characters of a caller's own field name that may be shown back."""


class ApiError(HTTPException):
    """A refusal on purpose; becomes the response."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        details: Sequence[ErrorDetail] = (),
        retry_after_s: int | None = None,
    ) -> None:
        headers = {"Retry-After": str(retry_after_s)} if retry_after_s is not None else None
        super().__init__(status, message, headers)
        self.code = code
        self.details = list(details) or None
        self.retry_after_s = retry_after_s
        self.more: dict[str, Any] = {}
        """Further fields of the error that only some have."""


def validation(field: str, message: str) -> ApiError:
    return ApiError(422, "validation", f"{field}: {message}", details=[ErrorDetail(field=field, message=message)])


def busy() -> ApiError:
    return ApiError(
        503,
        "busy",
        "A lot of people are asking questions at the moment. Please try again shortly.",
        retry_after_s=BUSY_RETRY_S,
    )


def rate_limited(retry_after_s: int, scope: str) -> ApiError:
    everybody = scope.startswith("global")
    message = (
        "This assistant has reached its limit for now."
        if everybody
        else "You've asked a lot of questions in a short time."
    )
    return ApiError(
        429,
        "rate_limited",
        f"{message} You can ask again in {_spoken(retry_after_s)}.",
        details=[ErrorDetail(field="scope", message=scope)],
        retry_after_s=retry_after_s,
    )


def respond(error: ApiError, request_id: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    body = ErrorResponse(
        error=ErrorBody(
            code=error.code, message=error.detail, details=error.details, retry_after_s=error.retry_after_s
        ),
        request_id=request_id,
    )
    shown = body.model_dump(mode="json", exclude_none=True)
    shown["error"].update(error.more)
    return JSONResponse(
        shown,
        status_code=error.status_code,
        headers={**(headers or {}), **(error.headers or {})},
    )


def install(app: FastAPI) -> None:
    """Turn everything that routes and stages raise into typed responses."""

    def handler(translate: Any) -> Any:
        async def handle(request: Request, error: Exception) -> JSONResponse:
            return respond(translate(error), request.state.request_id, getattr(error, "headers", None))

        return handle

    app.add_exception_handler(HTTPException, handler(_from_http))
    app.add_exception_handler(RequestValidationError, handler(_from_validation))
    app.add_exception_handler(TextRefused, handler(lambda error: validation("question", str(error))))
    app.add_exception_handler(TurnConflict, handler(_from_conflict))
    app.add_exception_handler(StillRunning, handler(_from_still_running))
    app.add_exception_handler(LimitsUnavailable, handler(_from_limits))
    app.add_exception_handler(TooManyStreams, handler(_from_streams))
    app.add_exception_handler(RecordsUnavailable, handler(_from_records))
    app.add_exception_handler(NotStorable, handler(_from_not_storable))
    app.add_exception_handler(Foreign, handler(_not_there))
    app.add_exception_handler(Unknown, handler(_not_there))
    app.add_exception_handler(BadToken, handler(_from_token))
    app.add_exception_handler(BadKey, handler(_from_key))
    app.add_exception_handler(Stale, handler(_from_stale))
    app.add_exception_handler(NotPossible, handler(_from_impossible))


def _from_http(error: HTTPException) -> ApiError:
    if isinstance(error, ApiError):
        return error
    code, message = BY_STATUS.get(error.status_code, BY_STATUS[500])
    return ApiError(422 if error.status_code == 400 else error.status_code, code, message)


def _from_validation(error: RequestValidationError) -> ApiError:
    details = [ErrorDetail(field=_field(item["loc"]), message=_sentence(item)) for item in error.errors()[:10]]
    first = details[0]
    return ApiError(422, "validation", f"{first.field}: {first.message}", details=details)


def _from_conflict(_error: TurnConflict) -> ApiError:
    return ApiError(
        409,
        "turn_conflict",
        "This turn_id belongs to another question or conversation. Send a new turn_id with each new question.",
    )


def _from_still_running(_error: StillRunning) -> ApiError:
    return ApiError(
        503,
        "busy",
        "Your previous question is still being answered. Please try again in a moment.",
        retry_after_s=BUSY_RETRY_S,
    )


def _from_limits(_error: LimitsUnavailable) -> ApiError:
    return ApiError(
        503,
        "limits_unavailable",
        "We can't take questions right now. You can still ask for a person.",
        retry_after_s=AWAY_RETRY_S,
    )


def _from_streams(error: TooManyStreams) -> ApiError:
    if error.scope == "global":
        return busy()
    return ApiError(
        429,
        "rate_limited",
        "Too many streams are open. Close those you don't need and try again in a moment.",
        details=[ErrorDetail(field="scope", message=f"{error.scope}_streams")],
        retry_after_s=STREAMS_RETRY_S,
    )


def _from_records(error: RecordsUnavailable) -> ApiError:
    log.error("%s", error, exc_info=error)
    return ApiError(
        503,
        "records_unavailable",
        "We couldn't save this right now. Your text is still here: please send it again in a moment.",
        retry_after_s=AWAY_RETRY_S,
    )


def _from_not_storable(_error: NotStorable) -> ApiError:
    return ApiError(422, "validation", "Part of this can't be stored. Remove control characters or shorten it.")


def _not_there(_error: Foreign | Unknown) -> ApiError:
    """The same whether a conversation is somebody else's or not there at all."""
    return ApiError(404, "not_found", "This conversation doesn't exist.")


def _from_stale(error: Stale) -> ApiError:
    row = error.current
    told = ApiError(409, "taken", "Someone else was faster: this conversation has changed.")
    told.more = {"owner": {"id": row.owner} if row.owner else None, "state": row.state, "version": row.version}
    return told


def _from_token(error: BadToken) -> ApiError:
    if error.expired:
        return ApiError(401, "token_expired", "The visitor token has expired. POST it to /visitor to get a new one.")
    return ApiError(401, "token_invalid", "The visitor token isn't valid. POST /visitor creates a new visitor.")


def _from_key(_error: BadKey) -> ApiError:
    return ApiError(401, "key_invalid", "Send an API key that is valid for this as a bearer token.")


def _from_impossible(error: NotPossible) -> ApiError:
    return ApiError(409, "not_possible", f"You can't do this while the conversation is {error.state.value}.")


def _field(loc: Sequence[Any]) -> str:
    """`transcript.0.text` from Pydantic's location; never more of the caller's input than a short name."""
    parts = [str(part)[:MAX_SHOWN].encode("ascii", "replace").decode() for part in loc if part not in ("body", "[key]")]
    return ".".join(parts) if parts and not parts[0].isdigit() else "body"


def sentence(error: object) -> str:
    """What an error says, as a sentence."""
    said = str(error)
    return f"{said[:1].upper()}{said[1:].rstrip('.')}."


def _sentence(item: Mapping[str, Any]) -> str:
    match item["type"]:
        case "json_invalid":
            return "This isn't valid JSON. Send a single JSON object in UTF-8."
        case "missing":
            return (
                "This field is required." if len(item["loc"]) > 1 else 'Send a JSON object such as {"question": "…"}.'
            )
        case "model_attributes_type" | "model_type" | "dict_type":
            return "Send a JSON object here."
        case "string_unicode":
            return "The text contains invalid Unicode. Send plain UTF-8."
        case _:
            return f"{item['msg']}."


def _spoken(seconds: int) -> str:
    if seconds < 120:
        return f"{seconds} seconds" if seconds != 1 else "1 second"
    minutes = -(-seconds // 60)
    return f"{minutes} minutes" if minutes < 120 else f"{-(-minutes // 60)} hours"
