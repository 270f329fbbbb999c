"""The retention policy: which offer is made to whom, and what a wrong file says."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest

from handrail.answer.policy import Policy, RetentionOffer, load_policy
from handrail.errors import SettingsError
from handrail.settings import load_settings
from handrail.text.contacts import without_contacts
from handrail.types import Exchange, Routing

PAUSE = RetentionOffer(id="pause", text="You can pause your plan.", when=("cancel", "too expensive"), unless=("fraud",))


@pytest.fixture
def policy() -> Policy:
    return Policy(offer=(PAUSE,))


@pytest.mark.parametrize(
    "text",
    [
        "cancel my plan",
        "I'm CANCELLING today",
        "cancellation, please",
        "Your prices are just too expensive!",
        "I can't cancel my plan anywhere, help",
        "why won't it let me cancel",
    ],
)
def test_an_offer_is_made_for_every_form_of_its_words(policy: Policy, text: str) -> None:
    assert policy.offer_for(text) is PAUSE


@pytest.mark.parametrize(
    "text",
    [
        "how do I add a seat",
        "that was expensive, and it is too late",
        "I don't want to cancel, only to move my renewal",
        "I am not planning to cancel",
        "Cancel it, this charge is fraud",
        "",
    ],
)
def test_no_offer_where_nobody_wants_to_leave_or_something_worse_is_up(policy: Policy, text: str) -> None:
    assert policy.offer_for(text) is None


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("I am ill", True),
        ("we dont need it", True),
        ("we don’t need it", True),
        ("I'll send a photo", False),
        ("we're asking how it's done", False),
        ("I'd like a receipt", False),
    ],
)
def test_an_apostrophe_makes_no_other_word_of_a_keyword(text: str, made: bool) -> None:
    policy = Policy(offer=(PAUSE.model_copy(update={"when": ("ill", "id", "were", "don't need")}),))

    assert (policy.offer_for(text) is not None) is made


def test_an_offer_for_a_plan_needs_the_plan_to_be_known() -> None:
    policy = Policy(offer=(PAUSE.model_copy(update={"plan": ("Solo",), "region": ("EU",)}),))

    assert policy.offer_for("cancel") is None
    assert policy.offer_for("cancel", {"plan": "solo"}) is None
    assert policy.offer_for("cancel", {"plan": "Business", "region": "EU"}) is None
    assert policy.offer_for("cancel", {"plan": "solo", "region": "eu"}) is not None


def test_the_operators_order_decides_between_offers() -> None:
    other = PAUSE.model_copy(update={"id": "downgrade"})

    policy = Policy(offer=(other, PAUSE))

    assert policy.offer_for("cancel") is other
    assert policy.offers_for("cancel") == [other, PAUSE]


def test_what_the_conversation_has_heard_is_not_offered_again() -> None:
    other = RetentionOffer(id="discount", text="You can have a discount.", when=("cancel",))
    heard = Exchange("cancel", "cancel", f"I see.\n\n{PAUSE.text}\n\nA person can help.", Routing.HIGH_STAKES)
    policy = Policy(offer=(PAUSE, other))

    assert policy.offer_for("cancel", {}) == PAUSE
    assert policy.offer_for("cancel", {}, (heard,)) == other
    assert Policy(offer=(PAUSE,)).offer_for("cancel it", {}, (heard,)) is None


def test_an_offer_is_known_without_its_telephone_number() -> None:
    call = PAUSE.model_copy(update={"text": "Call 0800 555 0140 and pause your plan."})
    heard = Exchange("cancel", "cancel", f"I see.\n\n{without_contacts(call.text)}", Routing.HIGH_STAKES)

    assert "0140" not in heard.answer
    assert Policy(offer=(call,)).offer_for("cancel", {}, (heard,)) is None


def test_without_a_file_no_offer_is_ever_made() -> None:
    assert load_policy(None).offer_for("I want to cancel my plan now") is None


def test_the_sample_policy_offers_a_pause_in_the_words_of_the_file() -> None:
    path = Path(str(files("handrail") / "sample" / "policy.toml"))

    offer = load_policy(path).offer_for("I want to cancel my Solo plan")

    assert offer is not None
    assert "EUR 3 a month" in offer.text
    assert offer.text in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "text",
    [
        "someone hacked me, cancel my plan",
        "cancel it and refund the last payment",
        "I was charged after I cancelled",
        "I don't want to pause, I want to cancel",
        "i dont want to pause, cancel my plan",
        "cancel it or I'll sue",
    ],
)
def test_the_sample_policy_makes_no_offer_to_somebody_with_a_grievance(text: str) -> None:
    path = Path(str(files("handrail") / "sample" / "policy.toml"))

    assert load_policy(path).offer_for(text) is None


@pytest.mark.parametrize(
    ("toml", "complaint"),
    [
        ('[[offer]]\nid = "a"\nwhen = ["cancel"]', "line 1, offer 1, text (id 'a'): Field required"),
        ('[[offer]]\nid = "a"\ntext = "You can pause."\nwhen = []', "offer 1 (id 'a'): Value error, name the messages"),
        ('[[offer]]\nid = "A b"\ntext = "You can pause."\nwhen = ["x y"]', "offer 1, id"),
        ('[[offer]]\nid = "a"\ntext = "You can pause."\nwhen = ["cancel"]\nwhenever = 1', "offer 1, whenever"),
        (
            '# ours\n[[refund]]\nid = "a"\ntext = "You can pause."\nwords = ["cancel"]\n'
            'when = { tenure_months = { min = "x" } }',
            "line 2, refund 1, when.tenure_months.min (id 'a'): Input should be a valid number",
        ),
        (
            '[[offer]]\nid = "a"\ntext = "You can pause."\nwords = ["cancel"]\nwhen = { tenure = 6 }',
            "line 1, offer 1, when.tenure (id 'a'): Extra inputs",
        ),
        (
            '[[offer]]\nid = "a"\ntext = "You can pause."\nwords = ["cancel"]\n'
            "when = { tenure_months = { min = 9, max = 6 } }",
            "min 9 is above max 6",
        ),
        (
            '[[offer]]\nid = "a"\ntext = "You can pause."\nwords = ["cancel"]\nwhen = { tenure_months = {} }',
            "give min, max or both",
        ),
        ('[[offer]]\nid = "a"\ntext = "You can pause."\nwhen = { plan = ["Solo"] }', "name the messages it answers"),
        (
            '[[offer]]\nid = "a"\ntext = "You can pause."\nwords = ["cancel"]\nwhen = {}\nplan = ["Solo"]',
            "plan and region",
        ),
        ("[offers]", "offers: Extra inputs"),
        ("[[offer]", "not readable TOML"),
    ],
)
def test_a_wrong_file_is_refused_with_its_name_and_key(tmp_path: Path, toml: str, complaint: str) -> None:
    path = tmp_path / "retention.toml"
    path.write_text(toml, encoding="utf-8")

    with pytest.raises(SettingsError) as caught:
        load_policy(path)

    assert complaint in str(caught.value)
    assert "retention.toml" in str(caught.value)
    assert "high_stakes.policy_file" in str(caught.value)


def test_two_offers_cannot_share_an_id(tmp_path: Path) -> None:
    path = tmp_path / "retention.toml"
    path.write_text('[[offer]]\nid = "a"\ntext = "You can pause."\nwhen = ["cancel"]\n' * 2, encoding="utf-8")

    with pytest.raises(SettingsError, match="two entries have the id 'a'"):
        load_policy(path)


def test_a_missing_file_names_the_setting(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"high_stakes\.policy_file"):
        load_policy(tmp_path / "none.toml")


LOYAL = """
[[offer]]
id = "loyal"
text = "Long-standing customers get two months free."
words = ["cancel"]
when = { plan = ["Studio", "Team"], tenure_months = { min = 6, max = 60 }, region = ["EU"] }

[[refund]]
id = "eu"
text = "Within 14 days of the purchase you can withdraw from it."
words = ["refund", "money back"]
unless = ["fraud"]
when = { region = ["EU"] }
"""
KNOWN: dict[str, str | float] = {"plan": "studio", "tenure_months": 6, "region": "eu"}


@pytest.fixture
def loyal(tmp_path: Path) -> Policy:
    path = tmp_path / "policy.toml"
    path.write_text(LOYAL, encoding="utf-8")
    return load_policy(path)


def test_an_offer_is_made_where_all_conditions_are_known_to_hold(loyal: Policy) -> None:
    assert loyal.conditional
    assert loyal.offer_for("cancel it", KNOWN) is loyal.offer[0]
    assert loyal.offer_for("cancel it", KNOWN | {"tenure_months": 60.0}) is loyal.offer[0]


@pytest.mark.parametrize(
    "context",
    [
        {},
        {"plan": "Studio", "region": "EU"},
        {"tenure_months": 12, "region": "EU"},
        KNOWN | {"plan": "Solo"},
        KNOWN | {"plan": ""},
        KNOWN | {"tenure_months": 5.99},
        KNOWN | {"tenure_months": 61},
        KNOWN | {"tenure_months": "12"},
        KNOWN | {"tenure_months": True},
        KNOWN | {"tenure_months": float("nan")},
        KNOWN | {"region": "US"},
    ],
)
def test_what_is_not_known_does_not_hold(loyal: Policy, context: dict[str, str | float]) -> None:
    assert loyal.offer_for("cancel it", context) is None


def test_refund_wording_is_said_word_for_word_where_it_applies(loyal: Policy) -> None:
    said = loyal.said("I want a refund", KNOWN, None)

    assert said == "Within 14 days of the purchase you can withdraw from it."
    assert loyal.said("I want a refund", {"region": "US"}, None) is None
    assert loyal.said("a refund, this is fraud", KNOWN, None) is None
    assert loyal.said("cancel it", KNOWN, loyal.offer[0]) == loyal.offer[0].text
    assert loyal.said("cancel and refund", KNOWN, loyal.offer[0]) == f"{said}\n\n{loyal.offer[0].text}"
    assert Policy().said("refund", KNOWN, None) is None


def test_a_policy_without_conditions_asks_nobody_who_the_customer_is() -> None:
    assert not Policy(offer=(PAUSE,)).conditional
    assert Policy(offer=(PAUSE.model_copy(update={"plan": ("Solo",)}),)).conditional


def test_offers_of_the_sample_help_centre_are_made_with_its_articles_alone() -> None:
    sample, acme = load_settings(environ={}), load_settings(environ={}, kb="acme")

    assert load_policy(sample.high_stakes.policy_file).offer
    assert load_policy(acme.high_stakes.policy_file) == Policy()
