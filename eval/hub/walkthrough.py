"""One real question, asked of the sample help centre while the pages are built, and its trace."""

from __future__ import annotations

import asyncio
from typing import Any

from eval.evaluators import question
from handrail.assembly import Assistant
from handrail.observe.trace import Trace, document
from handrail.settings import Settings


def walked(settings: Settings, text: str) -> Trace:
    """Its trace, kept nowhere. Raises HandrailError where models or articles are not there."""
    return asyncio.run(_walked(settings, text))


async def _walked(settings: Settings, text: str) -> Trace:
    assistant = Assistant(settings)
    await assistant.start()
    try:
        return document(await assistant.replay(question(text, settings)))
    finally:
        await assistant.stop()


def stage(trace: Trace, name: str) -> dict[str, Any] | None:
    """None where the turn did without it."""
    return next((one for one in trace["stages"] if one["name"] == name), None)
