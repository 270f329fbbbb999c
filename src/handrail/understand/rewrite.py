"""Very short messages spelt out by a language model before they are searched for."""

from __future__ import annotations

import re

from pydantic import BaseModel

from handrail.llm import LanguageModel
from handrail.llm.prompts import PromptLibrary
from handrail.settings import Brand
from handrail.types import Question

LONG = 8
"""Words from which a message says what is meant."""
LONGEST_WORDS = 40
QUOTED = re.compile(r"""(?<!\w)["“”„«»'‘’`]([^"“”„«»`\n]{2,60}?)["“”»«'’`](?!\w)""")
TOKEN = re.compile(r"\w+(?:[-./:]\w+)*")


class SearchQuery(BaseModel):
    """The message as a search query."""

    query: str


class LlmRewriter:
    """A Rewriter for messages of fewer than eight words; longer ones already say what is meant.

    Suspicious messages are searched for as written, so an injection cannot choose what is looked up.
    """

    def __init__(self, model: LanguageModel, prompts: PromptLibrary, brand: Brand) -> None:
        self._model = model
        self._prompts = prompts
        self._brand = brand

    async def rewrite(self, question: Question) -> str:
        if question.suspicious or len(question.text.split()) >= LONG:
            return question.text
        prompt = self._prompts.render(
            "rewrite", brand=self._brand.name, covers=self._brand.covers, message=question.text
        )
        reply = await self._model.ask(prompt, SearchQuery)
        query = " ".join(reply.output.query.split())
        return query if acceptable(query, question.text) else question.text


def acceptable(query: str, original: str) -> bool:
    """Not empty, not longer than 40 words, and still holding every number, error code and quoted term."""
    if not query or len(query.split()) > LONGEST_WORDS:
        return False
    folded = query.casefold()
    return all(_holds(folded, literal) for literal in literals(original))


def literals(text: str) -> set[str]:
    """What a rewrite of `text` must keep, case-folded: quoted terms, and amounts, versions and codes like TW-1204."""
    found = {match.strip() for match in QUOTED.findall(text)}
    found.update(token for token in TOKEN.findall(text) if _is_code(token))
    return {literal.casefold() for literal in found if literal}


def _is_code(token: str) -> bool:
    return any(char.isdigit() for char in token) or ("_" in token and token.isupper())


def _holds(text: str, literal: str) -> bool:
    """Whole words only: 12 is not kept by 120."""
    return re.search(rf"(?<!\w){re.escape(literal)}(?!\w)", text) is not None
