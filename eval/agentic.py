"""What an agent's ways of searching find beyond one search.

    python -m eval.agentic --dataset tau-knowledge --data tau-knowledge --limit 40

Each message is searched in several ways, most of which ask the language model of the settings first:

- `one`: the message as it is, once.
- `requests`: each request that the local models see in it (no call).
- `decompose`: the message, and each of up to five questions that the model reads in it (`rewrite.decompose`).
- `hyde`: the message together with a passage that the model imagines (Gao et al., 2023).
- `second`: `one`, then what the model says is still missing after it has seen the titles.
- `graded`: `one`, with the articles that the model finds relevant moved to the front.

Lists of several searches are taken in turn, an article each. Printed are the share of the required articles among the
first ten and twenty, its paired difference to `one` with a 95 % interval over messages, calls and seconds a message.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from pydantic import BaseModel, Field
from rich.console import Console

from eval.command import DATASETS
from eval.evaluators import question
from eval.evaluators.bench import known_articles
from eval.evaluators.retrieval import deep, ranking
from eval.metrics.bootstrap import mean_interval
from eval.selection import Source, select
from handrail.assembly import Parts, build_parts
from handrail.assembly.observing import build_prompts
from handrail.assembly.parts import described
from handrail.errors import HandrailError
from handrail.llm import LanguageModel, Reply, TextListener, connect
from handrail.llm.prompts import LocalPrompts, PromptLibrary, RenderedPrompt
from handrail.settings import Settings, load_settings
from handrail.types import Wordings
from handrail.understand.classify.encoder import EncoderClassifier
from handrail.understand.decomposed import DecomposedUnderstanding
from handrail.understand.local import LocalUnderstanding

PROMPTS = Path(__file__).parent / "prompts"
OutputT = TypeVar("OutputT", bound=BaseModel)
DEPTHS = (10, 20)
MOST = 5
"""Searches beside the first."""


class Searches(BaseModel):
    """Short questions to search the articles with."""

    queries: list[str] = Field(max_length=12)


class Imagined(BaseModel):
    """A passage of a help article that would answer."""

    passage: str


class Relevant(BaseModel):
    """Numbers of the articles that help."""

    numbers: list[int]


@dataclass(slots=True)
class Seen:
    """What one way came to over all messages."""

    recalls: list[tuple[float, ...]] = field(default_factory=list)
    calls: int = 0
    failed: int = 0
    seconds: float = 0.0


class Ways:
    """Those that ask nobody. `ways` are all of them, by name."""

    def __init__(self, parts: Parts, settings: Settings) -> None:
        self._retriever = parts.retriever(settings)
        self._understand = LocalUnderstanding(
            self._retriever, EncoderClassifier(settings.classify.static_above), settings.classify
        )
        self._settings = settings
        self.ways: dict[str, Callable[[str], Awaitable[list[str]]]] = {"one": self.one, "requests": self.requests}

    async def one(self, text: str) -> list[str]:
        return ranking(await self._retriever.retrieve(text, {}))

    async def requests(self, text: str) -> list[str]:
        understood = await self._understand.read(question(text, self._settings))
        return await self._in_turn(request.senses[0].text for request in understood.requests)

    async def _in_turn(self, queries: Iterable[str]) -> list[str]:
        return interleaved([await self.one(query) for query in dict.fromkeys(queries) if query.strip()])


class Counting:
    """A LanguageModel that counts how often it is asked."""

    def __init__(self, model: LanguageModel) -> None:
        self._model, self.name, self.calls = model, model.name, 0

    async def ask(
        self, prompt: RenderedPrompt, output: type[OutputT], on_text: TextListener | None = None
    ) -> Reply[OutputT]:
        self.calls += 1
        return await self._model.ask(prompt, output, on_text)


class AskingWays(Ways):
    """With those that ask a model first."""

    def __init__(self, parts: Parts, settings: Settings, model: Counting) -> None:
        super().__init__(parts, settings)
        self._titles = parts.snapshot.titles
        self._model = model
        self._prompts = PromptLibrary(LocalPrompts(PROMPTS))
        prompts, brand = build_prompts(settings), described(settings.brand, parts.snapshot)
        self._apart = DecomposedUnderstanding(self._understand, model, prompts, brand, parts.embed.submit)
        self.ways |= {"decompose": self.decompose, "hyde": self.hyde, "second": self.second, "graded": self.graded}

    async def decompose(self, text: str) -> list[str]:
        understood = await self._apart.read(question(text, self._settings))
        return await self._in_turn([text, *(request.text for request in understood.requests)])

    async def hyde(self, text: str) -> list[str]:
        imagined = await self._ask("agentic_hyde", Imagined, message=text)
        return ranking(await self._retriever.retrieve(text, {}, None, Wordings({imagined.passage: 1.0})))

    async def second(self, text: str) -> list[str]:
        first = await self.one(text)
        missing = await self._ask("agentic_gap", Searches, message=text, titles=self._named(first))
        return interleaved([first, *[await self.one(query) for query in missing.queries[:MOST]]])

    async def graded(self, text: str) -> list[str]:
        first = await self.one(text)
        said = await self._ask("agentic_grade", Relevant, message=text, titles=self._named(first))
        good = [first[number - 1] for number in said.numbers if 1 <= number <= len(first)]
        return list(dict.fromkeys([*good, *first]))

    def _named(self, articles: Sequence[str]) -> list[str]:
        return [self._titles[article] for article in articles[:20]]

    async def _ask(self, name: str, output: type[OutputT], **inputs: Any) -> OutputT:
        return (await self._model.ask(self._prompts.render(name, **inputs), output)).output


def interleaved(lists: Sequence[Sequence[str]]) -> list[str]:
    """The first of each list, then the second of each, every article once."""
    return list(dict.fromkeys(one for row in zip_longest(*lists) for one in row if one is not None))


def recalled(found: Sequence[str], wanted: frozenset[str]) -> tuple[float, ...]:
    return tuple(len(wanted.intersection(found[:depth])) / len(wanted) for depth in DEPTHS)


async def measured(source: Source, limit: int | None, notes: Console) -> dict[str, Seen]:
    """By way, of the messages that need an article. One that a model fails at is searched once, and counted."""
    chosen = select("retrieval", DATASETS["retrieval"], load_settings(), source, limit, notes)
    settings = deep(chosen.settings)
    models = connect(settings.llm) if settings.llm.configured else None
    model = Counting(models.small) if models is not None else None
    parts = await asyncio.to_thread(build_parts, settings)
    try:
        ways = AskingWays(parts, settings, model) if model is not None else Ways(parts, settings)
        known, seen = known_articles(parts), {name: Seen() for name in ways.ways}
        cases = [case for case in chosen.loaded.cases if case.article_ids]
        for number, case in enumerate(cases, 1):
            wanted = frozenset(known.resolve(name) or name for name in case.article_ids)
            for name, way in ways.ways.items():
                start, before = time.perf_counter(), model.calls if model else 0
                try:
                    found = await way(case.question)
                except HandrailError:
                    seen[name].failed += 1
                    found = await ways.one(case.question)
                seen[name].seconds += time.perf_counter() - start
                seen[name].calls += (model.calls if model else 0) - before
                seen[name].recalls.append(recalled(found, wanted))
            notes.print(f"{number} of {len(cases)}", end="\r")
        return seen
    finally:
        parts.close()
        if models is not None:
            await models.aclose()


def table(seen: dict[str, Seen]) -> str:
    base = np.asarray(seen["one"].recalls)
    lines = [
        f"| n = {len(base)} | recall@{DEPTHS[0]} | less `one` | recall@{DEPTHS[1]} | less `one` "
        "| calls | seconds | failed |",
        "|---|---:|---|---:|---|---:|---:|---:|",
    ]
    for name, way in seen.items():
        values, cells = np.asarray(way.recalls), []
        for depth in range(len(DEPTHS)):
            change = values[:, depth] - base[:, depth]
            low, high = mean_interval(change) or (float("nan"), float("nan"))
            cells += [f"{values[:, depth].mean():.3f}", f"{change.mean():+.3f} ({low:+.3f} to {high:+.3f})"]
        n = len(values)
        lines.append(f"| {name} | {' | '.join(cells)} | {way.calls / n:.1f} | {way.seconds / n:.1f} | {way.failed} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dataset", required=True, help="one with rows for retrieval")
    parser.add_argument("--data", type=Path, help="a local copy of it")
    parser.add_argument("--limit", type=int, help="use only the first N messages")
    given = parser.parse_args()
    source = Source(dataset=given.dataset, data=given.data)
    print(table(asyncio.run(measured(source, given.limit, Console(stderr=True)))))  # noqa: T201


if __name__ == "__main__":
    main()
