"""What OpenAI's chat completions refuse, after its API reference and its guide to structured outputs.

The request is first held against the types of OpenAI's own SDK, then against the rules they cannot express.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from openai.types.chat.completion_create_params import (
    CompletionCreateParamsNonStreaming,
    CompletionCreateParamsStreaming,
)
from pydantic import TypeAdapter, ValidationError

WHOLE = TypeAdapter[Any](CompletionCreateParamsNonStreaming)
STREAMED = TypeAdapter[Any](CompletionCreateParamsStreaming)
KNOWN = frozenset(CompletionCreateParamsStreaming.__annotations__) | frozenset(
    name for base in CompletionCreateParamsStreaming.__mro__ for name in getattr(base, "__annotations__", {})
)
REASONING = re.compile(r"^(?:o\d|gpt-5)")
NAME = re.compile(r"^[A-Za-z0-9_-]{1,64}$")
SUPPORTED = """
    type properties required additionalProperties items enum const anyOf $ref $defs description title pattern format
    minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems
"""
KEYWORDS = frozenset(SUPPORTED.split())
"""Of JSON Schema, what strict structured outputs support; `title` is passed over."""
MOST_DEPTH = 10


def complaint(body: Mapping[str, Any]) -> str | None:
    """Why the request is refused; None when it is not."""
    return next(_complaints(body), None)


def _complaints(body: Mapping[str, Any]) -> Iterator[str]:
    for name in body.keys() - KNOWN:
        yield f"Unrecognized request argument supplied: {name}"
    try:
        read = (STREAMED if body.get("stream") else WHOLE).validate_python(dict(body))
        list(read["messages"])  # validated one by one, when they are taken
    except ValidationError as error:
        first = error.errors()[0]
        yield f"Invalid value for '{'.'.join(map(str, first['loc']))}': {first['msg']}"
    if not body.get("messages"):
        yield "Invalid 'messages': empty array."
    if "stream_options" in body and not body.get("stream"):
        yield "The 'stream_options' parameter is only allowed when 'stream' is enabled."
    if "max_tokens" in body and "max_completion_tokens" in body:
        yield "'max_tokens' and 'max_completion_tokens' cannot be set at the same time."
    if REASONING.match(body.get("model", "")):
        for name in {"max_tokens", "temperature", "top_p", "logprobs"} & body.keys():
            yield f"Unsupported parameter: '{name}' is not supported with this model."
    elif "reasoning_effort" in body:
        yield "Unrecognized request argument supplied: reasoning_effort"
    asked = (body.get("response_format") or {}).get("json_schema")
    if asked is not None:
        if not NAME.match(asked.get("name", "")):
            yield "Invalid 'response_format.json_schema.name': string does not match pattern."
        if asked.get("strict"):
            yield from _schema(asked["schema"], "", 0)


def _schema(schema: Mapping[str, Any], path: str, depth: int) -> Iterator[str]:
    where = f"Invalid schema for response_format: in context=({path or 'root'})"
    if depth > MOST_DEPTH:
        yield f"{where}, nested too deeply"
        return
    for name in schema.keys() - KEYWORDS:
        yield f"{where}, '{name}' is not permitted."
    if not path and schema.get("type") != "object":
        yield f"{where}, schema must be of type 'object'."
    if schema.get("type") == "object":
        if schema.get("additionalProperties") is not False:
            yield f"{where}, 'additionalProperties' is required to be supplied and to be false."
        if set(schema.get("required", ())) != set(schema.get("properties", {})):
            yield f"{where}, 'required' must include every key in properties."
    if "$ref" in schema and schema.keys() - {"$ref", "description"}:
        yield f"{where}, '$ref' cannot have keywords beside it."
    inner: dict[str, Any] = {**schema.get("properties", {}), **schema.get("$defs", {})}
    inner |= {f"anyOf.{n}": part for n, part in enumerate(schema.get("anyOf", ()))}
    if "items" in schema:
        inner["items"] = schema["items"]
    for name, part in inner.items():
        yield from _schema(part, f"{path}/{name}", depth + 1)
