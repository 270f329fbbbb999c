"""What is fitted to a knowledge base, and what ships in its place."""

from __future__ import annotations

import logging
from pathlib import Path

from handrail.assembly.models import readers_of, reads
from handrail.models.calibration import Calibration, load_calibration
from handrail.settings import Settings
from handrail.text import language

logger = logging.getLogger(__name__)

FITTED = "fitted"
"""Folder of a knowledge base's own fitted files."""
UNREAD = "answers_abroad"
"""The gate for articles that the cross-encoder cannot read."""


def kb_folder(settings: Settings, kb: str) -> Path:
    """Where a knowledge base keeps its snapshot and fitted files."""
    return settings.storage.data_dir / "kb" / kb


def calibration_for(name: str, settings: Settings, index: str = "", lang: str = language.DEFAULT) -> Calibration:
    """The file the settings name, else the knowledge base's own, else the one that ships for `lang`.

    What does not fit is said once, at start: probabilities fitted to other models are not probabilities, and ones
    fitted to an index that changed since are old.
    """
    used, named = (settings.models.embedder, settings.models.reranker), settings.gates.calibration is not None
    reader = readers_of(settings)
    own = gate_file(settings, name)
    if not named and own.is_file():
        calibration = load_calibration(name, own)
        same = reader is None or reader.digest == calibration.reader
        if same and (calibration.embedder, calibration.reranker) == used:
            if index and calibration.index != index:
                logger.warning("the %s gate of %r is older than its articles: run `handrail calibrate` again",
                               name, settings.knowledge.kb)  # fmt: skip
            return calibration
        logger.warning("the %s gate of %r was fitted with other models and isn't used: run `handrail calibrate` again",
                       name, settings.knowledge.kb)  # fmt: skip
    calibration = shipped_gate(name, settings, lang)
    fitted = (calibration.embedder, calibration.reranker)
    if not named and reads_alone(settings, lang):
        logger.warning("no %s gate was fitted with %s, so a gate based on cosines is used: run `handrail calibrate`",
                       name, settings.models.embedder)  # fmt: skip
    elif fitted != used:
        logger.warning(
            "the %s gate was fitted with %s and %s, not with %s and %s: run `handrail calibrate`", name, *fitted, *used
        )
    return calibration


def shipped_gate(name: str, settings: Settings, lang: str) -> Calibration:
    """Without any fit to the knowledge base: the file the settings name, else the one that ships.

    The one that ships knows the scores of models of English; where `lang`, the articles' language, is read by the
    embedder alone, the gate that goes by cosines takes its place.
    """
    path = settings.gates.calibration
    return load_calibration(UNREAD if path is None and reads_alone(settings, lang) else name, path)


def reads_alone(settings: Settings, lang: str) -> bool:
    """Whether the embedder reads `lang` and the cross-encoder, whose scores the shipped gates go by, does not."""
    models = settings.models
    return reads(models.embedder, lang) and not reads(models.reranker, lang)


def gate_file(settings: Settings, name: str) -> Path:
    """Where `handrail calibrate` puts a gate of the settings' knowledge base."""
    return kb_folder(settings, settings.knowledge.kb) / FITTED / f"{name}.json"
