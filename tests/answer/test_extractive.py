"""Answers made of the articles' own words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from handrail.citations import assemble
from handrail.errors import RetryableError
from handrail.answer.policy import Policy, RetentionOffer
from handrail.local_models import Logit
from handrail.local_models.batching import Batcher
from handrail.types import Evidence, Exchange, Label, Routing
from tests.generate.answering import Scorer, answer, scorer_of, texts
from tests.generate.articles import DOMAIN, PLANS, evidence, score
from tests.knowledge.articles import article
from tests.stages import WORDING

pytestmark = pytest.mark.anyio

PAUSE = RetentionOffer(id="pause", text="You can pause your plan for EUR 3 a month.", when=("cancel",))


async def test_a_question_how_long_is_answered_with_a_sentence(scorer: Scorer) -> None:
    draft = await answer(scorer, evidence("how long do dns changes take", DOMAIN))

    assert "DNS changes take up to 48 hours." in texts(draft)
    assert not any(text.startswith("1.") for text in texts(draft))


async def test_a_question_about_prices_is_answered_from_the_table(scorer: Scorer) -> None:
    draft = await answer(scorer, evidence("what does the solo plan cost", PLANS))

    assert any("| Solo | EUR 14 |" in text for text in texts(draft))


async def test_a_sentence_that_only_points_elsewhere_loses_to_one_that_says_it(scorer: Scorer) -> None:
    body = "For certificates see Certificates and renewal dates.\n\nCertificates have renewal after 90 days."

    draft = await answer(scorer, evidence("certificates renewal", article(body)), max_sentences=1)

    assert texts(draft) == ["Certificates have renewal after 90 days."]


async def test_the_cross_encoder_reads_a_bounded_number_of_units(scorer: Scorer) -> None:
    read: list[int] = []

    def counting(pairs: list[tuple[str, str]]) -> list[float]:
        read.append(len(pairs))
        return score(pairs)

    counted: Scorer = Batcher("rerank", counting, 64, 512)
    await answer(counted, evidence("open", article("\n\n".join(f"Open door {n}." for n in range(60)))))
    counted.close()

    assert sum(read) <= 20


async def test_only_the_passages_it_may_use_are_quoted(scorer: Scorer) -> None:
    given = evidence("check the connection", DOMAIN)

    draft = await answer(scorer, given, context_passages=1)

    assert {id_ for claim in draft.claims for id_ in claim.passage_ids} == {given.hits[0].passage.id}


async def test_the_critique_learns_how_well_the_best_unit_fits(scorer: Scorer) -> None:
    near = await answer(scorer, evidence("dns changes take", DOMAIN))
    far = await answer(scorer, evidence("weather tomorrow rain", DOMAIN))

    assert near.signals["unit_top"] > far.signals["unit_top"]


async def test_code_tells_the_critique_nothing(scorer: Scorer) -> None:
    words, code = "Records change slowly. Look them up:", "```sh\ndns changes take\n```"
    without = await answer(scorer, evidence("dns changes take", article(words)))
    beside = await answer(scorer, evidence("dns changes take", article(f"{words}\n\n{code}")))

    assert beside.claims[0].text.endswith(code)
    assert beside.signals == without.signals


@pytest.mark.parametrize(
    ("question", "lead", "leads"),
    [
        ("how long is a key remembered", "Give a run a key:", False),
        ("does it expire, and how long is a key remembered", "Give a run a key that is remembered:", False),
        ("how long is a key remembered", "A key is remembered 30 days:", True),
        ("set a key that is remembered", "Give a run a key that is remembered:", True),
    ],
)
async def test_code_gives_way_to_words_where_a_fact_is_asked_for_that_its_lead_does_not_state(
    question: str, lead: str, leads: bool, scorer: Scorer
) -> None:
    code = "```sh\nrun --key remembered how long set that\n```"
    body = f"## Keys\n\n{lead}\n\n{code}\n\n## Time\n\nA key is remembered for a day."

    draft = await answer(scorer, evidence(question, article(body)))

    assert ("```" in draft.claims[0].text) is leads


@pytest.mark.parametrize("body", ["```\ncode\n```", "![](x.png)"])
async def test_passages_without_a_quotable_word_give_no_claims(scorer: Scorer, body: str) -> None:
    draft = await answer(scorer, evidence("anything", article(body)))

    assert draft.claims == []
    assert draft.signals["unit_top"] == -10.0


async def test_high_stakes_is_acknowledged_and_closed_in_fixed_words(scorer: Scorer) -> None:
    draft = await answer(scorer, evidence("cancel plan", PLANS), Label.HIGH_STAKES, Policy(offer=(PAUSE,)))

    assert draft.acknowledgement is not None
    assert draft.acknowledgement.startswith(WORDING.say("high_stakes_ack"))
    assert draft.acknowledgement.endswith(WORDING.say("high_stakes_context"))
    assert draft.offer == PAUSE.text
    assert draft.closing == WORDING.say("high_stakes_close")
    assert draft.claims


async def test_high_stakes_is_not_told_the_same_again(scorer: Scorer) -> None:
    given = evidence("cancel plan", PLANS)
    first = await answer(scorer, given, Label.HIGH_STAKES)
    told, _ = assemble(first, given, 1.0)

    again = await answer(scorer, given, Label.HIGH_STAKES, history=[Exchange("q", "q", told, Routing.HIGH_STAKES)])

    assert first.claims
    assert not again.claims
    assert again.acknowledgement == WORDING.say("high_stakes_ack_again")


async def test_what_to_do_in_an_emergency_is_said_again() -> None:
    knows = scorer_of({"gas": 2.0})
    given = evidence("i still smell gas", article("With a smell of gas leave the house and call 112.", title="Gas"))
    told, _ = assemble(await answer(knows, given, Label.HIGH_STAKES), given, 1.0)

    again = await answer(knows, given, Label.HIGH_STAKES, history=[Exchange("q", "q", told, Routing.HIGH_STAKES)])
    knows.close()

    assert "call 112" in texts(again)[0]


async def test_who_speaks_of_dying_is_told_where_help_is_and_quoted_nothing(scorer: Scorer) -> None:
    text = "cancel the plan, I want to die. I don't want to wake up tomorrow"

    draft = await answer(scorer, evidence(text, PLANS), Label.HIGH_STAKES, Policy())

    assert draft.acknowledgement == f"{WORDING.say('high_stakes_ack')}\n\n{WORDING.say('in_danger')}"
    assert not draft.claims


async def test_high_stakes_without_articles_promises_none(scorer: Scorer) -> None:
    draft = await answer(scorer, Evidence("", ()), Label.HIGH_STAKES, Policy())

    assert draft.acknowledgement == WORDING.say("high_stakes_ack")
    assert draft.claims == []
    assert draft.offer is None


async def test_a_busy_model_is_a_failure_to_retry() -> None:
    def fails(pairs: list[tuple[str, str]]) -> list[float]:
        raise RetryableError("busy")

    broken: Scorer = Batcher("rerank", fails, 64, 512)
    with pytest.raises(RetryableError):
        await answer(broken, evidence("dns", DOMAIN))
    broken.close()


@pytest.mark.parametrize(
    ("better", "worse", "first"),
    [(-10.5, -8.0, "Apples are weighed."), (-10.5, 4.0, "Pears are counted."), (3.0, 4.0, "Apples are weighed.")],
    ids=["both unknown", "one fits", "both fit"],
)
async def test_a_better_passage_counts_unless_a_unit_of_another_fits(better: float, worse: float, first: str) -> None:
    knows = scorer_of({"Apples": better, "Pears": worse})
    found = evidence("what happens to fruit", article("Apples are weighed."), article("Pears are counted.", "b:b"))
    given = replace(found, hits=[replace(hit, final=final) for hit, final in zip(found.hits, (0.8, 0.6), strict=True)])

    draft = await answer(knows, given, max_sentences=1)
    knows.close()

    assert texts(draft)[0].endswith(first)


async def test_what_was_read_to_answer_is_quoted_before_what_is_only_about_the_question() -> None:
    knows = scorer_of({"Apples": Logit(2.0, reading=-3.0), "Pears": Logit(1.0, reading=3.0)})
    found = evidence("what happens to fruit", article("Apples are weighed."), article("Pears are counted.", "b:b"))
    given = replace(found, hits=[replace(hit, final=0.6) for hit in found.hits])

    draft = await answer(knows, given, max_sentences=1)
    knows.close()

    assert texts(draft)[0].endswith("Pears are counted.")


async def test_the_row_that_the_question_names_is_quoted() -> None:
    knows = scorer_of({"Dearer": 1.0, "Plan: Solo": 1.0, "Plan": 0.0})
    table = "| Plan | Price |\n| --- | --- |\n| Free | EUR 0 |\n| Solo | EUR 14 |"
    body = f"Dearer plans pay off early.\n\n## Prices\n\n{table}"

    draft = await answer(knows, evidence("what does solo cost", article(body), merge=0))
    knows.close()

    assert texts(draft)[0].endswith("| Solo | EUR 14 |")


@pytest.mark.parametrize(
    ("asked", "first"), [("how do I export customers", "Get a file."), ("importing", "Load a file.")]
)
async def test_what_stands_under_the_opposite_of_what_is_asked_comes_later(asked: str, first: str) -> None:
    knows = scorer_of({"Load": 2.0, "Get": 1.0})
    body = "## Import\n\nLoad a file.\n\n## Move away\n\nGet a file."

    draft = await answer(knows, evidence(asked, article(body), merge=0), max_sentences=1)
    knows.close()

    assert texts(draft)[0].endswith(first)


async def test_a_labelled_warning_leads_only_where_there_is_nothing_else() -> None:
    knows = scorer_of({"Change the zone": 4.0, "Set your hours": 1.0})
    warned = "> **Important:** Change the zone outside your hours."

    both = await answer(knows, evidence("change hours", article(f"{warned}\n\nSet your hours under Times.")))
    alone = await answer(knows, evidence("change hours", article(warned)))
    knows.close()

    assert texts(both)[0] == "Set your hours under Times."
    assert texts(alone)[0].startswith("**Important:**")


async def test_a_passage_that_fits_by_a_warning_has_no_more_points_than_others() -> None:
    knows = scorer_of({"Change the zone": 4.0, "Pick a zone": 2.5, "Set your hours": 2.0})
    zones = article("Pick a zone here.\n\n> **Important:** Change the zone outside your hours.")
    found = evidence("change hours", zones, article("Set your hours under Times.", "b:b"))
    given = replace(found, hits=[replace(hit, final=final) for hit, final in zip(found.hits, (0.9, 0.7), strict=True)])

    draft = await answer(knows, given, max_sentences=1)
    knows.close()

    assert texts(draft)[0].endswith("Pick a zone here.")
    assert "Set your hours" in " ".join(texts(draft))


@pytest.mark.parametrize(
    ("asked", "first"),
    [("forgot my password", "1. Choose a new one."), ("a customer forgot a password", "Customers need none.")],
)
async def test_who_speaks_of_himself_is_not_told_about_his_customers(asked: str, first: str) -> None:
    knows = scorer_of({"Customers need": 6.0, "Choose": 4.0, "Done": 0.0})
    others = "## A customer forgot a password. What now?\n\nCustomers need none."
    body = f"## Reset\n\n1. Choose a new one.\n2. Done.\n\n{others}"

    draft = await answer(knows, evidence(asked, article(body), merge=0))
    knows.close()

    assert texts(draft)[0].endswith(first)
    assert ("Customers need none." in " ".join(texts(draft))) == ("customer" in asked)


@pytest.mark.parametrize(
    ("asked", "first"),
    [
        ("can I pay yearly?", "Choose"),
        ("I pay yearly", "A yearly plan"),
        ("can I pause when I pay yearly?", "A yearly plan"),
    ],
)
async def test_who_asks_whether_he_may_is_not_told_what_holds_if_he_does(asked: str, first: str) -> None:
    knows = scorer_of({"yearly plan": 6.0, "Choose": 4.5})
    body = "## If you pay yearly\n\nA yearly plan cannot be paused.\n\n## Switch\n\nChoose yearly billing."

    draft = await answer(knows, evidence(asked, article(body), merge=0), max_sentences=1)
    knows.close()

    assert texts(draft)[0].rpartition("\n")[2].startswith(first)


async def test_the_question_that_an_article_asks_in_the_same_words_is_answered_as_it_stands() -> None:
    knows = scorer_of({"Write to us": 6.0, "Open the page": 4.5})
    body = "## Show it\n\n1. Open the page.\n2. Open more.\n\n## A page is gone. What now?\n\nWrite to us."

    draft = await answer(knows, evidence("my page is gone now", article(body, title="Menus of a site"), merge=0))
    knows.close()

    assert texts(draft)[0].endswith("Write to us.")


async def test_what_goes_on_from_a_warning_is_not_quoted_beside_an_answer() -> None:
    knows = scorer_of({"collect": 5.0, "That one": 4.8, "preparation": 0.0})
    long = f"Customers collect goods {'and more goods ' * 6}here."
    body = f"{long}\n\n> **Note:** The preparation is no notice. That one has a default."

    draft = await answer(knows, evidence("do you do pickup", article(body, title="Pickup")))
    knows.close()

    assert texts(draft) == [long]
