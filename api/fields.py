"""Shapes of the values that requests carry, with refusals that say how to write them."""

from __future__ import annotations

import re
from typing import Annotated, Any

from fastapi import Header
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, WithJsonSchema
from pydantic_core import PydanticCustomError

from handrail.desk.outbox import address
from handrail.stores import filters
from handrail.types.filters import Filters

UNSEEN = r"\s\x00-\x20\x7f-\xa0\xad\u180e\u200b\u2028\u2029\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff"
VISIBLE = rf"^[^\x00]*[^{UNSEEN}][^\x00]*$"
"""Published for clients that check before they send: something to read, and no NUL."""

FILTER_VALUE = rf"^[^\x00-\x1f\x7f]*[^{UNSEEN}\x00-\x1f\x7f][^\x00-\x1f\x7f]*$"
CONVERSATION = r"^[A-Za-z0-9._:-]{1,64}$"
LANGUAGE = r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$"
EMAIL = rf"^({address.PATTERN.removeprefix('^').removesuffix('$')})?$"
CODE = r"^\s*[0-9]{3}[ -]?[0-9]{3}\s*$"


def shaped(pattern: str, hint: str) -> AfterValidator:
    """A pattern whose refusal says how to write the value."""
    compiled = re.compile(pattern)

    def check(value: str) -> str:
        if not compiled.fullmatch(value):
            raise PydanticCustomError("shape", "{hint}", {"hint": hint})
        return value

    return AfterValidator(check)


def _one_address(value: str) -> str:
    try:
        return address.one_address(value) if value else value
    except ValueError as error:
        raise PydanticCustomError("shape", "{hint}", {"hint": str(error)}) from None


def _published(pattern: str) -> Any:
    return Field(json_schema_extra={"pattern": pattern})


ConversationId = Annotated[
    str,
    StringConstraints(max_length=64),
    shaped(CONVERSATION, "Use 1 to 64 letters, digits, dots, colons, hyphens or underscores"),
    _published(CONVERSATION),
]
Language = Annotated[
    str,
    StringConstraints(max_length=35),
    shaped(LANGUAGE, "Write a language tag such as en or pt-BR"),
    _published(LANGUAGE),
]
Email = Annotated[
    str,
    StringConstraints(max_length=address.LONGEST),
    AfterValidator(_one_address),
    _published(EMAIL),
]
Code = Annotated[
    str,
    StringConstraints(max_length=20),
    shaped(CODE, "Write the six digits of the code in the e-mail"),
    AfterValidator(lambda code: "".join(letter for letter in code if letter.isdigit())),
    _published(CODE),
]


def _known(given: dict[str, Any]) -> Filters:
    try:
        return filters.read(given)
    except filters.BadFilter as error:
        raise PydanticCustomError("shape", "{hint}", {"hint": str(error)}) from None


def _one_filter(key: str) -> Any:
    if key in (filters.FROM, filters.TO):
        return {"type": "string", "format": "date"}
    allowed = (
        {"enum": list(filters.CLOSED[key])}
        if key in filters.CLOSED
        else {"pattern": FILTER_VALUE, "maxLength": filters.LONGEST_VALUE}
    )
    one = {"type": "string", **allowed}
    return {"anyOf": [one, {"type": "array", "items": one, "minItems": 1, "maxItems": filters.MOST_VALUES}]}


FilterBy = Annotated[
    dict[str, Any],
    AfterValidator(_known),
    WithJsonSchema(
        {
            "type": "object",
            "properties": {key: _one_filter(key) for key in filters.KEYS},
            "additionalProperties": False,
        }
    ),
]
ProjectKey = Annotated[
    str | list[str],
    AfterValidator(lambda given: _known({"project_key": given})["project_key"]),
    WithJsonSchema(_one_filter("project_key")),
]
ContextToken = Annotated[
    str | None,
    Field(
        max_length=4000,
        description="What your server knows of the customer, signed by it (docs/hand-off.md). One that is forged or "
        "has expired counts as none.",
    ),
]
Said = Annotated[
    dict[str, Any],
    Field(
        max_length=50,
        description="What the page says of the visitor, such as a name or a plan: up to 20 short plain values, the "
        "rest is left out. People at the desk see it; it is believed by nobody and reaches no model.",
        examples=[{"name": "Ada", "plan": "Studio"}],
    ),
]
LARGEST = 2_000_000_000
"""Larger numbers of messages there are none, and databases hold none."""
Number = Annotated[int, Field(ge=0, le=LARGEST)]
LastEventId = Annotated[
    str | None,
    Header(alias="Last-Event-ID", max_length=20, description="Number of the last event received.", examples=["12"]),
]
Probability = Annotated[float, Field(ge=0, le=1)]


def number_of(last_event_id: str | None, otherwise: int = 0) -> int:
    """`otherwise` for an id that is not one of ours: it is then told from there."""
    given = last_event_id or ""
    if not (given.isascii() and given.isdecimal()) or int(given) > LARGEST:
        return otherwise
    return int(given)


class Lenient(BaseModel):
    """A request body: unknown fields are ignored, so that newer clients keep working."""

    model_config = ConfigDict(extra="ignore", frozen=True)
