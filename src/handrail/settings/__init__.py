"""Every tunable, where it comes from, and what is allowed."""

from handrail.settings.answering import Generate, Guidance, Prompts, Suggest, Verify
from handrail.settings.base import Section
from handrail.settings.decisions import Decide
from handrail.settings.load import WELL_KNOWN, config_path, environment, explain, load_settings
from handrail.settings.overlay import ALONE, alone, assigned, overlaid
from handrail.settings.people import Alerts, Customer, Holiday, Hours, Oidc
from handrail.settings.providers import Drift, Judge, Llm, LlmProvider
from handrail.settings.serving import Limits, Observe, Server, Storage, Stream
from handrail.settings.tree import (
    Brand,
    Classify,
    Desk,
    Gates,
    HighStakes,
    Knowledge,
    Models,
    Retrieval,
    Rewrite,
    Settings,
)

__all__ = [
    "ALONE",
    "WELL_KNOWN",
    "Alerts",
    "Brand",
    "Classify",
    "Customer",
    "Decide",
    "Desk",
    "Drift",
    "Gates",
    "Generate",
    "Guidance",
    "HighStakes",
    "Holiday",
    "Hours",
    "Judge",
    "Knowledge",
    "Limits",
    "Llm",
    "LlmProvider",
    "Models",
    "Observe",
    "Oidc",
    "Prompts",
    "Retrieval",
    "Rewrite",
    "Section",
    "Server",
    "Settings",
    "Storage",
    "Stream",
    "Suggest",
    "Verify",
    "alone",
    "assigned",
    "config_path",
    "environment",
    "explain",
    "load_settings",
    "overlaid",
]
