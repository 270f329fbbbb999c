"""Follow-up questions, checked by the local path itself: no other model is asked, and nothing is traced."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from hashlib import blake2b
from uuid import uuid4

from handrail.answer.suggest.kept import Kept
from handrail.answer.suggest.quiet import Check, QuietSuggester
from handrail.assembly.fitted import kb_folder
from handrail.assembly.parts import Parts
from handrail.assembly.stages import build_stages
from handrail.errors import RetryableError
from handrail.observe.silent import SilentTracer
from handrail.settings import Settings, alone
from handrail.turn.engine import Engine
from handrail.turn.stages import Stages
from handrail.turn.wording import Wording
from handrail.types import Citation, Question, Routing

DECIDING = dict.fromkeys(("models", "retrieval", "gates", "generate", "classify"), True)
FORMAT = "2"
LONGEST_S = 300.0
"""Seconds of a check: while visitors keep the models busy it waits before each of its pieces, and would else seem to
fail."""


def build_suggester(
    settings: Settings, parts: Parts, wording: Wording, stages: Stages | None = None
) -> QuietSuggester | None:
    """None where the settings turn it off. `stages` are those of the turns themselves, where they were built."""
    if not settings.suggest.enabled:
        return None
    kept = Kept(kb_folder(settings, settings.knowledge.kb), _made_for(settings, parts))
    return QuietSuggester(
        parts.snapshot, kept, local_check(settings, parts, wording, stages), settings.suggest, time.monotonic
    )


def local_check(settings: Settings, parts: Parts, wording: Wording, stages: Stages | None = None) -> Check:
    """A whole local turn: only what is fully answered, past both gates and the critique, counts.

    Nobody waits for it, so that it may take longer than a visitor's turn.
    """
    local = alone(settings) if settings.llm.configured or settings.decisions.remote else settings
    silent = SilentTracer(lambda: "")
    if stages is None or local != settings:
        stages = build_stages(local, parts, wording, silent)
    server = local.server.model_copy(update={"turn_deadline_s": LONGEST_S})
    unhurried = local.model_copy(update={"server": server})
    engine = Engine(replace(stages, tracer=silent), unhurried, wording, time.perf_counter)

    async def check(text: str) -> Sequence[Citation] | None:
        turn = await engine.run(Question(text, "", str(uuid4()), lang=parts.snapshot.lang))
        if turn.outcome.routing is Routing.UNAVAILABLE:
            raise RetryableError("the question couldn't be tried right now")
        return turn.outcome.citations if turn.outcome.routing is Routing.ANSWERED else None

    return check


def _made_for(settings: Settings, parts: Parts) -> str:
    """Changes with the articles, the models, and the settings that decide what is answered."""
    decides = settings.model_dump_json(include=DECIDING)
    return f"{FORMAT}:{parts.store.generation}:{blake2b(decides.encode(), digest_size=8).hexdigest()}"
