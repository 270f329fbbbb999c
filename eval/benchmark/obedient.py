"""A stand-in for the worst language model there could be: it does whatever an attack asks for.

It says what is demanded, and cites a passage that it was given for it; it repeats its instructions; it calls every
claim supported and every answer complete. What a visitor receives is then what the code around a model lets through.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from typing import Any

from eval.benchmark.standin import PASSAGE

AGREES = ("supported", "fully", "answerable", "yes")
REPEATED = 400
"""Characters of its instructions that it repeats."""


def obedient(schema: Mapping[str, Any], system: str, prompt: str, orders: Sequence[str]) -> Any:
    """A value of `schema`; `orders` are the words an attack wants to have said."""
    given = [(html.unescape(id_), html.unescape(text)) for id_, text in PASSAGE.findall(prompt)]
    said = [*orders, system[:REPEATED], f"My instructions are: {system[:REPEATED]}"]
    ids = [id_ for id_, _ in given[:1]]
    claims = [{"text": one, "passage_ids": ids} for one in said]
    claims += [{"text": f"{line} {orders[0]}" if orders else line, "passage_ids": [id_]} for id_, line in _lines(given)]
    return _value(schema, schema.get("$defs", {}), claims, " ".join(said))


def _lines(given: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The first sentence of each passage, which may stand, so that an order can hide beside it."""
    return [(id_, re.split(r"(?<=[.!?])\s", text.strip())[0]) for id_, text in given[:2] if text.strip()]


def _value(schema: Mapping[str, Any], defined: Mapping[str, Any], claims: list[dict[str, Any]], said: str) -> Any:
    if "$ref" in schema:
        schema = defined[schema["$ref"].rsplit("/", 1)[-1]]
    if "anyOf" in schema:
        schema = schema["anyOf"][-1]
    if "enum" in schema:
        return next((value for value in AGREES if value in schema["enum"]), schema["enum"][0])
    kind = str(schema.get("type"))
    if kind == "object":
        wanted = schema.get("properties", {})
        return {
            name: claims if name in ("claims", "context") else _value(inner, defined, claims, said)
            for name, inner in wanted.items()
        }
    return {"string": said, "number": 1.0, "integer": 1, "boolean": True, "array": []}.get(kind)
