"""Decision models over the network: any that pydantic-ai has, by the names in the settings."""

from __future__ import annotations

import logging
from typing import Any

from pydantic_ai.exceptions import UserError
from pydantic_ai.models import infer_model
from pydantic_ai.models.decision import DecisionModel
from pydantic_ai.providers import Provider, infer_provider

from handrail.errors import SettingsError
from handrail.settings import Decide

logger = logging.getLogger(__name__)

MOVING = ("latest", "preview")
"""How aliases end that mean another model tomorrow, to which no map and no threshold was fitted."""


def connect(name: str, settings: Decide) -> DecisionModel[Any]:
    """Nothing is sent yet. Raises SettingsError saying what is missing or wrong."""
    key = settings.api_key.get_secret_value() if settings.api_key is not None else None

    def provider(kind: str) -> Provider[Any]:
        if kind == "system-one":
            from pydantic_ai.providers.system_one import SystemOneProvider

            return SystemOneProvider(base_url=settings.base_url, api_key=key)
        if kind == "openai-decisions":
            from pydantic_ai.providers.openai import OpenAIProvider

            return OpenAIProvider(base_url=_versioned(settings.base_url), api_key=key)
        return infer_provider(kind)

    try:
        model = infer_model(name, provider)
    except (UserError, ValueError) as error:
        raise SettingsError(
            f"decisions.model = {name!r}: {error}. Check decisions.base_url and decisions.api_key"
        ) from None
    except ImportError as error:
        raise SettingsError(f"decisions.model = {name!r}: {error}") from None
    if not isinstance(model, DecisionModel):
        raise SettingsError(
            f"decisions.model = {name!r} is a text model. Name a decision model, such as system-one:NAME"
        )
    if name.endswith(MOVING):
        logger.warning(
            "decisions.model = %r is an alias that can change: what was fitted to it may not apply later", name
        )
    return model


def _versioned(url: str | None) -> str | None:
    """With the /v1 that OpenAI's client does not add itself."""
    return url if url is None or url.rstrip("/").endswith("/v1") else f"{url.rstrip('/')}/v1"
