"""The parts of the latency benchmark: turns in this process, a server of its own, visitors, ingest."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from handrail.settings import ALONE, Settings, overlaid
from handrail.settings.overlay import Values
from handrail.settings.paths import SAMPLE_KB
from handrail.settings.serving import ON_DISK

LOCAL: Values = {
    **ALONE,
    "models": {"remember": 0},
    "observe": {"langfuse_public_key": None},
}
"""Nothing is asked of a provider, and nothing remembered: a question asked twice takes as long as another one."""


def local(settings: Settings) -> Settings:
    """`settings` without an LLM and without traces that leave the machine."""
    return overlaid(settings, LOCAL)


def apart(settings: Settings, data: Path) -> Settings:
    """The same on the sample in a data folder of its own, without the operator's index or fitted gates."""
    own: Values = {"storage": {"data_dir": data, **ON_DISK}, "knowledge": {"kb": SAMPLE_KB}}
    return overlaid(local(settings), own)


def environment() -> dict[str, str]:
    """This process's own, for one that finds the same packages wherever it is started."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def local_environment(settings: Settings, scratch: Path) -> dict[str, str]:
    """For a server of its own: local parts, no limits, and records in `scratch` rather than the operator's database."""
    values = {
        **environment(),
        "LANGFUSE_PUBLIC_KEY": "",
        "REDIS_URL": "",
        "DATABASE_URL": "",
        "HANDRAIL__LIMITS__ENABLED": "false",
        "HANDRAIL__STORAGE__DATABASE_URL": f"sqlite:///{scratch / 'benchmark.db'}",
        "HANDRAIL__STORAGE__DATA_DIR": str(settings.storage.data_dir.resolve()),
        "HANDRAIL__OBSERVE__LOG_LEVEL": "warning",
    }
    for section in ("generate", "classify", "rewrite", "memory", "verify", "models"):
        for key, value in LOCAL[section].items():
            text = str(value).lower() if isinstance(value, bool) else str(value)
            values[f"HANDRAIL__{section}__{key}".upper()] = text
    return values
