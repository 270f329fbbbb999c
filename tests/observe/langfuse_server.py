"""A real HTTP server with the parts of Langfuse's API that Handrail uses; it keeps what it is sent."""

from __future__ import annotations

import asyncio
import base64
import gzip
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from handrail.settings import Observe

PUBLIC_KEY, SECRET_KEY = "pk-lf-test", "sk-lf-test"
WHEN = "2026-01-01T00:00:00Z"
AUTHORIZATION = "Basic " + base64.b64encode(f"{PUBLIC_KEY}:{SECRET_KEY}".encode()).decode()


@dataclass(frozen=True)
class SeenSpan:
    """One span as it came over the wire."""

    name: str
    trace_id: str
    id: str
    parent_id: str
    start_ns: int
    end_ns: int
    attributes: dict[str, Any]
    resource: dict[str, Any]


@dataclass(frozen=True)
class StoredPrompt:
    text: str
    labels: list[str]
    type: str = "text"


@dataclass
class LangfuseServer:
    """`status` other than 200 makes every request fail with it; `hang_s` delays every reply."""

    url: str = ""
    status: int = 200
    hang_s: float = 0.0
    headers: list[dict[str, str]] = field(default_factory=list)
    """Of every attempt to send traces, refused ones too."""
    bodies: list[bytes] = field(default_factory=list)
    spans: list[SeenSpan] = field(default_factory=list)
    prompts: dict[str, list[StoredPrompt]] = field(default_factory=dict)
    fetches: list[str] = field(default_factory=list)
    datasets: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    """Items by id, by the name of their dataset."""
    scores: list[dict[str, Any]] = field(default_factory=list)
    stopping: threading.Event = field(default_factory=threading.Event)

    def settings(self) -> Observe:
        keys = {"langfuse_public_key": PUBLIC_KEY, "langfuse_secret_key": SECRET_KEY, "langfuse_host": self.url}
        return Observe.model_validate({**keys, "environment": "test"})

    def register(self, name: str, text: str, *labels: str, type: str = "text") -> int:
        """A new version; takes over the labels and `latest`. Returns its number."""
        versions = self.prompts.setdefault(name, [])
        self._take(name, {*labels, "latest"})
        versions.append(StoredPrompt(text, [*labels, "latest"], type))
        return len(versions)

    def _take(self, name: str, labels: set[str]) -> None:
        for version in self.prompts[name]:
            version.labels[:] = [label for label in version.labels if label not in labels]

    async def traces(self, request: Request) -> Response:
        self.headers.append(dict(request.headers))
        body = await request.body()
        if (refusal := await self._refusal(request)) is not None:
            return refusal
        self.bodies.append(gzip.decompress(body))
        self.spans += _decode(self.bodies[-1])
        return Response(status_code=200)

    async def get_prompt(self, request: Request) -> Response:
        name = request.path_params["name"]
        self.fetches.append(name)
        if (refusal := await self._refusal(request)) is not None:
            return refusal
        label, number = request.query_params.get("label", "production"), request.query_params.get("version")
        for version, prompt in enumerate(self.prompts.get(name, []), start=1):
            if str(version) == number or (number is None and label in prompt.labels):
                return JSONResponse(_prompt(name, version, prompt))
        return JSONResponse({"message": "Prompt not found", "error": "LangfuseNotFoundError"}, 404)

    async def create_prompt(self, request: Request) -> Response:
        if (refusal := await self._refusal(request)) is not None:
            return refusal
        body = await request.json()
        version = self.register(body["name"], body["prompt"], *body["labels"], type=body["type"])
        return JSONResponse(_prompt(body["name"], version, self.prompts[body["name"]][-1]), 201)

    async def label_prompt(self, request: Request) -> Response:
        if (refusal := await self._refusal(request)) is not None:
            return refusal
        name, number = request.path_params["name"], request.path_params["version"]
        labels = (await request.json())["newLabels"]
        self._take(name, set(labels))
        prompt = self.prompts[name][number - 1]
        prompt.labels.extend(labels)
        return JSONResponse(_prompt(name, number, prompt))

    async def projects(self, request: Request) -> Response:
        if (refusal := await self._refusal(request)) is not None:
            return refusal
        organization = {"id": "o-1", "name": "acme"}
        return JSONResponse({"data": [{"id": "p-1", "name": "support", "organization": organization, "metadata": {}}]})

    async def get_dataset(self, request: Request) -> Response:
        if (refusal := await self._refusal(request)) is not None:
            return refusal
        name = request.path_params["name"]
        if name not in self.datasets:
            return JSONResponse({"message": "Dataset not found"}, 404)
        return JSONResponse(_dataset(name))

    async def create_dataset(self, request: Request) -> Response:
        if (refusal := await self._refusal(request)) is not None:
            return refusal
        name = (await request.json())["name"]
        self.datasets.setdefault(name, {})
        return JSONResponse(_dataset(name))

    async def create_item(self, request: Request) -> Response:
        if (refusal := await self._refusal(request)) is not None:
            return refusal
        body = await request.json()
        self.datasets[body["datasetName"]][body["id"]] = body
        item = {"status": "ACTIVE", "datasetId": f"d-{body['datasetName']}", "createdAt": WHEN, "updatedAt": WHEN}
        return JSONResponse({"expectedOutput": None, "metadata": None, "mediaReferences": [], **body, **item})

    async def create_scores(self, request: Request) -> Response:
        if (refusal := await self._refusal(request)) is not None:
            return refusal
        body = await request.json()
        self.scores += body
        return JSONResponse({"accepted": len(body)}, 202)

    async def list_prompts(self, request: Request) -> Response:
        if (refusal := await self._refusal(request)) is not None:
            return refusal
        asked = request.query_params.get("name")
        data = [
            {
                "name": name,
                "type": "text",
                "versions": list(range(1, len(versions) + 1)),
                "labels": sorted({label for version in versions for label in version.labels}),
                "tags": [],
                "lastUpdatedAt": WHEN,
                "lastConfig": {},
            }
            for name, versions in self.prompts.items()
            if asked in (None, name)
        ]
        meta = {"page": 1, "limit": 100, "totalItems": len(data), "totalPages": 1}
        return JSONResponse({"data": data, "meta": meta})

    async def _refusal(self, request: Request) -> Response | None:
        if self.hang_s:
            await asyncio.to_thread(self.stopping.wait, self.hang_s)
        if request.headers.get("authorization") != AUTHORIZATION:
            return JSONResponse({"message": "Invalid credentials"}, 401)
        return None if self.status == 200 else JSONResponse({"message": "scripted failure"}, self.status)


@contextmanager
def langfuse_server() -> Iterator[LangfuseServer]:
    """A server on a free port of 127.0.0.1, stopped at the end."""
    seen = LangfuseServer()
    routes = [
        Route("/api/public/otel/v1/traces", seen.traces, methods=["POST"]),
        Route("/api/public/v2/prompts", seen.list_prompts, methods=["GET"]),
        Route("/api/public/v2/prompts", seen.create_prompt, methods=["POST"]),
        Route("/api/public/v2/prompts/{name}", seen.get_prompt, methods=["GET"]),
        Route("/api/public/v2/prompts/{name}/versions/{version:int}", seen.label_prompt, methods=["PATCH"]),
        Route("/api/public/projects", seen.projects, methods=["GET"]),
        Route("/api/public/v2/datasets", seen.create_dataset, methods=["POST"]),
        Route("/api/public/v2/datasets/{name}", seen.get_dataset, methods=["GET"]),
        Route("/api/public/dataset-items", seen.create_item, methods=["POST"]),
        Route("/api/public/scores", seen.create_scores, methods=["POST"]),
    ]
    config = uvicorn.Config(Starlette(routes=routes), host="127.0.0.1", port=0, log_level="error", lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        seen.url = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
        yield seen
    finally:
        seen.stopping.set()
        server.should_exit = True
        thread.join(timeout=10)


def _dataset(name: str) -> dict[str, Any]:
    held = {"id": f"d-{name}", "name": name, "projectId": "p-1", "metadata": None}
    return {**held, "createdAt": WHEN, "updatedAt": WHEN}


def _prompt(name: str, version: int, prompt: StoredPrompt) -> dict[str, Any]:
    text: Any = prompt.text if prompt.type == "text" else [{"role": "system", "content": prompt.text}]
    return {
        "name": name,
        "version": version,
        "type": prompt.type,
        "prompt": text,
        "labels": prompt.labels,
        "tags": [],
        "config": {},
    }


def _decode(body: bytes) -> Iterator[SeenSpan]:
    for resource_spans in ExportTraceServiceRequest.FromString(body).resource_spans:
        resource = _attributes(resource_spans.resource.attributes)
        for scope_spans in resource_spans.scope_spans:
            for span in scope_spans.spans:
                yield _seen(span, resource)


def _seen(span: Span, resource: dict[str, Any]) -> SeenSpan:
    return SeenSpan(
        span.name,
        span.trace_id.hex(),
        span.span_id.hex(),
        span.parent_span_id.hex(),
        span.start_time_unix_nano,
        span.end_time_unix_nano,
        _attributes(span.attributes),
        resource,
    )


def _attributes(pairs: Any) -> dict[str, Any]:
    items: list[KeyValue] = list(pairs)
    return {pair.key: _value(pair.value) for pair in items}


def _value(value: AnyValue) -> Any:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_value(item) for item in value.array_value.values]
    return getattr(value, str(kind))
