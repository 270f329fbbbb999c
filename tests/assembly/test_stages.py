"""What is built for which settings, where models and fitted files do not belong together."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from handrail.assembly.fitted import calibration_for, gate_file, shipped_gate
from handrail.assembly.parts import shared_words
from handrail.models.calibration import load_calibration, probability
from handrail.models.taught import QUESTIONS, QUESTIONS_AGAIN, load_taught
from handrail.settings import Settings


def settings(**sections: object) -> Settings:
    return Settings.model_validate(sections)


BOTH = load_taught(QUESTIONS).digest + load_taught(QUESTIONS_AGAIN).digest


def test_a_gate_fitted_with_other_models_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        calibration_for("answers", settings())
        assert not caplog.records
        calibration_for("answers", settings(models={"reranker": "none"}))

    assert len(caplog.records) == 1
    assert "the answers gate was fitted with" in caplog.text


def test_a_gate_that_cannot_read_the_articles_gives_way_to_one_by_cosines(
    caplog: pytest.LogCaptureFixture,
) -> None:
    other = settings(models={"embedder": "multilingual-e5-small-q4"})

    with caplog.at_level(logging.WARNING):
        gate = calibration_for("answers", other, lang="ru")

    assert "no answers gate was fitted with multilingual-e5-small-q4" in caplog.text
    weather = {"dense_lift": 0.1, "dense_lead": -0.02, "reading": 4.0}
    batteries = {"dense_lift": 0.5, "dense_lead": 0.02, "reading": -4.0}
    assert probability(gate, weather) < 0.5 * probability(gate, batteries)


def test_the_shipped_gate_stays_where_the_cross_encoder_or_nobody_reads_the_articles() -> None:
    other = settings(models={"embedder": "multilingual-e5-small-q4"})

    assert calibration_for("answers", other, lang="en") == load_calibration("answers")
    assert calibration_for("answers", settings(), lang="ru") == load_calibration("answers")


def test_the_shipped_gate_belongs_to_the_shipped_readers() -> None:
    assert load_calibration("answers").reader == BOTH


def own_gate(here: Settings, **values: object) -> None:
    """Fitted to the knowledge base of the settings."""
    own = load_calibration("answers").model_copy(update={"fitted_on": "here", "index": "g1", **values})
    file = gate_file(here, "answers")
    file.parent.mkdir(parents=True)
    file.write_text(own.model_dump_json(), encoding="utf-8")


@pytest.mark.parametrize(
    ("reader", "used"), [("", False), ("another", False), (load_taught(QUESTIONS).digest, False), (BOTH, True)]
)
def test_a_base_s_own_gate_is_used_with_the_reader_it_was_fitted_to(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, reader: str, *, used: bool
) -> None:
    here = settings(storage={"data_dir": str(tmp_path)})
    own_gate(here, reader=reader)

    with caplog.at_level(logging.WARNING):
        assert (calibration_for("answers", here, index="g1").fitted_on == "here") is used

    assert ("isn't used: run `handrail calibrate` again" in caplog.text) is not used


def test_a_base_s_own_gate_stays_in_force_when_its_articles_change_and_that_is_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    here = settings(storage={"data_dir": str(tmp_path)})
    own_gate(here)

    with caplog.at_level(logging.WARNING):
        assert calibration_for("answers", here, index="g2").fitted_on == "here"

    assert "older than its articles" in caplog.text


def test_a_file_that_the_settings_name_comes_before_all_others(tmp_path: Path) -> None:
    named = tmp_path / "mine.json"
    mine = load_calibration("answers").model_copy(update={"fitted_on": "mine"})
    named.write_text(mine.model_dump_json(), encoding="utf-8")
    here = settings(storage={"data_dir": str(tmp_path)}, gates={"calibration": str(named)})
    own_gate(here)

    assert calibration_for("answers", here).fitted_on == "mine"
    assert shipped_gate("answers", here, "en").fitted_on == "mine"


def test_without_a_cross_encoder_shared_words_order_the_texts() -> None:
    close, far = shared_words([("refund an order", "Refund the order."), ("refund an order", "Connect a domain.")])

    assert close == pytest.approx(6.0)
    assert far == pytest.approx(-6.0)
