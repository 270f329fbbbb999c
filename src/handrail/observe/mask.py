"""What the SDK is about to send, with every text scrubbed."""

from __future__ import annotations

import json
from typing import Any

from langfuse import LangfuseOtelSpanAttributes as Attribute
from langfuse import MaskOtelSpansParams, MaskOtelSpansResult, OtelSpanPatch

from handrail.observe.scrub import scrub

KEPT = {
    Attribute.TRACE_NAME,
    Attribute.TRACE_SESSION_ID,
    Attribute.OBSERVATION_TYPE,
    Attribute.OBSERVATION_LEVEL,
    Attribute.OBSERVATION_MODEL,
    Attribute.OBSERVATION_PROMPT_NAME,
    Attribute.OBSERVATION_USAGE_DETAILS,
    Attribute.OBSERVATION_COST_DETAILS,
}
"""Names, ids and numbers; any other attribute that is a text was packed as JSON, and is scrubbed."""


def mask(params: MaskOtelSpansParams) -> MaskOtelSpansResult:
    """Raises ValueError for a text that is not packed; the SDK then sends nothing of the batch."""
    return MaskOtelSpansResult(
        {
            identifier: OtelSpanPatch(
                {
                    key: _masked(key, value)
                    for key, value in span.attributes.items()
                    if isinstance(value, str) and key not in KEPT
                }
            )
            for identifier, span in params.spans.items()
        }
    )


def _masked(key: str, packed: str) -> str:
    """Langfuse expects metadata as JSON in any case, and other values as JSON unless they are texts."""
    value: Any = scrub(json.loads(packed))
    if isinstance(value, str) and not key.startswith(f"{Attribute.OBSERVATION_METADATA}."):
        return value
    return json.dumps(value, ensure_ascii=False)
