"""Who only names what an article is about is told how to begin, with the procedure that is meant."""

from __future__ import annotations

from handrail.answer.first_steps import begun
from handrail.answer.quoting import Scored
from handrail.answer.units import units
from handrail.knowledge import Article
from tests.generate.articles import evidence
from tests.knowledge.articles import article

DOMAIN = article(
    "Your e-mail keeps working.\n\n## Before you start\n\n1. Write down the records.\n2. Publish the site.\n\n"
    "## Add the domain\n\n1. Open **Domains**.\n2. Enter its name.",
    "a:domain",
    title="Connect a domain",
)
REMINDERS = article(
    "Reminders go to customers.\n\n## Change the e-mail reminder\n\n1. Open **Reminders**.\n2. Choose the time of the "
    "reminder.\n\n## Turn on SMS\n\n1. Open **Reminders**.\n2. Turn on **SMS reminder**.",
    "a:reminders",
    title="Reminders by e-mail and SMS",
)


def first(query: str, about: Article) -> str:
    found = units(evidence(query, about, merge=0).hits)
    return begun(query, [Scored(unit, 4 - place, 2) for place, unit in enumerate(found)], found)[0].unit.headings[-1]


def test_the_first_procedure_is_not_what_prepares_for_it() -> None:
    assert first("how do I connect my domain", DOMAIN) == "Add the domain"


def test_of_two_things_in_the_title_the_one_that_was_named() -> None:
    assert first("set up sms reminders", REMINDERS) == "Turn on SMS"
    assert first("set up reminders", REMINDERS) == "Change the e-mail reminder"
