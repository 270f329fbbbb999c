"""The prompt library as the assistant gets it."""

from __future__ import annotations

import gc
import time

from handrail.assembly import build_prompts
from handrail.llm.prompts import LocalPrompts
from handrail.settings import Observe, Settings
from tests.observe.langfuse_server import LangfuseServer

NAME = LocalPrompts().names()[0]


def settings(langfuse: LangfuseServer) -> Settings:
    return Settings(observe=Observe.model_validate({**langfuse.settings().model_dump(), "prompt_ttl_s": 0}))


def test_the_first_turn_already_has_the_registered_prompts(langfuse: LangfuseServer) -> None:
    local = LocalPrompts()
    for name in local.names():
        langfuse.register(name, local.text(name).text, "production")

    library = build_prompts(settings(langfuse))

    assert library._source.text(NAME).origin == "langfuse"


def test_a_langfuse_that_hangs_does_not_hold_the_start_up(langfuse: LangfuseServer) -> None:
    langfuse.hang_s = 30
    start = time.perf_counter()

    library = build_prompts(settings(langfuse))

    assert time.perf_counter() - start < 20
    assert library._source.text(NAME).origin == "local"


def test_a_library_nobody_uses_any_more_asks_langfuse_no_more(langfuse: LangfuseServer) -> None:
    library = build_prompts(settings(langfuse))
    source = library._source
    fetched = len(langfuse.fetches)

    del library
    gc.collect()
    source.text(NAME)
    time.sleep(0.1)

    assert len(langfuse.fetches) == fetched == len(LocalPrompts().names())
