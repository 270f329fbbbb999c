"""The operator's own rules: whom they reach, that the model reads them, and what becomes of answers that break them."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path

import pytest

from handrail.answer.blocks import Blocks
from handrail.answer.guidance import Check, RuleBroken, rules_for
from handrail.answer.llm import LlmAnswerer, unbudgeted
from handrail.answer.llm_guidance import LlmGuidanceCheck
from handrail.answer.policy import Policy
from handrail.errors import RetryableError, SettingsError
from handrail.settings import Guidance, load_settings
from handrail.types import Classification, Draft, Evidence, Label, Question, Routing
from tests.answers import BRAND, PROMPTS, WORDING, evidence, model_at, question
from tests.scripted_openai import Fails, Says, ScriptedOpenAI
from tests.stages import STEPS, ask, engine, stages

pytestmark = pytest.mark.anyio

RULES = ("Call customers members.", "If the question is about prices: Say that prices exclude VAT.")
ARTICLES = evidence({"plans/1": "The Pro plan costs EUR 20 a month."})
ANSWER = Says({"claims": [{"text": "It costs EUR 20.", "passage_ids": ["plans/1"]}], "answered": "fully"})
SERIOUS = Says({
    "acknowledgement": "You want to leave.", "context": [], "offer_id": None, "closing": "A person can help.",
})  # fmt: skip
LABELS = {Label.ANSWERABLE: ANSWER, Label.HIGH_STAKES: SERIOUS}


def words(text: str) -> int:
    return len(text.split())


async def drafted(
    provider: ScriptedOpenAI,
    check: Check | None = None,
    *,
    label: Label = Label.ANSWERABLE,
    text: str = "what does Pro cost?",
    lang: str = "en",
) -> Draft:
    def ruled(asked: Question, found: Evidence) -> Blocks:
        return replace(unbudgeted(asked, found), rules=RULES)

    async with model_at(provider) as model:
        answerer = LlmAnswerer(model, PROMPTS, BRAND, WORDING, Policy(), ruled, check)
        return await answerer.answer(question(text, lang=lang), Classification(label, 0.9, "local"), ARTICLES)


def says(probability: float | None) -> Check:
    async def check(*_: object) -> float | None:
        return probability

    return check


def test_rules_are_for_an_audience_and_may_have_a_topic() -> None:
    settings = Guidance.model_validate({
        "rules": [
            "Call customers members.",
            {"say": "Name the ticket queue.", "audience": "agents"},
            {"say": "Say that prices exclude VAT.", "when": "prices", "audience": "public"},
        ]
    })  # fmt: skip

    assert rules_for("public", settings, words) == RULES
    assert rules_for("agents", settings, words) == ("Call customers members.", "Name the ticket queue.")


@pytest.mark.parametrize(("tokens", "told"), [(6, True), (9, False)])
def test_rules_that_do_not_fit_are_said(caplog: pytest.LogCaptureFixture, tokens: int, *, told: bool) -> None:
    rules = ["Say you.", "Be brief with everybody.", "No jokes, please."]
    settings = Guidance.model_validate({"rules": rules, "tokens": tokens})

    with caplog.at_level(logging.WARNING):
        given = rules_for("public", settings, words)

    assert given == tuple(rules[:2] if told else rules)
    assert ["only the first 2 of 3 rules" in record.getMessage() for record in caplog.records] == [True] * told


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('[guidance]\nrules = ["x"]', "guidance.rules.0.say"),
        ('[guidance]\nrules = [{ say = "Be kind.", audience = "staff" }]', "audience"),
        ('[guidance]\nrules = [{ says = "Be kind." }]', "says"),
        ('[prompts]\nrules = ["Be kind."]', "set guidance.rules"),
    ],
)
def test_a_wrong_rule_is_refused_with_its_place(tmp_path: Path, text: str, complaint: str) -> None:
    file = tmp_path / "config.toml"
    file.write_text(text, encoding="utf-8")

    with pytest.raises(SettingsError, match=complaint):
        load_settings(file, {})


@pytest.mark.parametrize("label", list(LABELS))
async def test_rules_reach_the_model(llm_provider: ScriptedOpenAI, label: Label) -> None:
    llm_provider.script(LABELS[label])

    await drafted(llm_provider, label=label)

    assert all(f"- {rule}" in llm_provider.requests[0].system for rule in RULES)


@pytest.mark.parametrize("label", list(LABELS))
async def test_what_comes_first_is_the_same_for_every_question_and_language(
    llm_provider: ScriptedOpenAI, label: Label
) -> None:
    """Providers that remember the beginning of a prompt need not read it again."""
    llm_provider.script(LABELS[label])

    await drafted(llm_provider, label=label)
    await drafted(llm_provider, label=label, text="Was kostet Pro?", lang="de")

    first, second = llm_provider.requests
    assert first.system == second.system
    assert first.user.startswith("<passage") or first.user.startswith("<article")
    assert second.user.index("</passage>") < second.user.index(": de") < second.user.index("<message>")


@pytest.mark.parametrize("label", list(LABELS))
async def test_an_answer_that_breaks_a_rule_is_not_given(llm_provider: ScriptedOpenAI, label: Label) -> None:
    llm_provider.script(LABELS[label])

    with pytest.raises(RuleBroken):
        await drafted(llm_provider, says(0.8), label=label)
    for kept in (0.2, None):
        assert (await drafted(llm_provider, says(kept), label=label)).provider == "llm"


@pytest.mark.parametrize(("broken", "found"), [([], 0.0), ([2], 1.0), ([3, 0], 0.0)])
async def test_the_llm_names_the_rules_that_are_broken(
    llm_provider: ScriptedOpenAI, broken: list[int], found: float
) -> None:
    llm_provider.script(Says({"rules": broken}))

    async with model_at(llm_provider) as model:
        check = LlmGuidanceCheck(model, PROMPTS, BRAND)
        said = await check(question("what does Pro cost?"), "</reply> It costs EUR 20.", RULES)

    [request] = llm_provider.requests
    assert said == found
    assert "2. If the question is about prices" in request.system
    assert request.user.count("</reply>") == 1


async def test_a_check_that_cannot_be_made_fails_like_the_answer(llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script(Fails(500))

    async with model_at(llm_provider) as model:
        with pytest.raises(RetryableError):
            await LlmGuidanceCheck(model, PROMPTS, BRAND)(question("?"), "Yes.", RULES)


async def test_where_a_rule_is_broken_the_articles_are_quoted() -> None:
    turn = await engine(stages(answerer=_Breaks())).run(ask())

    assert turn.outcome.routing is Routing.ANSWERED
    assert [piece.markdown for piece in turn.outcome.pieces] == [STEPS.text]
    assert (turn.degraded, turn.reasons) == (("answer",), {"answer": "guidance"})


class _Breaks:
    least = stages().answer.primary.least

    async def answer(self, *_: object) -> Draft:
        raise RuleBroken("against a rule")
