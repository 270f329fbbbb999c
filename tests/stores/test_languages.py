"""Keyword search in other languages than English."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from handrail.stores import snapshot as snapshots
from handrail.stores import snapshot_files
from handrail.stores.tokens import STEMMERS, STOPS, tokenize
from handrail.types import Passage


def passage(n: int, text: str) -> Passage:
    return Passage(f"a{n}/0", f"a{n}", 0, "", (), text, "", 10)


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("german", "Rechnungen", "Rechnung"),
        ("french", "remboursements", "remboursement"),
        ("spanish", "facturas", "factura"),
        ("english", "настройки", "настройку"),
        ("german", "ошибками", "ошибка"),
    ],
)
def test_forms_of_a_word_meet_and_scripts_know_their_own_stemmer(language: str, one: str, other: str) -> None:
    assert tokenize(one, language) == tokenize(other, language)


def test_an_error_code_stays_whole_among_russian_words() -> None:
    assert tokenize("Что значит ошибка TW-3004?")[-4:] == ["tw-3004", "tw3004", "tw", "3004"]


@pytest.mark.parametrize("stemmer", STEMMERS.values())
def test_every_language_has_stop_words_of_its_own(stemmer: str) -> None:
    assert len(STOPS[stemmer]) > 20


def test_a_german_index_ignores_german_stop_words_and_keeps_its_language_on_disk(tmp_path: Path) -> None:
    texts = ["Die Rechnung liegt unter Abrechnung.", "Ein Termin lässt sich unter Kalender verschieben."]
    built = snapshots.build([passage(n, t) for n, t in enumerate(texts)], np.eye(2, dtype=np.float32), "de")
    snapshot_files.save([(built.passages, built.vectors)], tmp_path, "g1", "de")
    loaded = snapshot_files.load(tmp_path, "g1")

    assert loaded is not None
    assert loaded.lang == "de"
    assert loaded.keyword_scores("wo ist die unter").max() == pytest.approx(0.0, abs=0.3)
    assert loaded.keyword_scores("Rechnungen").argmax() == 0
