"""A stand-in for a language model: chat completions of a fixed speed, so that only Handrail's own time differs."""

from __future__ import annotations

import asyncio
import html
import json
import re
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

MODEL = "stand-in"
TOKEN_CHARS = 4
PASSAGE = re.compile(r'<passage number="\d+" id="([^"]+)"[^>]*>\n(.*?)\n</passage>', re.S)
MESSAGE = re.compile(r"<message>\n(.*?)\n</message>", re.S)
QUOTED_PASSAGES, QUOTED_LINES = 2, 2
AGREEABLE = ("answerable", "fully")
"""What it says where one of several values is asked for, so that a turn takes its longest way."""


@dataclass(slots=True)
class StandIn:
    """Replies with lines of the passages it is given, or the plainest value its schema allows."""

    first_s: float
    """From a request to its first token."""
    token_s: float
    """From one token to the next."""
    says: Callable[[Mapping[str, Any], str, str], Any] | None = None
    """What it replies to a schema, its instructions and a prompt; quotes passages where nobody says."""
    calls: int = 0
    url: str = ""
    _server: uvicorn.Server | None = field(default=None, repr=False)

    async def complete(self, request: Request) -> Response:
        self.calls += 1
        body = await request.json()
        schema = body.get("response_format", {}).get("json_schema", {}).get("schema", {})
        instructions, prompt = str(body["messages"][0]["content"]), str(body["messages"][-1]["content"])
        value = self.says(schema, instructions, prompt) if self.says is not None else reply(schema, prompt)
        said = json.dumps(value, ensure_ascii=False)
        tokens = [said[at : at + TOKEN_CHARS] for at in range(0, len(said), TOKEN_CHARS)]
        usage = {"prompt_tokens": 0, "completion_tokens": len(tokens), "total_tokens": len(tokens)}
        if body.get("stream"):
            return StreamingResponse(self._stream(tokens, usage), media_type="text/event-stream")
        await asyncio.sleep(self.first_s + self.token_s * (len(tokens) - 1))
        message = {"role": "assistant", "content": said}
        return JSONResponse(
            {**head(), "choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "usage": usage}
        )

    async def _stream(self, tokens: list[str], usage: dict[str, int]) -> AsyncIterator[str]:
        start = time.perf_counter()
        for number, token in enumerate(tokens):
            due = start + self.first_s + number * self.token_s
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            yield chunk({"choices": [{"index": 0, "delta": {"content": token}, "finish_reason": None}]})
        yield chunk({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        yield chunk({"choices": [], "usage": usage})
        yield "data: [DONE]\n\n"


def head() -> dict[str, Any]:
    return {"id": "0", "object": "chat.completion", "created": 0, "model": MODEL}


def chunk(part: Mapping[str, Any]) -> str:
    return f"data: {json.dumps({**head(), 'object': 'chat.completion.chunk', **part})}\n\n"


def reply(schema: Mapping[str, Any], prompt: str) -> Any:
    """A value of the schema: claims quote the first passages, other texts repeat the message."""
    asked = MESSAGE.search(prompt)
    quoted = [
        {"text": line.strip(), "passage_ids": [html.unescape(id_)]}
        for id_, text in PASSAGE.findall(prompt)[:QUOTED_PASSAGES]
        for line in [line for line in html.unescape(text).splitlines() if line.strip()][:QUOTED_LINES]
    ]
    return _value(schema, schema.get("$defs", {}), asked.group(1) if asked else "", quoted)


def _value(schema: Mapping[str, Any], defined: Mapping[str, Any], message: str, quoted: list[dict[str, Any]]) -> Any:
    if "$ref" in schema:
        schema = defined[schema["$ref"].rsplit("/", 1)[-1]]
    if "anyOf" in schema:
        schema = schema["anyOf"][0]
    if "enum" in schema:
        return next((value for value in AGREEABLE if value in schema["enum"]), schema["enum"][0])
    kind = schema.get("type")
    if kind == "object":
        wanted = schema.get("properties", {})
        return {
            name: quoted if name in ("claims", "context") else _value(inner, defined, message, quoted)
            for name, inner in wanted.items()
        }
    return {"string": message, "number": 0.9, "integer": 1, "boolean": False, "array": []}.get(str(kind))


@contextmanager
def standing_in(
    first_s: float, token_s: float, says: Callable[[Mapping[str, Any], str, str], Any] | None = None
) -> Iterator[StandIn]:
    """One that listens on a free port of 127.0.0.1 until the end of the block."""
    model = StandIn(first_s, token_s, says)
    app = Starlette(routes=[Route("/v1/chat/completions", model.complete, methods=["POST"])])
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        while not server.started:
            if not thread.is_alive():
                raise OSError("the stand-in for a model could not listen on 127.0.0.1")
            time.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        model.url = f"http://127.0.0.1:{port}/v1"
        yield model
    finally:
        server.should_exit = True
        thread.join(10)
