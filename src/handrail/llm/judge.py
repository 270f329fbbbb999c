"""The judge: an LLM pinned apart from the answering model, whose ratings are kept so that scoring is free."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, Field, ValidationError

from handrail.llm import LanguageModel, connect
from handrail.llm.prompts import LocalPrompts, PromptLibrary, RenderedPrompt
from handrail.settings import Llm, Settings
from handrail.settings.paths import site_dir

FOLDER = "judge"
"""In the folder of prompts, apart from those of a turn: no registry may change what ratings are compared by."""
AT_ONCE = 4

OutputT = TypeVar("OutputT", bound=BaseModel)


class AnswerRating(BaseModel):
    """What you found when you checked the answer."""

    unsupported: list[int] = Field(description="Numbers of the pairs whose passage does not state the claim.")
    faithfulness: int = Field(ge=1, le=5, description="How far the claims follow from the passages, 1 to 5.")
    relevancy: int = Field(ge=1, le=5, description="How far the claims answer the question, 1 to 5.")


class ReferenceRating(BaseModel):
    """How the answer and the passages compare with the reference."""

    given: list[int] = Field(description="Numbers of the statements the answer states.")
    contradicts: bool = Field(description="Whether the answer says something the reference rules out.")
    held: list[int] = Field(description="Numbers of the statements the passages state.")


class Judge:
    """Use it as a context: it holds a connection. Ratings are looked up in `cache` before anybody is asked."""

    def __init__(self, model: LanguageModel, cache: Path, close: Callable[[], Awaitable[None]]) -> None:
        self.name = model.name
        self._model = model
        self._cache = cache
        self._close = close
        prompts = site_dir("prompts")
        self._prompts = PromptLibrary(LocalPrompts(prompts and prompts / FOLDER))
        self._turn = asyncio.Semaphore(AT_ONCE)
        self.asked = 0
        """Ratings that were not in the cache."""

    async def rate(self, name: str, output: type[OutputT], **inputs: Any) -> OutputT:
        """Raises RetryableError or PermanentError when the judge fails."""
        prompt = self._prompts.render(name, **inputs)
        path = self._cache / f"{_key(self.name, prompt, output)}.json"
        kept = _kept(path, output)
        if kept is not None:
            return kept
        async with self._turn:
            self.asked += 1
            reply = (await self._model.ask(prompt, output)).output
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f".{self.asked}.part")
        part.write_text(reply.model_dump_json(), encoding="utf-8")
        part.replace(path)
        return reply

    async def aclose(self) -> None:
        await self._close()


def connected(settings: Settings, who: Literal["auto", "llm", "off"] = "auto") -> Judge | None:
    """None where the settings name no judge; with `llm`, the answering model then stands in for one."""
    judge, llm = settings.judge, settings.llm
    if who == "llm" and not judge.configured and llm.configured:
        shared = ("base_url", "api_key", "model", "usd_per_million_input", "usd_per_million_output")
        judge = judge.model_copy(update={name: getattr(llm, name) for name in shared})
    if who == "off" or not judge.configured:
        return None
    models = connect(
        Llm(
            base_url=judge.base_url,
            api_key=judge.api_key,
            model=judge.model,
            timeout_s=judge.timeout_s,
            max_output_tokens=judge.max_output_tokens,
            reasoning=judge.reasoning,
            usd_per_million_input=judge.usd_per_million_input,
            usd_per_million_output=judge.usd_per_million_output,
        )
    )
    return Judge(models.answering, judge.cache or settings.storage.data_dir / "eval" / "judge", models.aclose)


def same_as_answering(settings: Settings) -> bool:
    """Whether the judge would be judging its own words."""
    llm, judge = settings.llm, settings.judge
    return llm.configured and judge.configured and (llm.base_url, llm.model) == (judge.base_url, judge.model)


def _key(model: str, prompt: RenderedPrompt, output: type[BaseModel]) -> str:
    held = json.dumps([model, prompt.system, prompt.user, output.model_json_schema()], sort_keys=True)
    return hashlib.sha256(held.encode()).hexdigest()


def _kept(path: Path, output: type[OutputT]) -> OutputT | None:
    """A rating that cannot be read is asked for again."""
    try:
        return output.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, ValidationError):
        return None
