"""What has to be taken out of messages in seven languages is, and nothing else."""

from __future__ import annotations

import pytest

from eval.datasets import load
from eval.datasets.redaction import REDACTION, RedactionCase
from eval.metrics import redaction as metrics
from eval.metrics.redaction import Redacted
from handrail.text.contacts import without_personal


def redacted(case: RedactionCase) -> Redacted:
    left = without_personal(case.plain)
    return Redacted(case.lang, case.personal, left, metrics.removed(case.plain, left))


@pytest.mark.parametrize("name", ["sentences.jsonl", "unseen.jsonl"])
def test_personal_data_goes_and_everything_else_stays(name: str) -> None:
    rows = [redacted(case) for case in load(REDACTION, REDACTION.default.with_name(name)).cases]

    found = metrics.score(rows)

    assert found["by_lang"].keys() == {"en", "de", "fr", "es", "pt", "ru", "ar"}
    assert min(one["recall"] for one in found["by_lang"].values()) >= 0.95
    assert found["precision"] >= 0.98
    assert found["changed"] == 0


def test_what_is_missed_and_what_goes_wrongly_are_counted_apart() -> None:
    row = Redacted(
        "en", [("card", "4111"), ("phone", "555")], "[card number removed] 555 [e-mail removed]", ["4111", "x"]
    )

    found = metrics.score([row])

    assert (found["recall"], found["precision"]) == (0.5, 0.5)
    assert found["recall_by_kind"] == {"card": 1.0, "phone": 0.0}


def test_what_was_taken_out_is_read_from_what_is_left() -> None:
    assert metrics.removed("pay 12 to ab now", "pay [IBAN removed] to [e-mail removed] now") == ["12", "ab"]
    assert metrics.removed("12", "[token removed]") == ["12"]
