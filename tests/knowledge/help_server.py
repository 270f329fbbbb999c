"""A real HTTP server on the loopback, whose pages a test sets and changes."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from handrail.knowledge import Article, Loader
from handrail.knowledge.sources import Surroundings, loader_of
from handrail.knowledge.sources.kept import Kept
from handrail.settings.sources import Source


@dataclass(frozen=True, slots=True)
class Reply:
    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


Route = Reply | Callable[[Mapping[str, str]], Reply]


@dataclass(slots=True)
class HelpServer:
    url: str = ""
    routes: dict[str, Route] = field(default_factory=dict)
    """By path and query; a route may look at the headers of the request."""
    asked: list[str] = field(default_factory=list)
    """Paths in the order of the requests."""

    def html(self, path: str, text: str, **headers: str) -> None:
        """A page with an ETag that is answered with 304 where it is known."""
        tag = f'"{sha256(text.encode()).hexdigest()[:8]}"'
        said = {"Content-Type": "text/html; charset=utf-8", "ETag": tag} | headers

        def reply(given: Mapping[str, str]) -> Reply:
            known = given.get("If-None-Match") == tag
            return Reply(b"" if known else text.encode(), 304 if known else 200, said)

        self.routes[path] = reply

    def json(self, path: str, value: Any) -> None:
        self.routes[path] = Reply(json.dumps(value).encode(), headers={"Content-Type": "application/json"})

    def sitemap(self, *paths: str) -> None:
        listed = "".join(f"<url><loc>{path if '://' in path else self.url + path}</loc></url>" for path in paths)
        self.routes["/sitemap.xml"] = Reply(f"<?xml version='1.0'?><urlset>{listed}</urlset>".encode())


@contextmanager
def help_server() -> Iterator[HelpServer]:
    served = HelpServer()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            served.asked.append(self.path)
            route = served.routes.get(self.path, Reply(status=404))
            reply = route if isinstance(route, Reply) else route(dict(self.headers.items()))
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        served.url = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield served
        server.shutdown()
        thread.join()


class Desk:
    """What a source is given, with waits that are noted instead of made."""

    def __init__(self, folder: Path, **environ: str) -> None:
        self.waits: list[float] = []
        self.kept = Kept(folder / "pages.sqlite")
        self.around = Surroundings(self.kept, folder, environ, "", 100_000, self.waits.append)

    def open(self, kind: str, where: str, **options: Any) -> Loader:
        given = {"kind": kind, "where": where, "private_network": True, "per_minute": 6000} | options
        return loader_of(Source.model_validate(given), self.around)

    def read(self, kind: str, where: str, **options: Any) -> list[Any]:
        return list(self.open(kind, where, **options).articles())


def ids(found: list[Any]) -> list[str]:
    return [item.id for item in found if isinstance(item, Article)]
