"""The only place where things are built and wired together; nothing is built at import."""

from handrail.assembly.assistant import Assistant
from handrail.assembly.fitted import kb_folder
from handrail.assembly.index import current_index
from handrail.assembly.models import build_embedder, build_late, build_multilingual, build_reranker
from handrail.assembly.observing import build_prompts, build_tracer, new_trace_id
from handrail.assembly.parts import (
    Parts,
    build_parts,
    read_multilingual,
    read_snapshot,
    read_states,
)
from handrail.assembly.stages import build_stages

__all__ = [
    "Assistant",
    "Parts",
    "build_embedder",
    "build_late",
    "build_multilingual",
    "build_parts",
    "build_prompts",
    "build_reranker",
    "build_stages",
    "build_tracer",
    "current_index",
    "kb_folder",
    "new_trace_id",
    "read_multilingual",
    "read_snapshot",
    "read_states",
]
