"""The JSON object in a reply that has more than that around it, or slightly less.

Reasoning in tags, prose and code fences around the object are taken away, and missing closing brackets are added where
nothing else can be missing. What could be read in two ways is left as it is, for the model to correct.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator

from pydantic_core import from_json

TAGS = ("think", "thinking", "thought", "reasoning")
"""Models write their reasoning between these, unless their server takes it out."""
FENCE = "```"
_DECODER = json.JSONDecoder(strict=False)


def json_in(reply: str) -> str:
    """The one JSON object in `reply`; the reply without its reasoning where there is none, or more than one."""
    rest = _behind_reasoning(reply)
    if _is_json(rest):
        return rest
    for text in _readings(rest):
        found = _only_object(text)
        if found is not None:
            return found
    return _closed(rest) or rest


def json_so_far(text: str) -> str:
    """Of a reply that is still being written: the JSON object as far as it has come, empty until it has begun.

    Prose before the object is held back: it may turn out to be reasoning that only a closing tag tells apart.
    """
    rest = _behind_reasoning(text)
    while not rest.startswith(("{", FENCE)):
        behind = _behind_closing(rest, str.find, min)
        if behind is None:
            return ""
        rest = behind.lstrip()
    return rest[rest.find("{") :] if "{" in rest else ""


def _behind_reasoning(text: str) -> str:
    """Behind the blocks in tags that a reply begins with; empty where the last of them has not ended."""
    rest = text.lstrip()
    while tag := next((tag for tag in TAGS if rest.startswith(f"<{tag}>")), None):
        _, _, rest = rest.partition(f"</{tag}>")
        rest = rest.lstrip()
    return rest


def _behind_closing(text: str, find: Callable[[str, str], int], pick: Callable[[Iterable[int]], int]) -> str | None:
    """Behind a closing tag without an opening one, which some chat templates swallow: the first or the last."""
    ends = [at + len(f"</{tag}>") for tag in TAGS if (at := find(text, f"</{tag}>")) >= 0]
    return text[pick(ends) :] if ends else None


def _readings(text: str) -> Iterator[str]:
    if text.startswith("{"):
        yield text
    behind = _behind_closing(text, str.rfind, max)
    if behind is not None:
        yield behind
    yield text


def _only_object(text: str) -> str | None:
    found: list[object] = []
    at = text.find("{")
    while at >= 0:
        end = at + 1
        if text[end:].lstrip()[:1] in ('"', "}"):
            try:
                value, end = _DECODER.raw_decode(text, at)
            except (ValueError, RecursionError):
                return None
            found.append(value)
        at = text.find("{", end)
    same = found and all(value == found[0] for value in found)
    return json.dumps(found[0]) if same else None


def _closed(text: str) -> str | None:
    """With its last brackets, where it ends behind a complete value of an object and within no list.

    A list that was cut off may lack items, and a string or a number its end.
    """
    text = text[text.find("{") :].rstrip()
    brackets: list[str] = []
    quoted = escaped = False
    for char in text:
        if quoted:
            quoted = escaped or char != '"'
            escaped = char == "\\" and not escaped
        elif char == '"':
            quoted = True
        elif char in "{[":
            brackets.append(char)
        elif char in "}]":
            if not brackets:
                return None
            brackets.pop()
    if quoted or not brackets or "[" in brackets or text[-1:].isdigit():
        return None
    whole = text + "}" * len(brackets)
    return whole if _is_json(whole) else None


def _is_json(text: str) -> bool:
    try:
        return isinstance(from_json(text), dict)
    except ValueError:
        return False
