"""What a message takes over from the conversation before it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from handrail.types import Exchange, Routing
from handrail.understand.history import (
    ALONE,
    LONGEST_PAST,
    TITLE,
    asked_last,
    carried,
    discussed,
    said_by_person,
    under_discussion,
)

ASKED = "How do I connect a domain by DNS records?"
DOMAIN = Exchange(ASKED, ASKED, "Open Settings.", Routing.ANSWERED, ("domains:dns",), ("Connect by DNS records",))
ASKED_BACK = Exchange("domain", "domain", "", Routing.FOLLOWUP)
WEATHER = Exchange("how is the weather", "how is the weather", "", Routing.IRRELEVANT)
TO_PERSON = Exchange("Can I move my waitlist?", "Can I move my waitlist?", "", Routing.HANDED_OFF, turn_id="2")
PERSON = Exchange("", "", "That needs the Business plan.", Routing.HANDED_OFF)
THANKS = Exchange("Great, thanks!", "Great, thanks!", "", Routing.HANDED_OFF, turn_id="3")


def test_nothing_was_asked_in_a_conversation_that_begins() -> None:
    assert asked_last(()) is None
    assert asked_last((PERSON,)) is None


@pytest.mark.parametrize("off_topic", [WEATHER, replace(WEATHER, routing=Routing.NONSENSE)])
def test_what_was_off_topic_counts_only_where_nothing_else_was_asked(off_topic: Exchange) -> None:
    assert asked_last((DOMAIN, off_topic)) is DOMAIN
    assert asked_last((off_topic,)) is off_topic


def test_an_article_is_under_discussion_for_two_turns() -> None:
    assert discussed((DOMAIN, ASKED_BACK)) is DOMAIN
    assert discussed((DOMAIN, ASKED_BACK, WEATHER)) is None
    assert discussed(()) is None


def test_a_follow_up_stands_behind_the_question_before_it_and_is_searched_by_itself_too() -> None:
    text, wordings = carried("and by nameservers?", DOMAIN, (DOMAIN,))

    assert text == f"{ASKED} and by nameservers?"
    assert wordings.beside == {
        "and by nameservers?": ALONE,
        "Connect by DNS records: and by nameservers?": TITLE,
    }
    assert wordings.favoured == ("domains:dns",)


def test_a_long_past_is_shortened_from_its_end_and_ends_a_sentence() -> None:
    long = " ".join(f"word{n}" for n in range(100))

    text, _ = carried("why?", replace(DOMAIN, standalone=long), ())

    assert text.startswith("word0 word1 ")
    assert text.endswith(f"word{LONGEST_PAST - 1}. why?")


def test_what_a_person_wrote_last_is_searched_for_beside_the_message() -> None:
    history = (DOMAIN, TO_PERSON, PERSON, THANKS)

    text, wordings = carried("how do I upgrade to it?", TO_PERSON, history)

    assert text == "Can I move my waitlist? how do I upgrade to it?"
    assert "That needs the Business plan. how do I upgrade to it?" in wordings.beside


def test_articles_stay_under_discussion_for_some_turns_the_latest_first() -> None:
    later = replace(DOMAIN, article_ids=("domains:transfer", "domains:dns", "domains:third"))

    assert under_discussion((DOMAIN, later, ASKED_BACK, WEATHER)) == ("domains:transfer", "domains:dns")
    assert under_discussion((DOMAIN, ASKED_BACK, ASKED_BACK, ASKED_BACK, WEATHER)) == ()


def test_what_a_person_wrote_counts_until_the_assistant_is_asked_again() -> None:
    assert said_by_person((TO_PERSON, PERSON, THANKS)) == PERSON.answer
    assert said_by_person((PERSON, DOMAIN)) == ""
