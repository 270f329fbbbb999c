"""Reads a document in a process of its own, so that no file takes more time or memory than it may.

Libraries that read PDF and DOCX can be kept busy for hours by a few kilobytes, or die of them.
"""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from importlib import import_module

from handrail.errors import KnowledgeError, MissingExtra
from handrail.knowledge.formats.body import Body
from handrail.types import Place

SECONDS = 120
MEMORY = 2 << 30
"""Bytes of address space."""
MOST_OUTPUT = 200_000_000


def read_apart(module: str, library: str, data: bytes) -> Body:
    """What `module.parse` makes of `data`.

    Raises MissingExtra where `library` is not installed, KnowledgeError for a document that cannot be read.
    """
    if not _installed(library):
        raise MissingExtra("Reading PDF and DOCX files", "documents")
    command = [sys.executable, "-m", __name__, module]
    try:
        done = subprocess.run(command, input=data, capture_output=True, timeout=SECONDS, check=False)  # noqa: S603
    except subprocess.TimeoutExpired:
        raise KnowledgeError(f"reading it took more than {SECONDS} s; save it anew, or split it") from None
    if done.returncode or len(done.stdout) > MOST_OUTPUT:
        raise KnowledgeError("can't be read within the memory a document may take; it may be damaged. Save it anew")
    said = json.loads(done.stdout)
    if error := said.get("error"):
        raise KnowledgeError(error)
    return _body(said)


def _installed(library: str) -> bool:
    try:
        import_module(library)
    except ImportError:
        return False
    return True


def _body(said: dict[str, object]) -> Body:
    body = Body()
    body.title, body.lines = said["title"], said["lines"]  # type: ignore[assignment]
    for line, places in said["places"]:  # type: ignore[attr-defined]
        body.places[line] = tuple(Place(one["page"], tuple(one["box"]) if one["box"] else None) for one in places)
    return body


def _limited() -> None:
    try:
        import resource
    except ImportError:  # Windows has no such limits; the time is limited all the same
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def main(module: str) -> None:
    """Of the process: a document on standard input, what it says as JSON on standard output."""
    parse = import_module(module).parse
    _limited()
    try:
        body: Body = parse(sys.stdin.buffer.read())
        said = {
            "title": body.title,
            "lines": body.lines,
            "places": [(line, [dataclasses.asdict(place) for place in places]) for line, places in body.places.items()],
        }
    except KnowledgeError as error:
        said = {"error": str(error)}
    sys.stdout.write(json.dumps(said))


if __name__ == "__main__":
    main(sys.argv[1])
