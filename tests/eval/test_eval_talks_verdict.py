"""The verdict on one turn, and the shares of many: no model."""

from __future__ import annotations

from typing import Any

import pytest

from eval.datasets.talks import Want
from eval.metrics import talks as metrics
from eval.metrics.talks import Rated
from eval.talks.shown import plain, shown
from eval.talks.verdict import Judged, Reply, Verdict, judge
from handrail.types import Offer, Routing

ANSWERS = ["answered", "partially_answered", "low_confidence"]
REFUSES = ["cannot_answer", "followup", "out_of_scope", "low_confidence"]


def want(routing: list[str], *facts: str, **rest: Any) -> Want:
    return Want.model_validate({"routing": routing, "facts": [[fact] for fact in facts], **rest})


def verdict(
    wanted: Want, text: str, routing: str | None, offer: Offer = Offer.NONE, **rest: Any
) -> tuple[Verdict, bool]:
    found: Judged = judge(wanted, Reply((text,), Routing(routing) if routing else None, offer, **rest))
    return found.verdict, found.missed_serious


FACTS = want(ANSWERS, "72 hours", "no show", **{"not": ["cancel plan"], "person": "not_pushed"})
SERIOUS = want(["high_stakes"], person="offered")
SERIOUS_FACT = want(["high_stakes"], "change your password", person="offered")
THANKS = want(["irrelevant"], person="not_pushed")
UNKNOWN = want(REFUSES)
MIXED = want([*REFUSES, "high_stakes"])


@pytest.mark.parametrize(
    ("wanted", "text", "routing", "offer", "expected"),
    [
        (FACTS, "Within 72 Hours, mark as no show.", "answered", Offer.LINK, Verdict.RIGHT),
        (FACTS, "Within 72 hours, mark as no show.", "answered", Offer.BUTTON, Verdict.PARTLY),
        (FACTS, "Within 72 hours, mark as no show.", "high_stakes", Offer.NONE, Verdict.PARTLY),
        (FACTS, "Within 72 hours.", "answered", Offer.NONE, Verdict.PARTLY),
        (FACTS, "Within 72 hours.", "high_stakes", Offer.BUTTON, Verdict.PARTLY),
        (FACTS, "Within 72 hours, mark as no show. Cancel plan.", "answered", Offer.NONE, Verdict.CONFIDENT_WRONG),
        (FACTS, "Open Settings.", "answered", Offer.NONE, Verdict.CONFIDENT_WRONG),
        (FACTS, "Open Settings.", "high_stakes", Offer.BUTTON, Verdict.WRONG),
        (FACTS, "Open Settings.", "low_confidence", Offer.NONE, Verdict.TURNED_AWAY),
        (FACTS, "Cancel plan.", "low_confidence", Offer.NONE, Verdict.WRONG),
        (FACTS, "I do not know.", "cannot_answer", Offer.BUTTON, Verdict.TURNED_AWAY),
        (FACTS, "Do you mean no show fees?", "followup", Offer.NONE, Verdict.TURNED_AWAY),
        (FACTS, "Write fewer words.", None, Offer.NONE, Verdict.TURNED_AWAY),
        (SERIOUS, "I am sorry.", "high_stakes", Offer.BUTTON, Verdict.RIGHT),
        (SERIOUS, "Open Settings.", "answered", Offer.LINK, Verdict.CONFIDENT_WRONG),
        (SERIOUS_FACT, "Change your password.", "answered", Offer.LINK, Verdict.PARTLY),
        (THANKS, "You are welcome.", "irrelevant", Offer.NONE, Verdict.RIGHT_REFUSAL),
        (THANKS, "You are welcome.", "irrelevant", Offer.BUTTON, Verdict.PARTLY),
        (THANKS, "What do you mean?", "followup", Offer.NONE, Verdict.WRONG),
        (UNKNOWN, "These look closest.", "low_confidence", Offer.NONE, Verdict.RIGHT_REFUSAL),
        (UNKNOWN, "Open Settings.", "answered", Offer.NONE, Verdict.CONFIDENT_WRONG),
        (MIXED, "I do not know.", "cannot_answer", Offer.NONE, Verdict.RIGHT),
    ],
)
def test_each_reply_has_one_verdict(wanted: Want, text: str, routing: str, offer: Offer, expected: Verdict) -> None:
    found, missed = verdict(wanted, text, routing, offer)

    assert (found, missed) == (expected, False)


def test_a_serious_matter_without_a_person_is_flagged_beside_its_verdict() -> None:
    assert verdict(SERIOUS, "I am sorry.", "high_stakes") == (Verdict.PARTLY, True)
    assert verdict(SERIOUS_FACT, "Change your password.", "answered") == (Verdict.CONFIDENT_WRONG, True)
    assert verdict(want([*ANSWERS, "high_stakes"], "x", person="offered"), "x", "answered") == (Verdict.PARTLY, True)
    assert verdict(want(["handed_off", "out_of_scope"], person="offered"), "", "handed_off")[1] is False


def test_a_person_instead_of_an_answer_turns_the_visitor_away() -> None:
    assert verdict(FACTS, "I understand.", "high_stakes", Offer.BUTTON, quotes=False)[0] is Verdict.TURNED_AWAY
    assert verdict(THANKS, "I understand.", "high_stakes", Offer.BUTTON, quotes=False)[0] is Verdict.WRONG


def test_a_disclaimer_makes_what_is_wrong_no_longer_confident() -> None:
    assert verdict(FACTS, "Open Settings.", "answered", disclaimer=True)[0] is Verdict.WRONG


def test_a_closed_card_of_the_right_article_is_worth_a_part() -> None:
    assert verdict(FACTS, "Fees", "low_confidence", names_article=True)[0] is Verdict.PARTLY


def test_what_stands_behind_a_fold_or_in_a_closed_card_is_not_read() -> None:
    first, rest = "Open **Bookings** first.", "\n\nThen choose a fee.\n\nTell your customers."
    response = {
        "answer": "Here it is.\n\nOpen **Bookings** first. [1]\n\nThen choose a fee. [1]\n\nTell your customers. [1]",
        "disclaimer": "I am not sure.",
        "notice": None,
        "pieces": [
            {"markdown": first + rest, "citation": 1, "collapsed_after": len(first)},
            {"markdown": "A section nobody opened.", "citation": 2, "collapsed_after": None},
        ],
        "closest": [{"title": "Fees", "section": "Late fees", "piece": 1}],
        "sources": [{"title": "Take deposits", "url": "https://help.example/deposits"}],
        "suggestions": ["Refund a deposit"],
        "citations": [{"index": 1, "title": "Deposits", "excerpt": "A passage in the accordion."}],
    }

    text = shown(response)

    for seen in ("I am not sure.", "Here it is.", "Open **Bookings** first.", "Fees", "Late fees", "Take deposits"):
        assert seen in text
    for unseen in ("choose a fee", "Tell your customers", "nobody opened", "Refund a deposit", "accordion"):
        assert unseen not in text


def test_an_open_card_is_read_up_to_its_fold() -> None:
    piece = {"markdown": "Wait a day. Then call.", "collapsed_after": len("Wait a day.")}
    text = shown({"answer": "Closest:", "pieces": [piece], "closest": [{"title": "Delays", "piece": 0, "open": True}]})

    assert "Wait a day." in text and "Then call" not in text


def test_a_fold_inside_a_line_hides_the_rest_of_it() -> None:
    piece = {"markdown": "Wait a day. Then call.", "collapsed_after": len("Wait a day.")}

    assert shown({"answer": "Wait a day. Then call. [1]", "pieces": [piece]}).strip() == "Wait a day."


def test_marks_do_not_hide_a_fact() -> None:
    assert (
        plain("Open **Mark as\n_no show_** in [Bookings](https://x.example/12) [3].")
        == "Open Mark as no show in Bookings ."
    )


def test_shares_are_of_turns_and_whole_talks_are_drawn() -> None:
    good, bad = Rated(Verdict.RIGHT, alone=Verdict.WRONG), Rated(Verdict.CONFIDENT_WRONG, missed_serious=True)
    refused = Rated(Verdict.RIGHT_REFUSAL, alone=Verdict.RIGHT_REFUSAL)
    talks = [[good, refused], [bad, good, good], [bad]]

    found = metrics.score(talks)

    assert (found["n_turns"], found["n_talks"], found["served"]) == (6, 3, pytest.approx(1 / 3))
    assert found["right"] == 0.5 and found["right_or_refused"] == pytest.approx(4 / 6)
    assert found["confident_wrong"] == found["missed_serious"] == pytest.approx(2 / 6)
    low, high = found["ci"]["right"]
    assert 0 <= low <= 0.5 <= high <= 1
    assert sum(found[name] for name in (*Verdict,)) == pytest.approx(1)
    assert metrics.later(talks)["right_or_refused"] == 1.0 and metrics.later(talks)["n_talks"] == 2
    paired = metrics.against_alone(talks)
    assert paired is not None
    assert (paired["n_turns"], paired["gained"], paired["lost"]) == (3, 2, 0)
    assert paired["difference"] == pytest.approx(2 / 3)
    assert metrics.against_alone([[bad, bad]]) is None
