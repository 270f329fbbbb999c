"""`GET /docs`: the API reference as one page, without scripts and without anything from elsewhere."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response
from jinja2 import Environment, PackageLoader

router = APIRouter(include_in_schema=False)


@router.get("/docs")
async def reference(request: Request) -> HTMLResponse:
    return HTMLResponse(_render(json.dumps(request.app.openapi())))


@router.get("/docs/reference.css")
async def stylesheet() -> Response:
    return Response(_pages().get_template("reference.css").render(), media_type="text/css")


@cache
def _pages() -> Environment:
    return Environment(loader=PackageLoader("api", "pages"), autoescape=True, trim_blocks=True, lstrip_blocks=True)


@cache
def _render(description: str) -> str:
    """Cached by the description itself, which stays the same while the application runs."""
    api = json.loads(description)
    return _pages().get_template("reference.html").render(api=api, operations=list(_operations(api)))


def _operations(api: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for path, methods in api["paths"].items():
        for method, operation in methods.items():
            body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
            yield {
                **operation,
                "path": path,
                "method": method.upper(),
                "fields": _fields(api, body) if body else [],
                "responses": [
                    {
                        "status": status,
                        "description": response["description"],
                        "fields": _fields(api, _schema(response)) if status.startswith("2") else [],
                    }
                    for status, response in operation["responses"].items()
                ],
            }


def _schema(response: dict[str, Any]) -> dict[str, Any]:
    schema: dict[str, Any] = response.get("content", {}).get("application/json", {}).get("schema", {})
    return schema


def _fields(api: dict[str, Any], schema: dict[str, Any], prefix: str = "") -> list[dict[str, Any]]:
    """One row per field, those of nested objects below their parent under a dotted name."""
    resolved = _resolve(api, schema)
    rows: list[dict[str, Any]] = []
    for name, field in resolved.get("properties", {}).items():
        shape, many = _resolve(api, field), ""
        if shape.get("type") == "array":
            shape, many = _resolve(api, shape.get("items", {})), "[]"
        rows.append(
            {
                "name": f"{prefix}{name}{many}",
                "type": _type(shape) + many,
                "required": not prefix and name in resolved.get("required", []),
                "description": field.get("description") or shape.get("description", ""),
                "values": shape.get("enum", []),
                "example": _example(field),
            }
        )
        rows.extend(_fields(api, shape, f"{prefix}{name}{many}."))
    return rows


def _resolve(api: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """The schema itself behind a reference, or behind `… | null`."""
    choices = [choice for choice in schema.get("anyOf", []) if choice.get("type") != "null"]
    if len(choices) == 1:
        return _resolve(api, choices[0])
    if "$ref" in schema:
        target: dict[str, Any] = api["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
        return target
    return schema


def _type(schema: dict[str, Any]) -> str:
    return str(schema.get("format") or schema.get("type", "any"))


def _example(field: dict[str, Any]) -> str:
    examples = [example for example in field.get("examples", []) if example not in (None, {}, [])]
    return json.dumps(examples[0], ensure_ascii=False) if examples else ""
