"""Traces and prompts: local, or with Langfuse where it is configured."""

from __future__ import annotations

import secrets
import weakref
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256

from handrail.llm.prompts import LocalPrompts, PromptLibrary
from handrail.observe import Tracer
from handrail.observe.recorder import Recorder, Sink
from handrail.observe.silent import SilentTracer
from handrail.settings import Settings

PROMPTS_WAIT_S = 1.5
ANSWERING = (
    "brand", "knowledge", "models", "retrieval", "classify", "memory", "rewrite", "gates", "generate",
    "guidance", "prompts", "verify", "decisions", "llm", "high_stakes", "customer",
)  # fmt: skip
"""The sections that decide what is answered."""


def build_prompts(settings: Settings) -> PromptLibrary:
    """Local files, or Langfuse with the local files behind it.

    Waits up to 1.5 seconds for Langfuse's versions; they are no longer refreshed once the library is let go.
    """
    local = LocalPrompts(own=settings.prompts.folder)
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


def build_tracer(
    settings: Settings, sinks: Sequence[Sink] = (), told: Callable[[], Mapping[str, str]] = dict
) -> Tracer:
    """To `sinks`, and to Langfuse and OpenTelemetry where configured; `told` says what answers at the moment."""
    observe = settings.observe
    if observe.langfuse_configured:
        from handrail.observe.langfuse import LangfuseSink

        sinks = (*sinks, LangfuseSink(observe))
    if observe.otlp_endpoint:
        from handrail.observe.otlp import OtlpSink

        sinks = (*sinks, OtlpSink(observe.otlp_endpoint, observe.environment))
    return Recorder(new_trace_id, sinks, told) if sinks else SilentTracer(new_trace_id)


def about(settings: Settings, generation: str) -> dict[str, str]:
    """What answers, for traces: the knowledge base, its version, and the digest of the settings."""
    return {"kb": settings.knowledge.kb, "kb_version": generation, "settings": settings_digest(settings)}


def settings_digest(settings: Settings) -> str:
    """Of all settings that an answer can depend on; secrets count only as given or not."""
    told = settings.model_dump_json(include=set(ANSWERING))
    return sha256(told.encode()).hexdigest()[:12]


def new_trace_id() -> str:
    return secrets.token_hex(16)
