"""A refusal says in words why, in every language, and claims nothing about the articles that was not found out."""

from __future__ import annotations

from importlib.resources import files

import pytest

from handrail.turn import outcome
from handrail.turn.wording import load_wording
from handrail.types import Label, Outcome, RefusalReason
from handrail.types.people import NOBODY

LANGUAGES = sorted(path.name.removesuffix(".toml") for path in (files("handrail.turn") / "languages").iterdir())


def refusals(lang: str, *, alone: bool) -> list[Outcome]:
    wording = load_wording("Acme", lang).into(lang, NOBODY if alone else None)
    fixed = [outcome.static(label, wording) for label in outcome.STATIC]
    reasons = RefusalReason.LOW_EVIDENCE, RefusalReason.UNSUPPORTED_CLAIMS
    return [
        *fixed,
        outcome.followup(wording, (), 0.1),
        *(outcome.cannot_answer(reason, wording, 0.1) for reason in reasons),
        outcome.not_listed(["E-7"], wording, 0.1),
        outcome.unavailable(wording),
        outcome.unavailable(wording, RefusalReason.PAUSED),
    ]


@pytest.mark.parametrize("alone", [False, True], ids=["a person is there", "nobody is there"])
@pytest.mark.parametrize("lang", LANGUAGES)
def test_each_reason_has_words_of_its_own(lang: str, alone: bool) -> None:
    said = [refusal.answer for refusal in refusals(lang, alone=alone)]
    english = [refusal.answer for refusal in refusals("en", alone=alone)]

    assert all(said)
    assert len(set(said)) == len(said)
    assert lang == "en" or not set(said) & set(english)


def test_every_reason_the_assistant_may_give_is_covered() -> None:
    told = {refusal.refusal_reason for refusal in refusals("en", alone=False)}
    same = {RefusalReason.INVALID_CITATIONS, RefusalReason.BUDGET_EXHAUSTED}
    """Said like unsupported claims, and like an absent provider."""

    assert told | same | {RefusalReason.PERSON_ANSWERS} == set(RefusalReason)
    assert set(Label) - set(outcome.STATIC) == {Label.ANSWERABLE, Label.HIGH_STAKES}
