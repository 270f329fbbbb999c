"""Decisions: typed questions, answered by the local model or by one that is asked over the network."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import SecretStr, StringConstraints

from handrail.settings.base import Probability, Section, advanced
from handrail.settings.fitted import fitted

LOCAL = "local"
ModelName = Annotated[str, StringConstraints(pattern=r"^(local|[a-z][a-z0-9-]*:\S+)$", max_length=200)]


class Decide(Section):
    model: ModelName = advanced(
        LOCAL,
        description="Who decides: `local`, or `system-one:NAME`, `openai-decisions:NAME` and other providers of "
        "pydantic-ai's decision models. Name a version, not an alias that moves.",
    )
    models: dict[str, ModelName] = advanced(
        {}, description='Other models for single decisions: { supported = "local" }.'
    )
    base_url: str | None = advanced(
        None, pattern=r"^https?://", description="Address of the model's server, with or without /v1."
    )
    api_key: SecretStr | None = advanced(None, description="Its key; HANDRAIL__DECISIONS__API_KEY sets it.")
    timeout_s: float = advanced(
        2.0, ge=0.05, le=60, description="Seconds one request may take; after that the local verdict stands."
    )
    ask: Literal["grey", "always"] = advanced(
        "grey", description="Ask it only where the local model is unsure (`grey`), or about everything (`always`)."
    )
    grey_from: Probability = fitted(
        "decisions.grey_from",
        description="Grey zone: the local verdict's probability from which the other model is asked.",
    )
    grey_to: Probability = fitted(
        "decisions.grey_to",
        description="Grey zone: the local verdict's probability up to which the other model is asked.",
    )
    serve_key: SecretStr | None = advanced(
        None,
        min_length=16,
        description="Key of `POST /v1/systemone`, which answers with the local model; without one it is off. "
        "HANDRAIL__DECISIONS__SERVE_KEY sets it.",
    )

    def model_of(self, decision: str) -> str:
        """Who is asked about `decision`."""
        return self.models.get(decision, self.model)

    @property
    def remote(self) -> bool:
        """Whether anybody but the local model is asked anything."""
        return any(name != LOCAL for name in (self.model, *self.models.values()))
