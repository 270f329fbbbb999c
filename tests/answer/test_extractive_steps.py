"""When steps are quoted, which ones, and when not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.generate.answering import Scorer, answer, scorer_of, texts
from tests.generate.articles import DOMAIN, evidence
from tests.knowledge.articles import article

pytestmark = pytest.mark.anyio


async def test_a_question_how_is_answered_with_steps(scorer: Scorer) -> None:
    draft = await answer(scorer, evidence("how do i check the connection", DOMAIN))

    assert texts(draft)[-5:-3] == [
        "**Check the connection:**\n\n1. Return to **Settings > Domains**.",
        "2. Select **Check now**.",
    ]
    assert draft.provider == "extractive"
    assert draft.model is None


async def test_who_only_names_what_an_article_is_about_is_told_how_to_begin() -> None:
    knows = scorer_of({"Show it": 3.0, "Write it": 1.0})
    body = "## Write\n\n1. Write it.\n2. Save it.\n\n## Show\n\n1. Show it.\n2. Save it."
    blog = article(body, title="Write a blog")

    named = await answer(knows, evidence("add a blog", blog, merge=0))
    asked = await answer(knows, evidence("add a blog to the home page", blog, merge=0))
    knows.close()

    assert texts(named)[0].endswith("1. Write it.")
    assert texts(asked)[0].endswith("1. Show it.")


@pytest.mark.parametrize("asked", ["when do I get my payouts", "how long do payouts take", "do you have payouts"])
async def test_who_asks_when_is_not_told_how_to_begin(asked: str) -> None:
    knows = scorer_of({"every Friday": 3.0, "Choose": 1.0})
    body = "## Change the account\n\n1. Choose the account.\n2. Save it.\n\n## Days\n\nMoney is sent every Friday."

    draft = await answer(knows, evidence(asked, article(body, title="Payouts"), merge=0))
    knows.close()

    assert texts(draft)[0].endswith("Money is sent every Friday.")


@pytest.mark.parametrize(
    ("asked", "first"),
    [
        ("a customer wants her money back", "1. Open the order."),
        ("how do I give all of a payment back to somebody", "1. Open the order."),
        ("can I give a part of it back", "You can give back all or a part."),
        ("how much can I give back", "You can give back all or a part."),
    ],
)
async def test_who_does_not_ask_for_a_fact_is_told_how_to_begin_and_not_how_the_article_does(
    asked: str, first: str
) -> None:
    knows = scorer_of({"all or a part": 3.0, "Open": 1.0})
    body = "You can give back all or a part.\n\n## Give it back\n\n1. Open the order.\n2. Save it."

    draft = await answer(knows, evidence(asked, article(body, title="Refund a customer"), merge=0))
    knows.close()

    assert texts(draft)[0].endswith(first)


async def test_trouble_with_what_an_article_is_about_begins_with_its_first_procedure() -> None:
    knows = scorer_of({"Mail": 3.0, "Compare": 1.0})
    body = "## Check\n\n1. Compare the records.\n2. Compare again.\n\n## Mail\n\n1. Mail stopped.\n2. Mail again."
    trouble = article(body, title="My domain does not connect")

    named = await answer(knows, evidence("domain not working", trouble, merge=0))
    part = await answer(
        knows, evidence("domain not working", replace(trouble, title="Move a domain between two firms"))
    )
    knows.close()

    assert texts(named) == ["**Check:**\n\n1. Compare the records.", "2. Compare again."]
    assert texts(part)[0] == texts(named)[0]
    assert "Mail stopped." in " ".join(texts(part))


async def test_who_names_an_article_is_told_the_procedure_that_has_his_words() -> None:
    knows = scorer_of({"Ask for a link": 3.0, "Enter the old one": 3.0})
    forgotten = "## Reset a password\n\n1. Ask for a link.\n2. Save."
    known = "## Change a password\n\n1. Enter the old one.\n2. Save."
    passwords = article(f"{forgotten}\n\n{known}", title="Your password")

    change = await answer(knows, evidence("change my password", passwords, merge=0))
    trouble = await answer(knows, evidence("password problems", passwords, merge=0))
    knows.close()

    assert texts(change)[0].endswith("1. Enter the old one.")
    assert texts(trouble)[0].endswith("1. Ask for a link.")


@pytest.mark.parametrize(
    ("asked", "first"),
    [
        ("can I hide a page", "1. Open the page."),
        ("how do I hide a page", "1. Open the page."),
        ("when is a page hidden", "The page stays open to visitors."),
    ],
)
async def test_steps_come_before_what_is_said_beside_them(asked: str, first: str) -> None:
    knows = scorer_of({"stays open": 4.0, "Open the page": 2.5})
    body = "## Hide it from everybody\n\n1. Open the page.\n2. Hide it.\n\nThe page stays open to visitors."

    draft = await answer(knows, evidence(asked, article(body, title="Menus of a site"), merge=0))
    knows.close()

    assert texts(draft)[0].endswith(first)


async def test_steps_lead_their_section_when_another_one_is_quoted_first() -> None:
    knows = scorer_of({"Check that": 5.0, "stays open": 3.0, "Open the page": 2.5})
    shown = "## My site is not found. What can I do?\n\nCheck that it is published."
    hidden = "## Hide it from everybody\n\n1. Open the page.\n2. Open the page again.\n\nThe page stays open."
    body = f"{shown}\n\n{hidden}"

    draft = await answer(knows, evidence("can I hide a page", article(body, title="Menus of a site"), merge=0))
    knows.close()

    assert any("1. Open the page." in text for text in texts(draft))


@pytest.mark.parametrize(
    ("asked", "first"),
    [
        ("how do I add a second language", "1. Add it."),
        ("how do I change the language of my site", "1. Change it."),
        ("why can't I change the language of my site", "1. Repair it."),
    ],
)
async def test_the_heading_that_says_what_is_wanted_comes_first(asked: str, first: str) -> None:
    knows = scorer_of({"Change it": 3.2, "Add it": 3.0, "Repair it": 5.0})
    change = "## Change the main language\n\n1. Change it.\n2. Save."
    add = "## Add a language\n\n1. Add it.\n2. Save."
    trouble = "## The language cannot be changed\n\n1. Repair it.\n2. Save."
    languages = article(f"{change}\n\n{add}\n\n{trouble}", title="A site for everybody")

    draft = await answer(knows, evidence(asked, languages, merge=0))
    knows.close()

    assert texts(draft)[0].endswith(first)


async def test_a_title_that_says_what_is_wanted_and_of_what_begins_with_its_first_procedure() -> None:
    knows = scorer_of({"Short text": 3.0, "Open the editor": -1.0})
    build = "## Build it\n\n1. Open the editor.\n2. Save."
    fields = "## Fields\n\n| Field | Use |\n| --- | --- |\n| Short text | Name |"
    forms = article(f"{build}\n\n{fields}", title="Add a form to your website")

    wanted = await answer(knows, evidence("add a contact form", forms, merge=0))
    asked = await answer(knows, evidence("which fields does a form have", forms, merge=0))
    knows.close()

    assert texts(wanted)[0].endswith("1. Open the editor.")
    assert "Short text" in texts(asked)[0]


async def test_who_wants_something_done_is_not_told_whether_something_else_may_be() -> None:
    knows = scorer_of({"twice": 2.0, "Drag": 0.0})
    policy = article(
        "## Is moving an appointment also limited?\n\nCustomers can move it twice.", title="Policy", id_="p"
    )
    booking = article("## In the calendar\n\n1. Drag the booking.\n2. Save it.", title="Reschedule a booking", id_="r")

    draft = await answer(knows, evidence("my client wants to move her appointment", policy, booking, merge=0))
    asked = await answer(knows, evidence("is moving an appointment limited", policy, booking, merge=0))
    knows.close()

    assert texts(draft)[0].endswith("1. Drag the booking.")
    assert texts(asked)[0].endswith("Customers can move it twice.")


async def test_who_cannot_do_something_is_told_what_helps_and_not_how_it_is_done() -> None:
    knows = scorer_of({"cash": 1.0, "parts": 0.5})
    ways = article("Pay in cash at any shop near you.", title="Ways to pay", id_="w")
    helps = article("A bill can be paid in parts.", title="If you cannot pay", id_="h")

    unable = await answer(knows, evidence("i cannot pay the bill", ways, helps, merge=0))
    able = await answer(knows, evidence("how can i pay the bill", ways, helps, merge=0))
    knows.close()

    assert "parts" in texts(unable)[0]
    assert "cash" in texts(able)[0]


async def test_who_names_a_section_is_not_told_another_ones_steps() -> None:
    knows = scorer_of({"shortest notice": 3.0, "Confirm": -3.0})
    body = (
        "## Confirm by hand\n\n1. Confirm it.\n2. Save it.\n\n## Lead time\n\nIt is the shortest notice of a booking."
    )

    draft = await answer(
        knows, evidence("booking lead time", article(body, title="Booking rules and lead time"), merge=0)
    )
    knows.close()

    assert "shortest notice" in texts(draft)[0]
