"""Drafts of articles written by a language model out of what an agent said."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from pydantic import BaseModel, Field

from handrail.desk.learning.drafts import ArticleDraft, Drafter, DraftError, Spoken, checked, names_in
from handrail.desk.learning.personal import impersonal
from handrail.errors import HandrailError
from handrail.llm import LanguageModel
from handrail.llm.prompts import PromptLibrary
from handrail.settings import Brand

logger = logging.getLogger(__name__)

MOST_MESSAGES = 80
MOST_CHARS = 4000


class WrittenArticle(BaseModel):
    """A draft of one help article."""

    title: str = Field(description="The question the article answers.")
    body: str = Field(description="Markdown; empty where the agent gave no answer that helps others.")


class LlmDrafter:
    """A Drafter. Personal data is taken out before the model reads and after it wrote; when it fails, `otherwise`."""

    def __init__(self, model: LanguageModel, prompts: PromptLibrary, brand: Brand, otherwise: Drafter) -> None:
        self._model = model
        self._prompts = prompts
        self._brand = brand
        self._otherwise = otherwise

    async def draft(self, messages: Sequence[Spoken], lang: str) -> ArticleDraft:
        names = names_in(messages)
        read = [
            Spoken(message.author, impersonal(message.text[:MOST_CHARS], names))
            for message in messages[-MOST_MESSAGES:]
            if message.author in ("visitor", "agent")
        ]
        prompt = self._prompts.render("article_draft", brand=self._brand.name, messages=read, lang=lang)
        try:
            reply = await self._model.ask(prompt, WrittenArticle)
            title, body = checked(impersonal(reply.output.title, names), impersonal(reply.output.body, names))
        except DraftError as error:
            logger.info("the model didn't write a usable draft: %s", error)
            return await self._otherwise.draft(messages, lang)
        except HandrailError as error:
            logger.warning("the model couldn't write a draft, so the agent's own words are used: %s", error)
            return await self._otherwise.draft(messages, lang)
        return ArticleDraft(title, body, (reply.model or reply.provider)[:60])
