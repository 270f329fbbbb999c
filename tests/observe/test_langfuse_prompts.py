"""Prompts come from Langfuse when it has them, and never make a turn wait."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from handrail.llm.prompts import LocalPrompts, PromptError, PromptLibrary
from handrail.observe.prompts import RETRY_S, LangfusePrompts
from handrail.observe.registry import PromptRegistry
from tests.clock import Clock
from tests.observe.langfuse_server import LangfuseServer

TTL_S = 300.0


def template(says: str, version: str = "1") -> str:
    header = f"{{#\nversion: {version}\ninputs: message\noutput: Answer\n#}}\n"
    return header + f"{{% block system %}}{says}{{% endblock %}}{{% block user %}}{{{{ message }}}}{{% endblock %}}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("answer", "classify"):
        (tmp_path / f"{name}.j2").write_text(template(f"local {name}"))
    return tmp_path


@pytest.fixture
def clock() -> Clock:
    return Clock()


@contextmanager
def prompts_from(langfuse: LangfuseServer, folder: Path, clock: Callable[[], float]) -> Iterator[LangfusePrompts]:
    registry = PromptRegistry(langfuse.settings())
    prompts = LangfusePrompts(registry, LocalPrompts(folder), ttl_s=TTL_S, label="production", clock=clock)
    try:
        yield prompts
    finally:
        prompts.close()


def says(prompts: LangfusePrompts, name: str = "answer") -> str:
    return PromptLibrary(prompts).render(name, message="hi").system


def until(condition: Callable[[], bool], timeout_s: float = 30.0) -> None:
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, "timed out"
        time.sleep(0.01)


def warnings_of(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


def test_the_production_version_is_used_and_carries_its_number(
    langfuse: LangfuseServer, folder: Path, clock: Clock
) -> None:
    langfuse.register("answer", template("first"))
    langfuse.register("answer", template("second"), "production")
    langfuse.register("answer", template("third"))

    with prompts_from(langfuse, folder, clock) as prompts:
        prompts.warm(5)
        rendered = PromptLibrary(prompts).render("answer", message="hi")

    assert (rendered.system, rendered.version, rendered.origin) == ("second", "2", "langfuse")


def test_the_first_use_answers_from_the_local_file_at_once(
    langfuse: LangfuseServer, folder: Path, clock: Clock
) -> None:
    langfuse.register("answer", template("registered"), "production")
    langfuse.hang_s = 3

    with prompts_from(langfuse, folder, clock) as prompts:
        start = time.perf_counter()
        first = says(prompts)
        waited = time.perf_counter() - start
        until(lambda: says(prompts) == "registered")

    assert first == "local answer"
    assert waited < 2.5


def test_within_the_ttl_nothing_is_fetched_again(langfuse: LangfuseServer, folder: Path, clock: Clock) -> None:
    langfuse.register("answer", template("registered"), "production")

    with prompts_from(langfuse, folder, clock) as prompts:
        prompts.warm(5)
        langfuse.register("answer", template("newer"), "production")
        clock.now += TTL_S - 1
        texts = {says(prompts) for _ in range(50)}

    assert texts == {"registered"}
    assert langfuse.fetches.count("answer") == 1


def test_after_the_ttl_the_old_text_is_used_once_more_while_one_fetch_runs(
    langfuse: LangfuseServer, folder: Path, clock: Clock
) -> None:
    langfuse.register("answer", template("old"), "production")

    with prompts_from(langfuse, folder, clock) as prompts:
        prompts.warm(5)
        langfuse.register("answer", template("new"), "production")
        langfuse.hang_s = 0.2
        clock.now += TTL_S
        meanwhile = {says(prompts) for _ in range(50)}
        until(lambda: says(prompts) == "new")

    assert meanwhile == {"old"}
    assert langfuse.fetches.count("answer") == 2


@pytest.mark.parametrize("status", [500, 401, 302])
def test_a_failing_registry_leaves_the_last_known_text_and_warns_once(
    status: int, langfuse: LangfuseServer, folder: Path, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    langfuse.register("answer", template("registered"), "production")
    langfuse.register("classify", template("registered"), "production")

    with prompts_from(langfuse, folder, clock) as prompts:
        prompts.warm(5)
        langfuse.status = status
        for _ in range(3):
            clock.now += TTL_S
            prompts.warm(5)
        text = says(prompts)

    assert text == "registered"
    assert len(warnings_of(caplog)) == 1
    assert langfuse.url in warnings_of(caplog)[0]


def test_a_registry_away_from_the_start_leaves_the_local_files(
    langfuse: LangfuseServer, folder: Path, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    langfuse.hang_s = 30

    with prompts_from(langfuse, folder, clock) as prompts:
        start = time.perf_counter()
        prompts.warm(0.2)
        waited = time.perf_counter() - start
        text = says(prompts)

    assert text == "local answer"
    assert waited < 20


def test_it_is_asked_again_soon_after_a_failure_and_recovery_is_noticed(
    langfuse: LangfuseServer, folder: Path, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "handrail")
    langfuse.register("answer", template("registered"), "production")
    langfuse.register("classify", template("registered"), "production")
    langfuse.status = 503

    with prompts_from(langfuse, folder, clock) as prompts:
        prompts.warm(5)
        langfuse.status = 200
        clock.now += RETRY_S - 1
        too_soon = says(prompts)
        fetched = len(langfuse.fetches)
        clock.now += 1
        prompts.warm(5)
        text = says(prompts)

    assert (too_soon, fetched) == ("local answer", 2)
    assert text == "registered"
    assert [record.levelname for record in caplog.records if record.name.startswith("handrail")] == ["WARNING", "INFO"]


def test_prompts_that_langfuse_does_not_have_come_from_the_files_with_one_warning(
    langfuse: LangfuseServer, folder: Path, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    with prompts_from(langfuse, folder, clock) as prompts:
        for _ in range(3):
            prompts.warm(5)
            clock.now += TTL_S
        texts = [says(prompts, name) for name in prompts.names()]

    assert texts == ["local answer", "local classify"]
    (warning,) = warnings_of(caplog)
    assert "handrail prompts push" in warning


@pytest.mark.parametrize(("text", "type"), [("no header at all", "text"), (template("x"), "chat")])
def test_a_registered_text_that_is_no_handrail_prompt_is_not_used(
    text: str, type: str, langfuse: LangfuseServer, folder: Path, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    langfuse.register("answer", text, "production", type=type)
    langfuse.register("classify", template("registered"), "production")

    with prompts_from(langfuse, folder, clock) as prompts:
        for _ in range(3):
            prompts.warm(5)
            clock.now += TTL_S
        used = [says(prompts, name) for name in prompts.names()]

    assert used == ["local answer", "registered"]
    (warning,) = warnings_of(caplog)
    assert "'answer'" in warning


def test_a_prompt_that_is_nowhere_is_an_error(langfuse: LangfuseServer, folder: Path, clock: Clock) -> None:
    with prompts_from(langfuse, folder, clock) as prompts, pytest.raises(PromptError, match="no prompt 'summary'"):
        prompts.text("summary")
