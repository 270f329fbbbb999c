"""The description with the routes that are not published, and those that need a key."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from api.app import create_app
from tests.api.scripted import ScriptedAssistant, settings_in

KEY = "a-key-of-sixteen-characters"


def whole_app(folder: Path, **settings: Any) -> FastAPI:
    """With every route that a setting opens."""
    keys: dict[str, dict[str, Any]] = {
        "decisions": {"serve_key": KEY},
        "observe": {"metrics_key": KEY},
        "server": {"operator_key": KEY, **settings.pop("server", {})},
    }
    return create_app(settings_in(folder, **keys, **settings), ScriptedAssistant())


def whole_description(app: FastAPI) -> dict[str, Any]:
    with pytest.MonkeyPatch.context() as published:
        for place in _places(app.routes):
            published.setattr(place, "include_in_schema", True)
        return get_openapi(title="all", version="1", routes=app.routes)


def _places(routes: Iterable[Any]) -> Iterator[Any]:
    """Routes and routers that may be left out of the description, however deep."""
    for route in routes:
        if hasattr(route, "include_in_schema"):
            yield route
        if (router := getattr(route, "original_router", None)) is not None:
            yield from (router, route.include_context)
            yield from _places(router.routes)
