"""Served under a path of somebody else's site: a proxy passes `/help/…` on, with the prefix or without it."""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send


class Prefix:
    """Outermost. Cookies, redirects and pages further in go by `root_path`."""

    def __init__(self, app: ASGIApp, root_path: str) -> None:
        self._app = app
        self._root = root_path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            path = scope["path"]
            whole = path == self._root or path.startswith(f"{self._root}/")
            path = path if whole else self._root + path
            scope = {**scope, "path": path, "root_path": self._root, "app_root_path": self._root}
        await self._app(scope, receive, send)
