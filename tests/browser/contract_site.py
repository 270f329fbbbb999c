"""A small site that serves the widget under a strict policy and answers as the contract says."""

import asyncio
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware, RequestResponseEndpoint
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from tests.browser.replies import CONFIG, Json, reply_to

FRONTEND = Path(__file__).parents[2] / "frontend"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
PAGE = """<!doctype html><html lang="en"><head><title>A shop</title><meta name="viewport" content="width=device-width">
<link rel="icon" href="/demo/icon.svg">{scripts}</head><body><main><h1>A shop</h1><p>Words.</p><button>Buy</button>
{body}</main>
</body></html>"""
TAG = '<script async src="/widget/v1/widget.js" data-widget="pub_demo" data-lang="{lang}" {attributes}></script>'

RECORDED = "Thank you. The team has your request. A person replies within one working day."

HELD_AT_MOST_S = 60.0

Handler = Callable[[Json], Response]


@dataclass
class ContractSite:
    """What was asked of the site, and what a test may change about its answers; none comes while `go` is cleared."""

    url: str = ""
    requests: list[tuple[str, Json]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    config: Json = field(default_factory=lambda: dict(CONFIG))
    ask: Handler | None = None
    handoff: Handler | None = None
    resume: Handler | None = None
    feedback_status: int = 201
    stream: Handler | None = None
    page_image: Callable[[Request], Response] | None = None
    delay_s: float = 0.0
    go: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self.go.set()

    def reset(self) -> None:
        self.requests.clear()
        self.paths.clear()
        self.config = dict(CONFIG)
        self.ask = self.handoff = self.resume = self.stream = self.page_image = None
        self.feedback_status = 201
        self.delay_s = 0.0
        self.go.set()

    def change(self, **fields: Any) -> None:
        """From now on every reply has these fields instead of its own."""
        self.ask = lambda body: JSONResponse({**reply_to(body["question"]), **fields})

    def sent_to(self, path: str) -> list[Json]:
        return [body for asked, body in self.requests if asked == path]


def limited(retry_after_s: int) -> Response:
    error = {"code": "rate_limited", "message": "Too many questions.", "retry_after_s": retry_after_s}
    return JSONResponse({"error": error, "request_id": "r-1"}, 429, headers={"Retry-After": str(retry_after_s)})


def events(*chunks: Json, first: int = 1) -> bytes:
    """Chunks as the AI SDK's UI message stream has them."""
    lines = [f"id: {number}\ndata: {json.dumps(chunk)}\n\n" for number, chunk in enumerate(chunks, first)]
    return "".join(lines).encode()


def told(reply: Any) -> Response:
    """A whole turn as a stream: one piece of text, then the outcome."""
    answer = str(reply.get("answer", "")) if isinstance(reply, dict) else ""
    chunks: list[Json] = [
        {"type": "start", "messageId": "t-1"},
        {"type": "data-stage", "data": {"name": "retrieve"}, "transient": True},
        {"type": "text-start", "id": "c1"},
        {"type": "text-delta", "id": "c1", "delta": answer},
        {"type": "text-end", "id": "c1"},
        {"type": "data-outcome", "id": "outcome", "data": reply},
        {"type": "finish"},
    ]
    return Response(events(*chunks) + b"data: [DONE]\n\n", media_type="text/event-stream")


def recorded(_body: Json) -> Response:
    receipt = {"reference": "HR-7K2M9Q", "status": "recorded", "message": RECORDED}
    return JSONResponse(receipt, 201)


def build_app(site: ContractSite) -> Starlette:
    async def page(request: Request) -> Response:
        tags = int(request.query_params.get("tags", "1"))
        scripts = (
            TAG.format(
                attributes=request.query_params.get("attributes", ""), lang=request.query_params.get("lang", "auto")
            )
            * tags
        )
        return HTMLResponse(PAGE.format(scripts=scripts, body=request.query_params.get("body", "")))

    async def config(_request: Request) -> Response:
        return JSONResponse(site.config)

    async def released() -> None:
        await asyncio.sleep(site.delay_s)
        await asyncio.to_thread(site.go.wait, HELD_AT_MOST_S)

    async def ask(request: Request) -> Response:
        body: Json = await request.json()
        site.requests.append(("/ask", body))
        await released()
        return site.ask(body) if site.ask else JSONResponse(reply_to(body["question"]))

    async def stream(request: Request) -> Response:
        """The same turn as `/ask`, streamed; a refusal is the same refusal."""
        if site.stream is not None and (response := site.stream({})).status_code == 404:
            return response
        response = await ask(request)
        if site.stream is not None:
            return site.stream({})
        return response if response.status_code != 200 else told(json.loads(bytes(response.body)))

    async def resume(request: Request) -> Response:
        asked = {**request.path_params, "last_event_id": request.headers.get("last-event-id")}
        site.requests.append(("/chat/stream/{turn_id}", asked))
        return site.resume(dict(request.path_params)) if site.resume else JSONResponse({}, 404)

    async def visitor(_request: Request) -> Response:
        return JSONResponse({"visitor_id": "v-1", "token": "token-1", "expires_in": 900})

    async def record(request: Request) -> Response:
        site.requests.append((request.url.path, await request.json()))
        return JSONResponse({"status": "recorded"}, site.feedback_status if request.url.path == "/feedback" else 200)

    async def page_image(request: Request) -> Response:
        return site.page_image(request) if site.page_image else JSONResponse({}, 404)

    async def handoff(request: Request) -> Response:
        body: Json = await request.json()
        site.requests.append(("/handoff", body))
        await released()
        return (site.handoff or recorded)(body)

    class Policy(BaseHTTPMiddleware):
        async def dispatch(self, request: Request, call_next: RequestResponseEndpoint) -> Response:
            site.paths.append(request.url.path)
            response = await call_next(request)
            response.headers["Content-Security-Policy"] = POLICY
            return response

    return Starlette(
        middleware=[Middleware(Policy)],
        routes=[
            Route("/", page),
            Route("/config", config),
            Route("/ask", ask, methods=["POST"]),
            Route("/chat/stream", stream, methods=["POST"]),
            Route("/chat/stream/{turn_id}", resume),
            Route("/visitor", visitor, methods=["POST"]),
            Route("/pages/{name}", page_image),
            Route("/chat/stop", record, methods=["POST"]),
            Route("/feedback", record, methods=["POST"]),
            Route("/handoff", handoff, methods=["POST"]),
            Mount("/widget/v1", StaticFiles(directory=FRONTEND / "widget/dist")),
            Mount("/demo", StaticFiles(directory=FRONTEND / "demo", html=True)),
        ],
    )


class _Server(uvicorn.Server):
    def install_signal_handlers(self) -> None:
        """Signals belong to pytest; this server runs beside it in a thread."""


@contextmanager
def serve_contract_site() -> Iterator[ContractSite]:
    site = ContractSite()
    server = _Server(uvicorn.Config(build_app(site), host="127.0.0.1", port=0, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        if not thread.is_alive():
            raise RuntimeError("The contract site did not start.")
        time.sleep(0.01)
    address: Any = server.servers[0].sockets[0].getsockname()
    site.url = f"http://127.0.0.1:{address[1]}"
    yield site
    server.should_exit = True
    thread.join(timeout=5)
