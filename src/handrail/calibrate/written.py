"""Questions a language model writes to fit gates on: some that an article answers, and some that only sound like it.

A question counts as a near-miss only when the model, shown what is found for it, says that it stays unanswered. Each
article is paid for once: what was written is kept on disk, so that an interrupted run goes on where it stopped.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, Field

from handrail.calibrate import Asked
from handrail.errors import BudgetExhausted, RetryableError
from handrail.llm import LanguageModel
from handrail.llm.prompts import PromptLibrary, RenderedPrompt
from handrail.settings import Brand
from handrail.stores.snapshot import Snapshot
from handrail.tune.questions import shuffled
from handrail.tune.written import bodies_of, key_of
from handrail.types import Passage

EACH = 4
"""Questions of either kind asked for per article."""
MAX_CHARS = 4000
MAX_QUESTION_CHARS = 300
PASSAGES = 5
"""Passages shown for a near-miss."""
GIVE_UP_AFTER = 3
"""Failures in a row after which no more is asked."""

Search = Callable[[str], Awaitable[Sequence[Passage]]]
"""A question to the passages found for it, best first."""
OutputT = TypeVar("OutputT", bound=BaseModel)


class WrittenQuestions(BaseModel):
    """Questions that customers might ask about an article."""

    answered: list[str] = Field(description="Four questions that the article answers, in customers' own words.")
    beside: list[str] = Field(description="Four questions on the same subject that the article does not answer.")


class Unanswered(BaseModel):
    """Which of the questions the passages leave open."""

    numbers: list[int] = Field(description="Numbers of the questions that no passage answers.")


class Stopped(Exception):
    """The provider fails, or what may be spent is spent."""


class Writer:
    """`file` holds one JSON line per article and text of it."""

    def __init__(self, model: LanguageModel, prompts: PromptLibrary, brand: Brand, file: Path, search: Search) -> None:
        self._model = model
        self._prompts = prompts
        self._brand = brand
        self._file = file
        self._search = search
        self._failures = 0

    async def write(self, snapshot: Snapshot, count: int, advance: Callable[[int, int], None]) -> list[Asked]:
        """About `count` questions, half of them near-misses; fewer when the provider fails or the money is spent.

        `advance` is told how many of how many articles are done.
        """
        kept, bodies = self._read(), bodies_of(snapshot)
        articles = sorted(bodies, key=shuffled)[: max(1, count // (2 * EACH))]
        found: list[Asked] = []
        for number, article in enumerate(articles, 1):
            key = key_of(article, bodies[article])
            if key not in kept:
                try:
                    kept[key] = await self._about(snapshot.titles[article], bodies[article])
                except Stopped:
                    break
                self._keep(key, kept[key])
            answered, beside = kept[key]
            found += [Asked(text, (article,), origin="llm") for text in answered]
            found += [Asked(text, answerable=False, origin="llm") for text in beside]
            advance(number, len(articles))
        return list({row.question: row for row in found}.values())

    async def _about(self, title: str, body: str) -> tuple[list[str], list[str]]:
        wanted = self._prompts.render("near_misses", brand=self._brand.name, title=title, message=body[:MAX_CHARS])
        written = await self._ask(wanted, WrittenQuestions)
        if written is None:
            return [], []
        answered, beside = _cleaned(written.answered), _cleaned(written.beside)
        beside = [text for text in beside if text not in answered]
        return answered, await self._open(beside)

    async def _open(self, beside: Sequence[str]) -> list[str]:
        """Those that what is found for them does not answer: another article may."""
        if not beside:
            return []
        found: dict[str, Passage] = {}
        for text in beside:
            found |= {passage.id: passage for passage in (await self._search(text))[:PASSAGES]}
        numbered = "\n".join(f"{number}. {text}" for number, text in enumerate(beside, 1))
        check = self._prompts.render(
            "near_miss_check", brand=self._brand.name, passages=list(found.values()), message=numbered
        )
        said = await self._ask(check, Unanswered)
        return [text for number, text in enumerate(beside, 1) if said is not None and number in said.numbers]

    async def _ask(self, prompt: RenderedPrompt, output: type[OutputT]) -> OutputT | None:
        """None when this call failed. Raises Stopped when no further one is worth trying."""
        try:
            reply = await self._model.ask(prompt, output)
        except BudgetExhausted:
            raise Stopped from None
        except RetryableError:
            self._failures += 1
            if self._failures >= GIVE_UP_AFTER:
                raise Stopped from None
            return None
        self._failures = 0
        return reply.output

    def _read(self) -> dict[str, tuple[list[str], list[str]]]:
        """Damaged lines, such as the last one of an interrupted run, are asked again."""
        found: dict[str, tuple[list[str], list[str]]] = {}
        if self._file.is_file():
            for line in self._file.read_text(encoding="utf-8", errors="replace").splitlines():
                try:
                    row = json.loads(line)
                    found[str(row["key"])] = (list(map(str, row["answered"])), list(map(str, row["beside"])))
                except (ValueError, KeyError, TypeError):
                    continue
        return found

    def _keep(self, key: str, written: tuple[list[str], list[str]]) -> None:
        """What came back empty is not kept, so that the next run asks again."""
        if any(written):
            self._file.parent.mkdir(parents=True, exist_ok=True)
            row = {"key": key, "answered": written[0], "beside": written[1]}
            with self._file.open("a", encoding="utf-8") as out:
                out.write("\n" + json.dumps(row, ensure_ascii=False))


def _cleaned(texts: Sequence[str]) -> list[str]:
    lines = (" ".join(text.split()) for text in texts)
    return list(dict.fromkeys(line for line in lines if 0 < len(line) <= MAX_QUESTION_CHARS))[: 2 * EACH]
