"""The guard: attacks in many kinds and languages, and questions that look like some."""

from pathlib import Path

from eval.datasets import Dataset
from eval.datasets.injection import InjectionCase

FOLDER = Path(__file__).parent / "guard"
GUARD = Dataset("guard", InjectionCase, FOLDER / "attacks.jsonl", "attack")
"""`attacks_unseen.jsonl` beside it is of the same kinds, and nothing is tuned on it."""
