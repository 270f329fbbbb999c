"""A real HTTP server that speaks chat completions, replays a script and records what it is asked."""

from __future__ import annotations

import asyncio
import json
import re
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from tests.openai_protocol import complaint


@dataclass(frozen=True)
class Says:
    """A reply with this content; a mapping is sent as JSON text."""

    content: Mapping[str, Any] | str
    input_tokens: int = 100
    output_tokens: int = 20
    finish_reason: str | None = "stop"
    beside: Mapping[str, Any] = field(default_factory=dict)
    """Further fields of the message, such as `reasoning_content`."""
    cached_tokens: int = 0


@dataclass(frozen=True)
class Refuses:
    """The reply of a model that declines structured output."""

    text: str = "I can't help with that."


@dataclass(frozen=True)
class Fails:
    """An HTTP failure."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    error: Mapping[str, Any] = field(default_factory=lambda: {"message": "scripted failure"})
    bare: bool = False
    """Whether the error is the body, not a field of it."""


@dataclass(frozen=True)
class Hangs:
    """Accepts the request and does not reply for `seconds`."""

    seconds: float = 5.0


@dataclass(frozen=True)
class Raw:
    """A body that is not a chat completion."""

    body: str
    content_type: str = "application/json"


@dataclass(frozen=True)
class Streams:
    """A reply sent token by token: `first_s` until the first, `gap_s` between them; silent after `stalls_after`.

    It breaks off after `breaks_after` tokens, and after `error_after` the error comes as an event. `reasoning` is sent
    before it in a field of its own. A reply that `repeats` never ends.
    """

    content: Mapping[str, Any] | str
    first_s: float = 0.0
    gap_s: float = 0.0
    token_chars: int = 12
    stalls_after: int | None = None
    breaks_after: int | None = None
    error_after: int | None = None
    error: Mapping[str, Any] = field(default_factory=lambda: {"message": "scripted failure", "type": "server_error"})
    reasoning: str = ""
    repeats: bool = False
    usage: bool = True


@dataclass(frozen=True)
class Endless:
    """A stream without an end: `write` says what its nth token is, and `beside` sends it as reasoning."""

    write: Callable[[int], str]
    gap_s: float = 0.0
    beside: bool = False


@dataclass(frozen=True)
class Quotes:
    """Answers with the first sentence of the first passages it is given, token by token, as a model might."""

    first_s: float = 0.3
    gap_s: float = 0.02
    before: str = ""
    """Written before the JSON, such as reasoning in tags."""

    def reply(self, user: str) -> Streams:
        passages = re.findall(r'<passage number="\d+" id="([^"]+)"[^>]*>\n(.*?)\n</passage>', user, re.S)
        claims = [
            {"text": re.split(r"(?<=[^\d][.!?])\s", text.strip())[0], "passage_ids": [id_]}
            for id_, text in passages[:3]
        ]
        said = self.before + json.dumps({"claims": claims, "answered": "fully"})
        return Streams(said, self.first_s, self.gap_s)


@dataclass(frozen=True)
class Seen:
    """One request as it arrived."""

    body: dict[str, Any]
    authorization: str
    at: float

    @property
    def system(self) -> str:
        return "\n".join(_text(m) for m in self.body["messages"] if m["role"] in ("system", "developer"))

    @property
    def user(self) -> str:
        return "\n".join(_text(m) for m in self.body["messages"] if m["role"] == "user")


@dataclass(frozen=True)
class Depends:
    """Replies as `choose` says of the request, as a model that does what its prompt asks for."""

    choose: Callable[[Seen], Quotes | Streams | Says | Refuses | Fails]


Step = Depends | Endless | Quotes | Streams | Says | Refuses | Fails | Hangs | Raw

Refusal = Callable[[Mapping[str, Any]], "Fails | None"]
"""What a kind of server refuses of the body of a request, and how."""


def openai(body: Mapping[str, Any]) -> Fails | None:
    refused = complaint(body)
    if refused is None:
        return None
    return Fails(400, error={"message": refused, "type": "invalid_request_error", "param": None, "code": None})


class ScriptedOpenAI:
    """Replays `steps` in order; the last one repeats.

    What the server it stands for would refuse is refused, whatever the script says: OpenAI, unless `refuses` is set.
    """

    def __init__(self) -> None:
        self.refuses: Refusal = openai
        self.steps: list[Step] = []
        self.requests: list[Seen] = []
        self.refused = 0
        self.written = 0
        """Tokens of an endless reply that somebody took."""
        self.url = ""
        self.stopping = threading.Event()

    def script(self, *steps: Step, refuses: Refusal = openai) -> None:
        self.steps = list(steps)
        self.refuses = refuses
        self.requests.clear()
        self.refused = 0

    async def complete(self, request: Request) -> Response:
        body = await request.json()
        self.requests.append(Seen(body, request.headers.get("authorization", ""), time.monotonic()))
        refused = self.refuses(body)
        if refused is not None:
            self.refused += 1
        step = refused or self.steps[min(len(self.requests) - self.refused, len(self.steps)) - 1]
        if isinstance(step, Depends):
            step = step.choose(self.requests[-1])
        if isinstance(step, Fails):
            error = dict(step.error) if step.bare else {"error": dict(step.error)}
            return JSONResponse(error, step.status, dict(step.headers))
        if isinstance(step, Raw):
            return Response(step.body, media_type=step.content_type)
        if isinstance(step, Hangs):
            await asyncio.to_thread(self.stopping.wait, step.seconds)
            return Response(status_code=504)
        if isinstance(step, Endless):
            return StreamingResponse(self._on_and_on(step, body["model"]), media_type="text/event-stream")
        if isinstance(step, Quotes):
            step = step.reply(self.requests[-1].user)
            del self.requests[:-1]
        if isinstance(step, Streams):
            if not body.get("stream"):
                await asyncio.sleep(step.first_s)
                return JSONResponse(_completion(Says(step.content), body["model"]))
            return StreamingResponse(self._tokens(step, body["model"]), media_type="text/event-stream")
        if body.get("stream") and isinstance(step, Says):
            return StreamingResponse(self._tokens(Streams(step.content), body["model"]), media_type="text/event-stream")
        return JSONResponse(_completion(step, body["model"]))

    async def _on_and_on(self, step: Endless, model: str) -> AsyncIterator[str]:
        for number in count():
            if self.stopping.is_set():
                return
            yield _chunk(model, {"reasoning_content" if step.beside else "content": step.write(number)})
            self.written = number + 1
            await asyncio.sleep(step.gap_s)

    async def _tokens(self, step: Streams, model: str) -> AsyncIterator[str]:
        text = step.content if isinstance(step.content, str) else json.dumps(step.content)
        await asyncio.to_thread(self.stopping.wait, step.first_s)
        if step.reasoning:
            yield _chunk(model, {"role": "assistant", "content": "", "reasoning_content": step.reasoning})
        while step.repeats and not self.stopping.is_set():
            yield _chunk(model, {"content": text})
            await asyncio.sleep(step.gap_s)
        for number, start in enumerate(range(0, len(text), step.token_chars)):
            if number == step.error_after:
                yield f"data: {json.dumps({'error': dict(step.error)})}\n\n"
                return
            if number == step.stalls_after:
                await asyncio.to_thread(self.stopping.wait, 30)
                return
            if number == step.breaks_after:
                raise ConnectionResetError("scripted")
            yield _chunk(model, {"content": text[start : start + step.token_chars]})
            await asyncio.sleep(step.gap_s)
        yield _chunk(model, {}, "stop")
        usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
        if step.usage:
            yield f"data: {json.dumps({**_frame(model), 'choices': [], 'usage': usage})}\n\n"
        yield "data: [DONE]\n\n"


def application(scripted: ScriptedOpenAI) -> Starlette:
    return Starlette(routes=[Route("/v1/chat/completions", scripted.complete, methods=["POST"])])


@contextmanager
def scripted_openai() -> Iterator[ScriptedOpenAI]:
    """A server on a free port of 127.0.0.1, stopped at the end; `url` is its base URL with `/v1`."""
    scripted = ScriptedOpenAI()
    server = uvicorn.Server(
        uvicorn.Config(application(scripted), host="127.0.0.1", port=0, log_level="error", lifespan="off")
    )
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        scripted.url = f"http://127.0.0.1:{port}/v1"
        yield scripted
    finally:
        scripted.stopping.set()
        server.should_exit = True
        thread.join(timeout=10)


def _completion(step: Says | Refuses, model: str) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": None, "refusal": None}
    usage: dict[str, Any] = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    finish_reason: str | None = "stop"
    if isinstance(step, Refuses):
        message["refusal"] = step.text
    else:
        message["content"] = step.content if isinstance(step.content, str) else json.dumps(step.content)
        message.update(step.beside)
        finish_reason = step.finish_reason
        usage = {
            "prompt_tokens": step.input_tokens,
            "completion_tokens": step.output_tokens,
            "total_tokens": step.input_tokens + step.output_tokens,
        }
        if step.cached_tokens:
            usage["prompt_tokens_details"] = {"cached_tokens": step.cached_tokens}
    return {
        "id": "chatcmpl-scripted",
        "object": "chat.completion",
        "created": 1_750_000_000,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish_reason}],
        "usage": usage,
    }


def _frame(model: str) -> dict[str, Any]:
    return {"id": "chatcmpl-scripted", "object": "chat.completion.chunk", "created": 1_750_000_000, "model": model}


def _chunk(model: str, delta: dict[str, Any], finish_reason: str | None = None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    return f"data: {json.dumps({**_frame(model), 'choices': [choice]})}\n\n"


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)
