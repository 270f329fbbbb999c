"""Questions a language model writes about articles, kept on disk: each article is paid for once."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pydantic import BaseModel, Field

from handrail.errors import RetryableError
from handrail.llm import LanguageModel
from handrail.llm.prompts import PromptLibrary
from handrail.settings import Brand
from handrail.stores.snapshot import Snapshot
from handrail.tune.questions import Asked

MAX_CHARS = 4000
MAX_QUESTION_CHARS = 300
AT_ONCE = 4
GIVE_UP_AFTER = 3
"""Failures in a row after which the rest of the questions are made from templates."""


class MadeQuestions(BaseModel):
    """Questions that customers might ask and the article answers."""

    questions: list[str] = Field(description="Four different questions, in customers' own words.")


Say = Callable[[str, int, int], None]


class Writer:
    """`file` holds one JSON line per article and text of it."""

    def __init__(self, model: LanguageModel, prompts: PromptLibrary, brand: Brand, file: Path) -> None:
        self._model = model
        self._prompts = prompts
        self._brand = brand
        self._file = file
        self._failures = 0
        self._done = 0

    async def instead(
        self, made: Sequence[Asked], snapshot: Snapshot, go_on: Callable[[], bool], say: Say
    ) -> list[Asked]:
        """`made` with the questions of each article replaced by written ones, as far as the provider and time allow."""
        kept, bodies = self._read(), bodies_of(snapshot)
        articles = list(dict.fromkeys(row.articles[0] for row in made))
        gate = asyncio.Semaphore(AT_ONCE)

        async def written(article: str) -> None:
            key = key_of(article, bodies[article])
            async with gate:
                if key not in kept and go_on() and self._failures < GIVE_UP_AFTER:
                    kept[key] = await self._ask(snapshot.titles[article], bodies[article])
                    if kept[key]:
                        self._keep(key, kept[key])
            self._done += 1
            say("writing questions", self._done, len(articles))

        await asyncio.gather(*(written(article) for article in articles))
        found: list[Asked] = []
        for article in articles:
            own = [row for row in made if row.articles[0] == article]
            texts = kept.get(key_of(article, bodies[article])) or []
            found += [replace(own[0], text=text, passage=None) for text in texts] or own
        return found

    async def _ask(self, title: str, body: str) -> list[str]:
        prompt = self._prompts.render("questions", brand=self._brand.name, title=title, message=body[:MAX_CHARS])
        try:
            reply = await self._model.ask(prompt, MadeQuestions)
        except RetryableError:
            self._failures += 1
            return []
        self._failures = 0
        lines = (" ".join(text.split()) for text in reply.output.questions)
        return list(dict.fromkeys(line for line in lines if 0 < len(line) <= MAX_QUESTION_CHARS))[:6]

    def _read(self) -> dict[str, list[str]]:
        """Damaged lines, such as the last one of an interrupted run, are asked again."""
        found: dict[str, list[str]] = {}
        if self._file.is_file():
            for line in self._file.read_text(encoding="utf-8", errors="replace").splitlines():
                try:
                    row = json.loads(line)
                    found[str(row["key"])] = [str(text) for text in row["questions"]]
                except (ValueError, KeyError, TypeError):
                    continue
        return found

    def _keep(self, key: str, questions: list[str]) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with self._file.open("a", encoding="utf-8") as out:
            out.write("\n" + json.dumps({"key": key, "questions": questions}, ensure_ascii=False))


def bodies_of(snapshot: Snapshot) -> Mapping[str, str]:
    """The text of each article."""
    texts: dict[str, list[str]] = {}
    for passage in snapshot.passages:
        texts.setdefault(passage.article_id, []).append(passage.text)
    return {article: "\n\n".join(parts) for article, parts in texts.items()}


def key_of(article: str, body: str) -> str:
    """Changes with the article's text."""
    return hashlib.sha256(f"{article}\n{body}".encode()).hexdigest()[:24]
