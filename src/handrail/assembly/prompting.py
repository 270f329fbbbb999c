"""What the answering model would be sent for a question, without sending it."""

from __future__ import annotations

import asyncio
import uuid

from handrail.answer.llm import answer_prompt
from handrail.assembly.observing import build_prompts
from handrail.assembly.parts import Parts, build_parts
from handrail.assembly.stages import answer_blocks
from handrail.llm.prompts import RenderedPrompt
from handrail.settings import Settings
from handrail.text.guard import clean
from handrail.types import Evidence, Question


def rendered_answer(settings: Settings, text: str) -> tuple[RenderedPrompt, dict[str, int]]:
    """The prompt and its tokens by block, `system` and `user` included. Raises HandrailError without an index."""
    question = Question(clean(text, settings.server.max_question_chars), "", str(uuid.uuid4()))
    parts = build_parts(settings)
    try:
        evidence = asyncio.run(_evidence(parts, settings, question))
        given = answer_blocks(settings, parts)(question, evidence)
        rendered = answer_prompt(build_prompts(settings), settings.brand.name, question, given)
        whole = {"system": parts.count(rendered.system), "user": parts.count(rendered.user)}
        return rendered, {**given.tokens, **whole}
    finally:
        parts.close()


async def _evidence(parts: Parts, settings: Settings, question: Question) -> Evidence:
    return await parts.retriever(settings).retrieve(question.text, {})
