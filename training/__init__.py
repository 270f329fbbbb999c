"""Commands that fit what ships. Nothing here is part of the wheel; README.md says what each command writes."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[1]
PRODUCT = ROOT / "src" / "handrail"
FITTED = PRODUCT / "models" / "bundle"
DATASETS = ROOT / "eval" / "datasets"
ROWS = ROOT / "eval" / "training"
"""Rows that were written for training."""
CACHE = ROOT / "var"
