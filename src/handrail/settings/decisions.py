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
        description="Which model decides: `local`, `system-one:NAME`, `openai-decisions:NAME` or another pydantic-ai"
        " decision provider. Name a fixed version, not an alias.",
    )
    models: dict[str, ModelName] = advanced(
        {}, description='Other models for single decisions: { supported = "local" }.'
    )
    base_url: str | None = advanced(
        None, pattern=r"^https?://", description="Address of the model's server, with or without /v1."
    )
    api_key: SecretStr | None = advanced(
        None, description="API key for this server. Environment variable: HANDRAIL__DECISIONS__API_KEY."
    )
    timeout_s: float = advanced(
        2.0, ge=0.05, le=60, description="Timeout for one request in seconds. After it, the local verdict stands."
    )
    ask: Literal["grey", "always"] = advanced(
        "grey", description="Ask this model only when the local one is unsure (`grey`), or always (`always`)."
    )
    grey_from: Probability = fitted(
        "decisions.grey_from",
        description="Grey zone: lowest local probability at which the other model is asked.",
    )
    grey_to: Probability = fitted(
        "decisions.grey_to",
        description="Grey zone: highest local probability at which the other model is asked.",
    )
    serve_key: SecretStr | None = advanced(
        None,
        min_length=16,
        description="Key for `POST /v1/systemone`, which answers with the local model. Without a key it is off. "
        "Environment variable: HANDRAIL__DECISIONS__SERVE_KEY.",
    )

    def model_of(self, decision: str) -> str:
        """Who is asked about `decision`."""
        return self.models.get(decision, self.model)

    @property
    def remote(self) -> bool:
        """Whether anybody but the local model is asked anything."""
        return any(name != LOCAL for name in (self.model, *self.models.values()))
