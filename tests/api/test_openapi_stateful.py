"""Walks through the whole API, published or not: ids that one call returned are sent to the next.

Every walk is by somebody who is a visitor, an administrator of the desk and the operator at once, so that nothing ends
at a missing right. `HANDRAIL_WALKS=1000` walks for longer, each time elsewhere.
"""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from fastapi import FastAPI
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.config import SchemathesisConfig
from schemathesis.core.failures import FailureGroup
from schemathesis.core.result import Ok
from schemathesis.python import asgi
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from handrail.desk.reports.build import REPORTS
from handrail.settings import Storage
from tests.api.described import KEY, whole_app, whole_description
from tests.api.two_sides import PASSWORD, add_people

FOLDER = tempfile.TemporaryDirectory(prefix="handrail-walks-")
WALKS = int(os.environ.get("HANDRAIL_WALKS", "0"))
"""0 takes the same few each time."""
FEW, STEPS = 8, 20
ENDLESS = {"/desk/api/events", "/conversations/{conversation_id}/events"}
"""Streams without an end; test_live.py and test_crowd.py follow them."""
LOCKING_OUT = {"/desk/api/sign-out"}
PAGES = {"/docs", "/docs/reference.css"}
HOST = "http://testserver"
ERROR = {
    "description": "A refusal.",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ErrorResponse"}}},
}
REFUSALS = ("400", "401", "403", "404", "408", "409", "413", "415", "422", "429", "503")
CHECKS = [status_code_conformance, content_type_conformance, response_schema_conformance]


def described(app: FastAPI) -> dict[str, Any]:
    """With the refusals that any address of the desk may give, which is nobody's to generate a client from."""
    whole = whole_description(app)
    whole["paths"] = {path: what for path, what in whole["paths"].items() if path not in ENDLESS | LOCKING_OUT | PAGES}
    for operation in (one for operations in whole["paths"].values() for one in operations.values()):
        if "500" not in operation["responses"]:  # published ones declare each refusal
            operation["responses"] = {**dict.fromkeys(REFUSALS, ERROR), **operation["responses"]}
    return whole


class Walker:
    """Calls one operation after the other, and remembers the ids in what comes back."""

    def __init__(self, app: Any) -> None:
        with asgi.get_client(app) as client:
            token = client.post(f"{HOST}/visitor", json={}).json()["token"]
            password = {"email": "ada@example.com", "password": PASSWORD}
            signed = client.post(f"{HOST}/desk/api/sign-in", json=password)
            cookies = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
        self._headers = {"Authorization": f"Bearer {token}", "X-CSRF-Token": signed.json()["csrf"], "Cookie": cookies}
        self._known: dict[str, list[str | int]] = defaultdict(list, report=list(REPORTS))
        self.called: Counter[str] = Counter()
        self.done: Counter[str] = Counter()
        self.wrong: dict[str, str] = {}

    def step(self, data: st.DataObject, operation: Any) -> None:
        case = data.draw(operation.as_strategy())
        for given_ in (case.path_parameters, case.query, case.body):
            if isinstance(given_, dict):
                self._filled(data, given_, operation.path)
        operators = operation.path.startswith(("/tenants", "/metrics", "/v1/"))
        self.called[operation.label] += 1
        response = case.call(headers={"Authorization": f"Bearer {KEY}"} if operators else self._headers)
        self.done[operation.label] += response.status_code < 400
        try:
            case.validate_response(response, checks=CHECKS)
            assert response.status_code not in (500, 502, 504), response.text
        except (FailureGroup, AssertionError) as wrong:
            where = f"{operation.label} {response.status_code}"
            self.wrong.setdefault(where, f"{wrong}\n{case.as_curl_command()}")
        if (
            response.headers.get("content-type") == ["application/json"]
            and response.status_code < 400
            and response.content
        ):
            for name, value in _ids(json.loads(response.content), operation.path):
                self._known[name] = [*self._known[name], value][-20:]

    def _filled(self, data: st.DataObject, given_: dict[str, Any], path: str) -> None:
        for name in given_:
            known, drawn = self._known[_kind(name, path)], data.draw(st.integers(0, 200))
            if known and drawn % 10:
                given_[name] = known[drawn % len(known)]


def _kind(name: str, path: str) -> str:
    """What an id is one of: `conversation_id` of a conversation, `id` of what the path lists."""
    if name.strip("_") in ("id", "name"):
        listed = [part for part in path.split("/") if part and not part.startswith("{")]
        return listed[-1].rstrip("s").partition(".")[0] if listed else name
    return name.removesuffix("_id")


def _ids(value: Any, path: str, under: str = "") -> Iterator[tuple[str, str | int]]:
    if isinstance(value, list):
        for item in value:
            yield from _ids(item, path, under)
    if isinstance(value, dict):
        for name, item in value.items():
            if isinstance(item, str | int) and (name.endswith("id") or name in ("name", "visitor", "version")):
                yield _kind(name, f"/{under}" if under else path), item
            yield from _ids(item, path, name)


@pytest.mark.slow
def test_no_walk_through_the_api_meets_an_error_or_an_answer_that_is_not_described() -> None:
    folder = Path(FOLDER.name)
    unlimited = {"limits": {"enabled": False, "handoff_per_hour": 0}, "server": {"max_body_bytes": 10_000_000}}
    app = whole_app(folder, **unlimited)
    asyncio.run(add_people(Storage(data_dir=folder), "ada", role="admin"))
    schema = schemathesis.openapi.from_dict(described(app), config=SchemathesisConfig())
    schema.app = app
    operations = [found.ok() for found in schema.get_all_operations() if isinstance(found, Ok)]
    walker = Walker(app)

    @given(st.data())
    @settings(
        max_examples=WALKS or FEW,
        derandomize=not WALKS,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def walk(data: st.DataObject) -> None:
        for _ in range(STEPS):
            walker.step(data, data.draw(st.sampled_from(operations)))

    walk()

    assert walker.wrong == {}
    assert len(walker.called) > 40
    assert len(+walker.done) > 20
