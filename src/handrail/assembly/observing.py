"""Traces and prompts: local, or with Langfuse where it is configured."""

from __future__ import annotations

import secrets
import weakref

from handrail.llm.prompts import LocalPrompts, PromptLibrary
from handrail.observe import Tracer
from handrail.observe.silent import SilentTracer
from handrail.settings import Settings

PROMPTS_WAIT_S = 1.5


def build_prompts(settings: Settings) -> PromptLibrary:
    """Local files, or Langfuse with the local files behind it.

    Waits up to 1.5 seconds for Langfuse's versions; they are no longer refreshed once the library is let go.
    """
    local = LocalPrompts()
    if not settings.observe.langfuse_configured:
        return PromptLibrary(local)
    from handrail.observe.prompts import LangfusePrompts
    from handrail.observe.registry import PromptRegistry

    registry = PromptRegistry(settings.observe)
    remote = LangfusePrompts(registry, local, ttl_s=settings.observe.prompt_ttl_s, label=settings.observe.prompt_label)
    remote.warm(PROMPTS_WAIT_S)
    library = PromptLibrary(remote, fallback=local)
    weakref.finalize(library, remote.close)
    return library


def build_tracer(settings: Settings) -> Tracer:
    if not settings.observe.langfuse_configured:
        return SilentTracer(new_trace_id)
    from handrail.observe.langfuse import LangfuseTracer

    return LangfuseTracer(settings.observe, new_trace_id)


def new_trace_id() -> str:
    return secrets.token_hex(16)
