"""Where somebody can be reached, and what they pasted by mistake, changes nothing of what they ask."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from eval.evaluators.bench import bench
from handrail.text.notes import asides
from tests.sample import ROOT, kept_index, sample_settings

ASIDES = (
    "{q} You can reach me at maria.lopez@example.org or +49 170 1234567.",
    "My name is Sam, sam.lee@example.com. {q}",
    "{q} My number: 020 7946 0958",
    "I paid with 4111 1111 1111 1111, cvv 123. {q}",
    "{q} (login sam, password: Tr33house9)",
    "{q} My SSN is 536-22-8471.",
)


@pytest.mark.anyio
@pytest.mark.models
@pytest.mark.slow
async def test_contact_details_do_not_change_the_answer(tmp_path: Path) -> None:
    shutil.copytree(kept_index(), tmp_path / "var")
    rows = (ROOT / "eval" / "datasets" / "sample" / "retrieval.jsonl").read_text(encoding="utf-8").splitlines()
    asked = [json.loads(row)["question"] for row in rows[:60:2]]
    changed = []
    async with bench(sample_settings(tmp_path / "var")) as turns:
        for number, question in enumerate(asked):
            whole = question if question[-1] in ".!?" else f"{question}."
            plain = (await turns.ask(whole)).turn.outcome
            beside = (await turns.ask(ASIDES[number % len(ASIDES)].format(q=whole))).turn.outcome
            if (plain.routing, plain.answer) != (beside.routing, beside.answer):
                changed.append((question, plain.routing, beside.routing))

    assert len(asked) == 30
    assert changed == []


def test_a_sentence_that_holds_more_than_a_contact_is_no_aside() -> None:
    told = "The payment with my business card [card number removed] was refused again today. Mail [e-mail removed]."

    assert [aside for _, aside in asides(told)] == [False, True]
    assert asides(told)[0][0] == "The payment with my business card was refused again today."
