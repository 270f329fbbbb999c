"""The parts of the benchmark do what they time; nothing here looks at how long it took."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from eval.benchmark import local, local_environment
from eval.benchmark.following import Streams
from eval.benchmark.index import ingest_apart
from eval.benchmark.server import serving
from eval.benchmark.turns import ANSWERS, STATIC, Turns, ask_until
from eval.benchmark.verifying import verified
from eval.benchmark.visitors import Load
from eval.datasets.claims import ClaimCase
from eval.evaluators.latency import Measured, metrics
from handrail.assembly import Assistant
from handrail.errors import HandrailError
from handrail.settings import Settings, load_settings

QUESTIONS = ["How do I reset my password?", "How do gift cards work?"]


def nothing() -> None: ...


@pytest.mark.models
def test_visitors_are_answered_by_a_server_of_its_own(configured: Settings) -> None:
    load, streams = Load(visitors=3, turns_each=2), Streams()

    async def visit() -> tuple[float, float]:
        async with serving(local(configured)) as server:
            await streams.run(server.url, ["hello", *QUESTIONS], 1, nothing, warm_up=1)
            await load.run(server.url, QUESTIONS, nothing)
            return server.start_s, server.rss_mb()

    start_s, rss_mb = asyncio.run(visit())

    assert streams.errors == [] and len(streams.followed) == 1
    followed = streams.followed[0]
    assert followed.first_text is not None and followed.first_claim is not None
    assert 0 < followed.first_event <= followed.first_text <= followed.first_claim <= followed.complete
    assert followed.provider == "extractive"

    assert load.errors == []
    assert load.metrics()["turns"] == 6
    assert start_s > 0 and rss_mb > 50
    assert not (configured.storage.data_dir / "handrail.db").exists()


def test_a_server_that_cannot_start_is_quoted(configured: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HANDRAIL__RETRIEVAL__TOP_K", "many")

    async def start() -> None:
        async with serving(configured):
            pass

    with pytest.raises(HandrailError, match=r"ended with 1: [\s\S]*retrieval\.top_k"):
        asyncio.run(start())


@pytest.mark.models
def test_only_turns_that_end_as_wanted_are_timed(configured: Settings) -> None:
    static, answered = Turns(), Turns()

    async def ask() -> None:
        assistant = Assistant(local(configured))
        await assistant.start()
        texts = ["asdkjh qwlekj zxmcn", *QUESTIONS]
        await ask_until(assistant, texts, STATIC, 2, static, nothing)
        await ask_until(assistant, texts, ANSWERS, 1, answered, nothing)
        await assistant.stop()

    asyncio.run(ask())

    assert [item.turn.question.text for item in static.timed] == ["asdkjh qwlekj zxmcn"]
    assert all(item.turn.outcome.routing in ANSWERS for item in answered.timed) and len(answered.timed) <= 1
    assert "understand" in static.timed[0].turn.latency_ms


@pytest.mark.models
def test_ingest_is_measured_in_a_place_of_its_own(configured: Settings, articles: Path) -> None:
    before = sorted(configured.storage.data_dir.rglob("*"))

    found = asyncio.run(ingest_apart(configured, articles))

    assert found["passages"] > 4 and found["passages_per_s"] > 0
    assert found["unchanged_s"] > 0
    assert sorted(configured.storage.data_dir.rglob("*")) == before


def test_an_ingest_that_fails_is_quoted(configured: Settings, tmp_path: Path) -> None:
    with pytest.raises(HandrailError, match="the ingest benchmark failed"):
        asyncio.run(ingest_apart(configured, tmp_path / "gone"))


def test_anything_but_success_is_an_error_of_the_load(refusing: str) -> None:
    load = Load(visitors=2, turns_each=2)

    asyncio.run(load.run(refusing, ["hello"], nothing))

    assert load.metrics() == {"p50_ms": None, "p95_ms": None, "errors": 4, "turns": 0, "turns_per_s": 0.0}
    assert load.errors[0] == "HTTP 429: slow down"


def test_a_stream_that_is_refused_is_an_error(refusing: str) -> None:
    streams = Streams()

    asyncio.run(streams.run(refusing, ["hello", "again"], 2, nothing))

    assert streams.errors == ["StreamFailed: HTTP 429"] * 2
    assert streams.metrics()["n"] == 0 and streams.metrics()["first_event"]["p50_ms"] is None


@pytest.mark.models
def test_claims_in_other_words_are_checked(configured: Settings) -> None:
    cases = [
        ClaimCase(
            id=f"{number}", line=number, claim=f"Shops close at {number}.", passage=f"A shop is shut at {number}."
        )
        for number in range(8)
    ]
    taken: list[float] = []

    asyncio.run(verified(configured, cases, 5, taken, nothing))

    assert len(taken) == 1 and taken[0] > 0  # three claims to an answer, and the first answer warms up


def test_no_provider_is_asked_whatever_the_settings_say(tmp_path: Path) -> None:
    keys = {"OPENAI_API_KEY": "sk", "LANGFUSE_PUBLIC_KEY": "pk", "LANGFUSE_SECRET_KEY": "sk"}
    settings = load_settings(environ={**keys, "HANDRAIL__GENERATE__ANSWERER": "llm"})

    quiet = local(settings)
    served = load_settings(environ={**keys, **local_environment(settings, tmp_path)})

    for chosen in (quiet, served):
        assert (chosen.generate.answerer, chosen.classify.mode, chosen.rewrite.llm) == ("extractive", "local", False)
        assert not chosen.observe.langfuse_configured
    assert not served.limits.enabled
    assert served.storage.database_url == f"sqlite:///{tmp_path / 'benchmark.db'}"


def test_what_was_not_measured_is_null_under_its_usual_name() -> None:
    found = metrics(Measured())

    assert found["static"] == {"p50_ms": None, "p95_ms": None, "n": 0}
    assert found["turn"] == {"p50_ms": None, "p95_ms": None, "n": 0, "cpu_s": None}
    assert found["verification"] == {"p50_ms": None, "p95_ms": None, "n": 0}
    assert found["stream"]["first_sentence"] == {"p50_ms": None, "p95_ms": None}
    assert found["concurrent20"]["p95_ms"] is None
    assert (found["rss_mb"], found["start_s"], found["stages"]) == (None, None, {})


class Refusing(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(429)
        self.send_header("Content-Length", "9")
        self.end_headers()
        self.wfile.write(b"slow down")

    def log_message(self, format: str, *args: object) -> None: ...


@pytest.fixture
def refusing() -> Iterator[str]:
    """A server that only ever says 429."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Refusing) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()
