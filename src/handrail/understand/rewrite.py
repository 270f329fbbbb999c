"""Very short messages spelt out by a language model before they are searched for."""

from __future__ import annotations

import logging
import re
from collections.abc import Awaitable, Callable, Sequence

from pydantic import BaseModel

from handrail.llm import LanguageModel
from handrail.llm.prompts import PromptLibrary
from handrail.settings import Brand
from handrail.types import Question, Vectors

logger = logging.getLogger(__name__)

Embed = Callable[[Sequence[str]], Awaitable[Sequence[Vectors]]]
"""Texts as questions; each vector is L2-normalised."""

LONG = 8
"""Words from which a message says what is meant."""
LONGEST_WORDS = 40
SAME_QUESTION = 0.6
"""Cosine from which a rewrite is taken for the same question. With the default embedder, 23 short messages and
follow-ups of the sample help centre lie at 0.66 or more from a good rewrite, and 31 at 0.59 or less from another's."""
QUOTED = re.compile(r"""(?<!\w)["“”„«»'‘’`]([^"“”„«»`\n]{2,60}?)["“”»«'’`](?!\w)""")
TOKEN = re.compile(r"\w+(?:[-./:]\w+)*")


class SearchQuery(BaseModel):
    """The message as a search query."""

    query: str


class LlmRewriter:
    """A Rewriter for messages of fewer than eight words; longer ones already say what is meant.

    A rewrite that has lost what was asked is not used. Suspicious messages are searched for as written, so an
    injection cannot choose what is looked up.
    """

    def __init__(self, model: LanguageModel, prompts: PromptLibrary, brand: Brand, embed: Embed) -> None:
        self._embed = embed
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
        kept = acceptable(query, question.text) and await keeps(self._embed, query, question.text)
        return query if kept else question.text


async def keeps(embed: Embed, rewritten: str, *asked: str) -> bool:
    """Whether a rewrite still means what was asked, in one of its wordings."""
    after, *before = await embed([rewritten, *asked])
    if any(float(vector @ after) >= SAME_QUESTION for vector in before):
        return True
    logger.info("a rewrite that had lost what was asked was not used")
    return False


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
