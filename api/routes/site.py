"""The widget's files for every site that embeds it, the desk, and the demo page."""

from __future__ import annotations

import logging
from urllib.parse import parse_qs

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from handrail.settings import Settings
from handrail.settings.paths import site_dir

log = logging.getLogger("handrail.site")

FOREVER = "public, max-age=31536000, immutable"
A_WHILE = "public, max-age=300, stale-while-revalidate=86400"
CHECK_FIRST = "no-cache"


class WidgetFiles(StaticFiles):
    """Other sites load these, so they are open to all origins; a file asked for by version never changes."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        versioned = "v" in parse_qs(scope["query_string"].decode("latin-1"))
        response.headers["Cache-Control"] = FOREVER if versioned else A_WHILE
        response.headers["Access-Control-Allow-Origin"] = "*"
        response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
        return response


class PageFiles(StaticFiles):
    """Pages of our own: asked for again each time, so that nobody works with last week's desk."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = CHECK_FIRST
        return response


def mount(app: FastAPI, settings: Settings) -> None:
    """Serve what is there; what has not been built is named in the log and answered with 404."""
    widget = site_dir("widget")
    if widget is None:
        log.warning("the widget is not built: run `npm ci && npm run build` in frontend/")
    else:
        app.mount("/widget/v1", WidgetFiles(directory=widget), name="widget")
    desk = site_dir("desk")
    if desk is None:
        log.warning("the desk is not built: run `npm ci && npm run build` in frontend/")
    else:
        app.mount("/desk", PageFiles(directory=desk, html=True), name="desk")
    demo = site_dir("demo") if settings.server.demo_mode else None
    if demo is not None:
        app.mount("/demo", PageFiles(directory=demo, html=True), name="demo")
        app.add_route("/", _to_demo, include_in_schema=False)


async def _to_demo(request: Request) -> RedirectResponse:
    return RedirectResponse(f"{request.scope.get('root_path', '')}/demo/")
