"""What an endpoint takes, learnt from what it refuses and remembered for each base URL and model.

Nothing is asked at start. The first request asks for everything; a refusal that names a parameter is answered with the
same request without it, and what went through then is how the endpoint is asked from now on.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import Literal

from pydantic_ai.exceptions import ModelAuthenticationError, ModelContextWindowExceededError, ModelHTTPError
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.settings import ModelSettings

Output = Literal["schema", "described", "object", "prompted"]
"""A JSON schema; that, and the same in the instructions; JSON mode and instructions; instructions alone."""
Limit = Literal["max_tokens", "max_completion_tokens", "none"]

LESS: dict[Output, Output] = {"schema": "object", "described": "object", "object": "prompted"}
REFUSING = frozenset({400, 415, 422, 501})
NO_TAGS = ("\0think", "\0/think")
"""pydantic-ai only knows tags that come as one token of a stream, and one pair of them; `repair` knows the others."""
NAMES = {
    "output": ("response_format", "json_schema", "json_object", "json schema", "json mode", "structured output"),
    "temperature": ("temperature",),
    "reasoning": ("reasoning_effort", "thinking", "reasoning"),
    "stream": ("stream_options", "stream", "streaming"),
}
"""How endpoints call what they refuse. The parameter named first is taken for the culprit: some quote the request."""


@dataclass(frozen=True, slots=True)
class Abilities:
    """How to ask a model at an endpoint."""

    output: Output = "schema"
    limit: Limit = "max_tokens"
    temperature: bool = True
    reasoning: bool = True
    stream: bool = True

    def profile(self) -> OpenAIModelProfile:
        return OpenAIModelProfile(
            supports_json_schema_output=True,
            supports_json_object_output=self.output == "object",
            native_output_requires_schema_in_instructions=self.output == "described",
            openai_chat_supports_max_completion_tokens=self.limit == "max_completion_tokens",
            thinking_tags=NO_TAGS,
        )

    def settings(self, wanted: ModelSettings) -> ModelSettings:
        chosen = wanted.copy()
        if self.limit == "none":
            chosen.pop("max_tokens", None)
        if not self.temperature:
            chosen.pop("temperature", None)
        if not self.reasoning:
            chosen.pop("thinking", None)
        return chosen

    def without(
        self, refused: ModelHTTPError, sent: ModelSettings, *, streamed: bool, first: Limit
    ) -> Abilities | None:
        """With less than was refused; None where nothing can be left out. `first` is the limit it began with."""
        if refused.status_code not in REFUSING or refused.provider_error_code == "content_filter":
            return None
        if isinstance(refused, ModelAuthenticationError | ModelContextWindowExceededError):
            return None
        candidates: dict[str, Abilities] = {}
        if self.output in LESS:
            candidates["output"] = replace(self, output=LESS[self.output])
        if self.limit != "none":
            candidates["limit"] = replace(self, limit=_other(first) if self.limit == first else "none")
        if "temperature" in sent and self.temperature:
            candidates["temperature"] = replace(self, temperature=False)
        if "thinking" in sent and self.reasoning:
            candidates["reasoning"] = replace(self, reasoning=False)
        if streamed and self.stream:
            candidates["stream"] = replace(self, stream=False)
        names = {**NAMES, "limit": (self.limit,)}
        said = json.dumps(refused.body, default=str).casefold()
        places = {what: _first(said, names[what]) for what in candidates}
        named = [what for what, place in places.items() if place is not None]
        if named:
            return candidates[min(named, key=lambda what: places[what] or 0)]
        return candidates.get("output")

    def differences(self, other: Abilities) -> str:
        """What is asked for differently than by `other`, in words."""
        told = {
            "output": f"JSON by {HOW[self.output]}",
            "limit": f"length limit as {self.limit}" if self.limit != "none" else "no length limit",
            "temperature": "no temperature",
            "reasoning": "no reasoning effort",
            "stream": "whole replies instead of streams",
        }
        return ", ".join(words for name, words in told.items() if getattr(self, name) != getattr(other, name))


HOW: dict[Output, str] = {
    "schema": "schema",
    "described": "schema and instructions",
    "object": "JSON mode and instructions",
    "prompted": "instructions alone",
}


class Known:
    """What was learnt, by base URL and model."""

    def __init__(self) -> None:
        self._learnt: dict[tuple[str, str], Abilities] = {}

    def of(self, url: str, model: str, otherwise: Abilities) -> Abilities:
        return self._learnt.get((url, model), otherwise)

    def learn(self, url: str, model: str, abilities: Abilities) -> None:
        self._learnt[url, model] = abilities


SHARED = Known()
"""Of this process: providers are connected anew whenever articles are learnt."""


def _other(limit: Limit) -> Limit:
    return "max_tokens" if limit == "max_completion_tokens" else "max_completion_tokens"


def _first(said: str, names: tuple[str, ...]) -> int | None:
    places = [found.start() for name in names if (found := re.search(rf"\b{re.escape(name)}\b", said))]
    return min(places, default=None)
