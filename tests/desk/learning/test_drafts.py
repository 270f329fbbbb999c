"""Drafts of articles out of conversations."""

from __future__ import annotations

import frontmatter
import pytest

from handrail.desk.learning.drafts import DraftError, ExtractiveDrafter, Spoken, as_markdown, checked

ASKED = "Hello, how can I pay for my plan by bank transfer? I'm Ana Lopez, ana@example.org"
STEPS = """Bank transfer is available on yearly plans.
1. Open **Billing**.
2. Choose **Payment method**.
3. Select **Bank transfer**.
I have refunded your last payment. Is there anything else?

Best regards,
Maria"""
TALK = [
    Spoken("visitor", "hi"),
    Spoken("visitor", ASKED, "Ana Lopez"),
    Spoken("agent", "Hi Ana,\nLet me check that for you.", "Maria Weber"),
    Spoken("agent", STEPS, "Maria Weber"),
    Spoken("visitor", "thanks, my account number is 48213-77"),
    Spoken("agent", "You're welcome! Have a nice day."),
]


@pytest.mark.anyio
async def test_the_agents_words_become_an_article() -> None:
    draft = await ExtractiveDrafter().draft(TALK, "en")

    assert draft.title == "How can I pay for my plan by bank transfer?"
    assert draft.body == (
        "Bank transfer is available on yearly plans.\n\n"
        "1. Open **Billing**.\n2. Choose **Payment method**.\n3. Select **Bank transfer**."
    )


@pytest.mark.anyio
async def test_nobody_is_named_in_it() -> None:
    more = Spoken("agent", "Ana, as Maria said, mail ana@example.org or call +1 555 010 9999 for the form.")

    draft = await ExtractiveDrafter().draft([*TALK, more], "en")

    assert not [word for word in ("Ana", "Maria", "example.org", "555") if word in draft.title + draft.body]


@pytest.mark.anyio
@pytest.mark.parametrize("talk", [[], TALK[:2], [*TALK[:3], TALK[5]]])
async def test_without_an_answer_by_a_person_there_is_no_draft(talk: list[Spoken]) -> None:
    with pytest.raises(DraftError):
        await ExtractiveDrafter().draft(talk, "en")


def test_the_file_says_who_made_it_and_survives_hostile_titles() -> None:
    title = 'Why: "quotes" # and --- rules?'
    body = "---\nnot: front matter\n---\nBody"

    post = frontmatter.loads(as_markdown(title, body, lang="en", machine_made=True, made_by="x", conversation=None))

    assert post["machine_made"] is True
    assert post["title"] == title
    assert post.content.startswith("---")


@pytest.mark.parametrize(("title", "body"), [("", "b"), ("t" * 200, "b"), ("t", " \n"), ("t", "b" * 60_000)])
def test_what_a_person_sends_is_checked(title: str, body: str) -> None:
    with pytest.raises(DraftError):
        checked(title, body)
