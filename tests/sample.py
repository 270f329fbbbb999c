"""Settings as they ship, over an index of the sample help centre."""

from __future__ import annotations

from pathlib import Path

from handrail.settings import Settings, load_settings

CONFIG = Path(__file__).parents[1] / "config.toml"


def sample_settings(data_dir: Path, **overrides: str) -> Settings:
    """`overrides` are named as in the environment, without the prefix: `LIMITS__ENABLED="false"`."""
    laid_over = {f"HANDRAIL__{name}": value for name, value in overrides.items()}
    return load_settings(CONFIG, {**laid_over, "HANDRAIL__STORAGE__DATA_DIR": str(data_dir)})
