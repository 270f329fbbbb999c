"""`handrail eval claims` over rows with one passage, and with the others of its article."""

from __future__ import annotations

import json

import pytest

from tests.eval.conftest import Evaluate

pytestmark = pytest.mark.models

HOLDS = "A plan holds five seats. Who has left the company keeps a seat until somebody removes them."
PRICES = "The first five seats are included. Each further seat costs EUR 6 a month."
BESIDE = [{"heading": "Prices", "text": PRICES}]


def test_a_claim_beside_its_passage_is_shown_and_cited_where_it_is_stated(evaluate: Evaluate) -> None:
    said = "Each further seat costs EUR 6 monthly."
    rows = [
        {"id": "a", "claim": said, "passage": HOLDS, "beside": BESIDE, "label": "supported", "stated_beside": 0},
        {"id": "b", "claim": "Seats are sold in packs of fifty.", "passage": HOLDS, "label": "unsupported"},
    ]

    metrics = json.loads(evaluate("claims", rows, "--json").stdout)["metrics"]

    assert metrics["n"] == 2
    assert (metrics["shown"], metrics["shown_wrongly"], metrics["cited_where_stated"]) == (1.0, 0.0, 1.0)
