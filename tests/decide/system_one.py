"""Servers of the System One protocol on real sockets: one that follows a script, and any application of ours."""

from __future__ import annotations

import hashlib
import json
import math
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from typing import Any

import uvicorn
from fastapi import FastAPI
from pydantic_ai.models.decision import (
    ChoiceAnswer,
    ChoiceQuestion,
    DecisionAnswer,
    DecisionModel,
    DecisionModelSettings,
    DecisionQuestion,
    DecisionRequest,
    DecisionResponse,
    NoulAnswer,
    NoulQuestion,
    ScoreAnswer,
)

from handrail.decide.answers import above_chance

Body = dict[str, Any]


class Server:
    """Remembers what it was asked; answers with `answers` by question, or as told."""

    def __init__(self) -> None:
        self.requests: list[Body] = []
        self.headers: list[Mapping[str, str]] = []
        self.answers: Callable[[str, Body], Body] = lambda name, question: {"type": "noul", "noul": 0.5}
        self.status = 200
        self.raw: bytes | None = None
        self.waits_s = 0.0
        self.url = ""
        self.path = "/v1/systemone"

    def reply(self, body: Body) -> bytes:
        if self.raw is not None:
            return self.raw
        answers = {name: self.answers(name, question) for name, question in body["questions"].items()}
        return json.dumps(
            {"model": "scripted-7", "answers": answers, "usage": {"input_tokens": 11, "output_tokens": 2}}
        ).encode()


@contextmanager
def scripted_server() -> Iterator[Server]:
    server = Server()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            server.requests.append(body)
            server.headers.append({key.lower(): value for key, value in self.headers.items()})
            time.sleep(server.waits_s)
            written = server.reply(body) if self.path == server.path else b"{}"
            self.send_response(server.status if self.path == server.path else 404)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(written)))
            self.end_headers()
            self.wfile.write(written)

        def log_message(self, format: str, *args: Any) -> None:
            return None

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: Any, client_address: Any) -> None:
            return None  # clients that gave up waiting

    with running(Quiet(("127.0.0.1", 0), Handler)) as server.url:
        yield server


@contextmanager
def running(listening: HTTPServer) -> Iterator[str]:
    """The address of a server that is run on a thread of its own, and looks often whether it should stop."""
    thread = threading.Thread(target=listening.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.server_address[1]}"
    finally:
        listening.shutdown()
        listening.server_close()
        thread.join(5)


def chosen(label: str, probability: float) -> Callable[[str, Body], Body]:
    """One option of every choice gets this much, the others share the rest; every yes/no gets it as its yes."""

    def answer(name: str, question: Body) -> Body:
        if question["type"] == "noul":
            return {"type": "noul", "noul": probability}
        options = list(question["criteria"])
        rest = (1 - probability) / (len(options) - 1)
        shares = {option: probability if option == label else rest for option in options}
        # A confidence that means nothing: nobody may go by it.
        return {"type": "choice", "choice": options[0], "confidence": 0.01, "probabilities": shares}

    return answer


class Everything(DecisionModel[None]):
    """Answers any question, always the same, and none better than chance."""

    @property
    def model_name(self) -> str:
        return "everything"

    @property
    def system(self) -> str:
        return "test"

    @property
    def base_url(self) -> str | None:
        return None

    @property
    def client(self) -> None:
        return None

    async def decide(self, request: DecisionRequest, model_settings: DecisionModelSettings) -> DecisionResponse:
        answers = {name: _guess(request.state, question) for name, question in request.questions.items()}
        return DecisionResponse(answers=answers, model_name="everything")


def _guess(state: object, question: DecisionQuestion) -> DecisionAnswer:
    if isinstance(question, NoulQuestion):
        return NoulAnswer(noul=_shares(state, question.instructions, ["yes", "no"])[0])
    shares = _shares(state, question.instructions, list(question.criteria))
    if isinstance(question, ChoiceQuestion):
        by_option = dict(zip(question.criteria, shares, strict=True))
        choice = max(by_option, key=by_option.__getitem__)
        return ChoiceAnswer(choice=choice, confidence=above_chance(shares), probabilities=by_option)
    return ScoreAnswer(
        score=sum(level * share for level, share in enumerate(shares)),
        confidence=above_chance(shares),
        probabilities=dict(enumerate(shares)),
        legend=dict(enumerate(question.criteria)),
    )


def _shares(state: object, instructions: object, options: list[Any]) -> list[float]:
    def weight(option: object) -> float:
        said = json.dumps([state, instructions, option], sort_keys=True).encode()
        return math.exp(hashlib.sha256(said).digest()[0] / 64)

    weights = [weight(option) for option in options]
    return [one / sum(weights) for one in weights]


@contextmanager
def serving(app: FastAPI) -> Iterator[str]:
    """The address of an application on a socket of its own."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="off"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        until = time.monotonic() + 30
        while not server.started:
            assert time.monotonic() < until, "the server does not start"
            time.sleep(0.02)
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(10)
