"""The shape of an extractive answer: procedures, tables and sentences, each whole and each proven."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from handrail.answer.compose import compose
from handrail.answer.quoting import Scored
from handrail.answer.units import units
from handrail.settings import Generate
from tests.generate.articles import DOMAIN, PLANS, evidence
from tests.generate.composing import claims, scored
from tests.knowledge.articles import article

ORDINAL = re.compile(r"^\d+\. ")
"""A list of nothing but ones is numbered for its readers."""
STEP = re.compile(r"^(\d+)\.", re.M)


CONNECT = (
    "With this method you change two records.",
    "Your e-mail keeps working.",
    "**Add the domain:**\n\n1. Go to **Settings > Domains**.",
    "2. Enter the domain:\n   - without `www`\n   - in small letters",
    "3. Choose **DNS records**.",
    "Keep this page open.",
    "It shows the values you need.",
    "**Change the records:**\n\n1. Sign in to your provider.",
    "2. Add these two records:",
    "| Type | Value |\n| --- | --- |\n| A | `203.0.113.20` |\n| CNAME | `sites.example` |",
    "3. Save.",
    "**Note:** Some providers want an empty field here.",
    "Both are fine.",
    "**Check the connection:**\n\n1. Return to **Settings > Domains**.",
    "2. Select **Check now**.",
    "DNS changes take up to 48 hours.",
    "They usually take less than 2.",
    "See [Certificates](certificates.md).",
)
"""Sections "Step 1" to "Step 3", what is said beside their steps, and what stands before the first."""


@pytest.mark.parametrize("best", ["1. Go to", "1. Sign in", "1. Return"])
def test_numbered_sections_are_one_procedure_which_is_quoted_whole_and_in_order(best: str) -> None:
    assert tuple(claim.text for claim in claims("q", DOMAIN, best=best)) == CONNECT


def test_of_a_procedure_over_the_operators_bound_the_first_steps_are_quoted_and_the_notes() -> None:
    made = [claim.text for claim in claims("q", DOMAIN, best="1. Go to", max_steps=5)]

    assert sum(bool(STEP.search(text)) for text in made) == 5
    assert "3. Save." not in made
    assert "**Note:** Some providers want an empty field here." in made


def test_a_table_that_a_step_announces_is_proven_by_the_passage_it_stands_in() -> None:
    cut = evidence("q", DOMAIN, merge=0)
    found = units(cut.hits)
    first = next(unit for unit in found if "1. Sign in" in unit.lines[0])

    made = compose([Scored(first, 1.0, 1.0)], found, Generate())

    [table] = [claim for claim in made if claim.text.startswith("| Type")]
    [cited] = [hit.passage for hit in cut.hits if hit.passage.id == table.passage_ids[0]]
    assert cited.text == table.text
    assert cited is not first.hit.passage


def test_both_ways_of_a_brief_section_are_quoted() -> None:
    made = claims("q", article("1. Open it.\n2. Save.\n\nOr from a phone:\n\n1. Swipe.\n2. Tap."), best="1. Open it")

    assert [claim.text for claim in made][-2:] == ["Or from a phone:\n\n1. Swipe.", "2. Tap."]


def test_bullets_come_with_the_sentence_that_introduces_them() -> None:
    made = claims("owner of the account", PLANS, best="- Owner")

    assert made[0].text == "You can do this when you are one of these:\n\n- Owner of the account"
    assert made[1].text == "- Administrator with the billing role"


def test_rows_are_shown_under_their_header() -> None:
    made = claims("solo eur", PLANS, best="| Solo")

    assert made[0].text.startswith("| Plan | Price |\n| --- | --- |\n")
    assert "| Solo | EUR 14 |" in made[0].text


def test_a_whole_table_is_one_claim() -> None:
    made = claims("plan price", PLANS, best="| Plan | Price |")

    assert [claim.text.count("\n") for claim in made] == [4]


def test_a_sentence_that_refers_back_brings_the_one_before() -> None:
    made = claims("usually less than 2", DOMAIN, best="They usually")

    texts = [claim.text for claim in made]
    assert texts.index("They usually take less than 2.") == texts.index("DNS changes take up to 48 hours.") + 1


def test_sentences_come_in_reading_order_and_are_limited() -> None:
    body = "A refund arrives on Monday. Nothing else. Refund requests need receipts. Every refund costs EUR 1."

    made = claims("refund", article(body), max_sentences=3)

    assert [claim.text for claim in made] == [
        "A refund arrives on Monday.",
        "Refund requests need receipts.",
        "Every refund costs EUR 1.",
    ]


def test_the_same_thing_is_said_once() -> None:
    one = article("A refund takes five days.", "a:one")
    other = article("A refund takes five days!", "a:other")

    assert len(claims("refund takes five days", one, other)) == 1


def test_another_article_is_quoted_only_when_it_fits_as_well() -> None:
    home = article("A refund takes five days.", "a:home")
    away = article("A refund needs a receipt.", "a:away")

    made = claims("refund takes five days", home, away)

    assert [claim.passage_ids for claim in made] == [("a:home/0",)]


@pytest.mark.parametrize("query", ["connect domain", "price plan", "owner", "hours"])
def test_an_answer_is_never_the_articles_poured_out(query: str) -> None:
    made = claims(query, DOMAIN, PLANS)

    words = sum(len(claim.text.split()) for claim in made)
    everything = sum(len(hit.passage.text.split()) for hit in evidence(query, DOMAIN, PLANS).hits)
    assert 0 < words < everything / 2


def flat(text: str) -> str:
    return re.sub(r"[\s>]+", " ", text).strip()


SENTENCE = st.lists(
    st.sampled_from(["open", "the", "store", "settings", "then", "choose", "refund", "plan", "domain", "it"]),
    min_size=2,
)
PARAGRAPH = SENTENCE.map(lambda words: " ".join(words).capitalize() + ".")
NUMBERED = st.lists(PARAGRAPH, min_size=1, max_size=5).map(
    lambda items: "\n".join(f"{n}. {item}" for n, item in enumerate(items, start=1))
)
BULLETS = st.lists(PARAGRAPH, min_size=1, max_size=4).map(lambda items: "\n".join(f"- {item}" for item in items))
TABLE = st.lists(PARAGRAPH, min_size=1, max_size=4).map(
    lambda cells: "\n".join(["| A | B |", "| - | - |", *(f"| {cell} | x |" for cell in cells)])
)
NOTE = PARAGRAPH.map(lambda text: f"> **Note:** {text}")
LEAD = st.just("You can do this when:")
HEADING = st.sampled_from(["## Step 1: Begin", "## Step 2: Go on", "## What happens?", "### Details"])
BODY = st.lists(PARAGRAPH | NUMBERED | BULLETS | TABLE | NOTE | LEAD | HEADING, min_size=1, max_size=8).map("\n\n".join)


LOOSE = "\n\n".join(["Open open.", *["\n".join(["- Open open."] * 4)] * 3])
"""A list of twelve that ends no sooner for its blank lines."""


@given(BODY, BODY, SENTENCE.map(" ".join), st.integers(0, 30))
@example(LOOSE, "Open open.", "open open", 0)
@example("\n\n".join(["Open the plan."] * 4 + ["\n".join(["- Open open."] * 10)]), "Open open.", "open open", 0)
def test_whatever_the_articles_each_claim_is_in_the_passage_it_cites(
    one: str, other: str, query: str, first: int
) -> None:
    given_evidence = evidence(query, article(one, "a:one"), article(other, "a:other"))
    passages = {hit.passage.id: hit.passage for hit in given_evidence.hits}
    found = units(given_evidence.hits)
    ranked = scored(query, found)
    ranked = ranked[first % len(ranked) :] if ranked else []

    made = compose(ranked, found, Generate()) if ranked else []

    for claim in made:
        [cited] = (passages[id_] for id_ in claim.passage_ids)
        lead, _, quoted = claim.text.rpartition("\n\n")
        source = flat(cited.text)
        header, _, rows = quoted.partition("| - | - |")
        for line in rows.splitlines() if rows else [quoted]:
            assert ORDINAL.sub("", flat(line)) in source
        assert not header.startswith("|") or flat(header) in source
        assert lead.startswith("**") or flat(lead) in source
    sentences = [claim.text for claim in made if claim.text[:1].isalpha() and "\n" not in claim.text]
    assert len(set(sentences)) == len(sentences)


def test_a_yes_or_no_comes_with_the_question_it_answers() -> None:
    body = "### Can I export after a move?\n\nYes. Data stays for 90 days.\n\n### Is it free?\n\nNo. It costs ten."
    faq = article(body, "a:faq")

    made = claims("is it free costs ten", faq, best="No.", max_sentences=1)

    assert [claim.text for claim in made] == ["**Is it free?**\n\nNo."]


COSTS = article("## Costs\n\nPost is free above EUR 50.", "s:costs")
TIMES = article("## Times\n\nPost takes two days.", "s:times")
WEIGHTS = article("## Weights\n\nPost weighs up to 20 kg.", "s:weights")


def test_a_second_section_that_fits_nearly_as_well_is_quoted_under_its_heading() -> None:
    found = units(evidence("post", COSTS, TIMES).hits)
    free, takes = (next(unit for unit in found if word in unit.lines[0]) for word in ("free", "takes"))

    both = compose([Scored(free, 4, 4), Scored(takes, 2, 2)], found, Generate())
    fewer = compose([Scored(free, 4, 4), Scored(takes, 0.5, 2)], found, Generate())
    unlike = compose([Scored(free, 4, 7), Scored(takes, 3, 3)], found, Generate())

    assert [claim.text for claim in both] == [
        "**Costs:**\n\nPost is free above EUR 50.",
        "**Times:**\n\nPost takes two days.",
    ]
    assert [claim.text for claim in fewer] == ["Post is free above EUR 50."]
    assert [claim.text for claim in unlike] == ["Post is free above EUR 50."]


def test_a_third_section_is_quoted_where_none_is_known() -> None:
    found = units(evidence("post", COSTS, TIMES, WEIGHTS).hits)
    unknown = [Scored(unit, 4 - place, -6 - 3 * place) for place, unit in enumerate(found)]
    known = [Scored(item.unit, item.score, item.logit + 8) for item in unknown]

    assert [claim.text.split(":")[0] for claim in compose(unknown, found, Generate())] == [
        "**Costs", "**Times", "**Weights",
    ]  # fmt: skip
    assert len(compose(known, found, Generate())) == 2


def test_a_section_in_two_passages_has_its_heading_once() -> None:
    found = units(evidence("post", COSTS, merge=0).hits)
    hit = replace(found[0].hit, passage=replace(found[0].hit.passage, id="s:costs/9"))
    again = replace(found[0], hit=hit, lines=("It costs EUR 4 below.",))

    made = compose([Scored(found[0], 4, 4), Scored(again, 2, 3)], [*found, again], Generate())

    assert [claim.text for claim in made] == ["**Costs:**\n\nPost is free above EUR 50.", "It costs EUR 4 below."]


def test_further_sections_never_make_an_answer_long() -> None:
    bodies = (f"## Part {name}\n\n{(name + ' ') * 58}ends." for name in ("one", "two", "three"))
    found = units(evidence("post", *(article(body, f"s:{place}") for place, body in enumerate(bodies))).hits)

    made = compose([Scored(unit, 4 - place, -6) for place, unit in enumerate(found)], found, Generate())

    assert len(made) == 1


@pytest.mark.parametrize(("logit", "steps"), [(-5.0, 3), (2.0, 0)])
def test_the_steps_of_a_section_are_quoted_for_a_sentence_that_is_not_known(logit: float, steps: int) -> None:
    found = units(evidence("values", DOMAIN).hits)
    page = next(unit for unit in found if unit.lines[0].startswith("Keep this page"))
    add = next(unit for unit in found if "1. Go to" in unit.lines[0])

    made = compose([Scored(page, 4, logit), Scored(add, 3.2, logit - 1)], found, Generate(max_steps=3))

    assert sum(bool(STEP.search(claim.text)) for claim in made) == steps
    assert any("Keep this page" in claim.text for claim in made)


def test_a_short_table_is_quoted_whole_for_one_of_its_rows() -> None:
    found = units(evidence("studio", PLANS).hits)
    row = next(unit for unit in found if unit.subject == "Studio")

    (claim,) = compose([Scored(row, 4, 4)], found, Generate())

    assert claim.text.count("EUR") == 3


def test_a_short_sentence_is_followed_by_the_next() -> None:
    found = units(evidence("cost", DOMAIN).hits)
    said = next(unit for unit in found if unit.lines[0].startswith("DNS changes"))

    made = compose([Scored(said, 4, 4)], found, Generate())

    assert [claim.text for claim in made] == ["DNS changes take up to 48 hours.", "They usually take less than 2."]


def test_only_one_section_is_quoted_where_a_person_takes_over() -> None:
    found = units(evidence("post", COSTS, TIMES).hits)
    ranked = [Scored(unit, 4 - place, 4) for place, unit in enumerate(found)]

    assert len({claim.passage_ids for claim in compose(ranked, found, Generate(), sections=1)}) == 1


def test_a_heading_stands_above_no_sentence_of_another_section() -> None:
    """Sentences are in reading order, so the best one's section need not come first."""
    found = units(evidence("domain", DOMAIN, COSTS).hits)
    sentences = [unit for unit in found if unit.kind == "sentence" and unit.hit.passage.article_id == DOMAIN.id]
    earlier, best = sentences[0], next(u for u in sentences if u.hit.passage.id != sentences[0].hit.passage.id)
    other = next(unit for unit in found if unit.hit.passage.article_id == COSTS.id)

    made = compose([Scored(best, 4, 4), Scored(earlier, 3.5, 3.5), Scored(other, 2, 2)], found, Generate())

    assert made[0].text == earlier.lines[0]
    assert made[-1].text.startswith("**Costs:**")


FAQ = "### Is it safe?\n\nIt holds.\n\n### Who has a key?\n\nThat is a matter of trust. Keys are numbered."


def test_what_refers_back_to_its_heading_comes_with_it_and_with_nothing_of_another_section() -> None:
    made = claims("a matter of trust", article(FAQ, "a:faq"), best="That is", max_sentences=1)

    assert [claim.text for claim in made] == ["**Who has a key?**\n\nThat is a matter of trust."]


@pytest.mark.parametrize("sentence", ["Please do not do it: it ends the offer.", "Don't do that. It costs."])
def test_advice_against_it_says_against_what(sentence: str) -> None:
    made = claims("end", article(f"### They ask you to end\n\n{sentence}", "a:end"), best=sentence[:6], max_sentences=1)

    assert made[0].text.startswith("**They ask you to end:**\n\n")


def test_no_further_section_only_points_elsewhere() -> None:
    found = units(evidence("post", COSTS, article("## Times\n\nUse this article for times.", "s:times")).hits)

    made = compose([Scored(found[0], 4, 4), Scored(found[1], 3.5, 3.5)], found, Generate())

    assert [claim.text for claim in made] == ["Post is free above EUR 50."]


def test_what_is_said_in_one_case_stands_under_its_case() -> None:
    body = "## You have no phone\n\nAsk support to look at your papers.\n\n## How it works\n\nCodes last a minute."

    assert claims("ask support papers", article(body))[0].text.startswith("**You have no phone:**\n\nAsk")
    assert claims("codes last a minute", article(body))[0].text == "Codes last a minute."


def test_sentences_of_several_sections_stand_under_their_headings() -> None:
    body = "## Add one\n\nA language is a draft at first.\n\n## Remove one\n\nA language is gone at once."

    made = claims("a language is", article(body))

    assert [claim.text for claim in made] == [
        "**Add one:**\n\nA language is a draft at first.",
        "**Remove one:**\n\nA language is gone at once.",
    ]


@pytest.mark.parametrize("said", ["Not automatically.", "Usually not.", "Choose the small one."])
def test_what_goes_on_after_a_brief_answer_brings_it_along(said: str) -> None:
    body = f"## Is a large file slow?\n\n{said} Huge files can slow down uploads."

    made = claims("huge uploads", article(body), best="Huge", max_sentences=1)

    assert [claim.text for claim in made] == [
        f"**Is a large file slow?**\n\n{said}",
        "Huge files can slow down uploads.",
    ]


def test_what_is_to_be_done_at_once_is_quoted_in_full() -> None:
    note = "> **If you smell gas:** no flame, no switch. Open windows and leave. Call the emergency line from outside."
    body = f"{note}\n\nThe fitter comes within the hour."

    made = [claim.text for claim in claims("flame", article(body), best="flame", max_sentences=1)]
    long = article("\n".join(["> A flame is blue.", *["> Somebody says here what a burner is made of."] * 12]))

    assert made == [
        "**If you smell gas:** no flame, no switch.",
        "Open windows and leave.",
        "Call the emergency line from outside.",
    ]
    assert len(claims("flame", long, best="flame", max_sentences=1)) < 3


def test_a_remark_beside_what_was_asked_for_stays_a_sentence() -> None:
    made = claims("flame", article("> **Note:** A flame is blue. Soot is black."), best="flame", max_sentences=1)

    assert [claim.text for claim in made] == ["**Note:** A flame is blue."]
