"""Every tunable, where it comes from, and what is allowed."""

from handrail.settings.load import WELL_KNOWN, environment, explain, load_settings
from handrail.settings.tree import (
    Brand,
    Classify,
    Gates,
    Generate,
    HighStakes,
    Knowledge,
    Limits,
    Llm,
    Models,
    Observe,
    Retrieval,
    Rewrite,
    Section,
    Server,
    Settings,
    Storage,
)

__all__ = [
    "WELL_KNOWN",
    "Brand",
    "Classify",
    "Gates",
    "Generate",
    "HighStakes",
    "Knowledge",
    "Limits",
    "Llm",
    "Models",
    "Observe",
    "Retrieval",
    "Rewrite",
    "Section",
    "Server",
    "Settings",
    "Storage",
    "environment",
    "explain",
    "load_settings",
]
