from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.observe.langfuse_server import LangfuseServer, langfuse_server


@pytest.fixture
def time_to_send(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever closes a tracer waits until its traces are sent, however busy the machine is."""
    monkeypatch.setattr("handrail.observe.spans.CLOSE_TIMEOUT_S", 60.0)


@pytest.fixture
def langfuse(time_to_send: None) -> Iterator[LangfuseServer]:
    with langfuse_server() as server:
        yield server
