"""Reads a document in a process of its own, so that no file takes more time or memory than it may.

Libraries that read PDF and DOCX can be kept busy for hours by a few kilobytes, or die of them.
"""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from handrail.errors import KnowledgeError, MissingExtra
from handrail.knowledge.files import printable
from handrail.knowledge.formats.body import Body
from handrail.types import Place

SECONDS = 120
MEMORY = 2 << 30
"""Bytes of address space."""
MOST_CHARS = 20_000_000
"""Of text in one document: a few kilobytes can be packed text of any length."""


def read_apart(module: str, library: str, data: bytes) -> Body:
    """What `module.parse` makes of `data`. Raises as `run_apart` does."""
    return _body(run_apart(module, "parse", library, data))


def run_apart(module: str, function: str, library: str, data: bytes, *more: str) -> dict[str, Any]:
    """What a function of `module` makes of `data`: a body, or what JSON can hold.

    Raises MissingExtra where `library` is not installed, KnowledgeError for a document that cannot be read.
    """
    if find_spec(library) is None:
        raise MissingExtra("Reading PDF and DOCX files", "documents")
    # -P: a docx.py in the current folder must not be taken for the library.
    command = [sys.executable, "-P", "-m", __name__, module, function, *more]
    try:
        done = subprocess.run(command, input=data, capture_output=True, timeout=SECONDS, check=False)  # noqa: S603
    except subprocess.TimeoutExpired:
        raise KnowledgeError(f"reading it took more than {SECONDS} s; save it anew, or split it") from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        why = f" ({printable(said)[:100]})" if said else ""
        raise KnowledgeError(f"can't be read within the time and memory a document may take{why}; save it anew")
    found: dict[str, Any] = json.loads(done.stdout)
    if error := found.get("error"):
        raise KnowledgeError(error)
    return found


def _body(said: dict[str, Any]) -> Body:
    body = Body()
    body.title, body.lines = said["title"], said["lines"]
    for line, places in said["places"]:
        body.places[line] = tuple(Place(one["page"], tuple(one["box"]) if one["box"] else None) for one in places)
    return body


def _limited() -> None:
    try:
        import resource
    except ImportError:  # Windows has no such limits; the time is limited all the same
        return
    with suppress(ValueError, OSError):  # a system may allow less
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def _said(body: Body) -> dict[str, Any]:
    if sum(map(len, body.lines)) > MOST_CHARS:
        raise KnowledgeError(f"holds more than {MOST_CHARS:,} characters of text; split it")
    places = [(line, [dataclasses.asdict(place) for place in places]) for line, places in body.places.items()]
    return {"title": body.title, "lines": body.lines, "places": places}


def main(module: str, function: str, *more: str) -> None:
    """Of the process: a document on standard input, what is made of it as JSON on standard output."""
    call = getattr(import_module(module), function)
    _limited()
    try:
        made = call(sys.stdin.buffer.read(), *more)
        said = _said(made) if isinstance(made, Body) else made
    except KnowledgeError as error:
        said = {"error": str(error)}
    sys.stdout.write(json.dumps(said))


if __name__ == "__main__":
    main(*sys.argv[1:])
