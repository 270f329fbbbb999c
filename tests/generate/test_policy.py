"""The retention policy: which offer is made to whom, and what a wrong file says."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest

from handrail.errors import SettingsError
from handrail.generate.policy import Policy, RetentionOffer, load_policy

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
        "cancel it or I'll sue",
    ],
)
def test_the_sample_policy_makes_no_offer_to_somebody_with_a_grievance(text: str) -> None:
    path = Path(str(files("handrail") / "sample" / "policy.toml"))

    assert load_policy(path).offer_for(text) is None


@pytest.mark.parametrize(
    ("toml", "complaint"),
    [
        ('[[offer]]\nid = "a"\nwhen = ["cancel"]', "offer 1, text: Field required"),
        ('[[offer]]\nid = "a"\ntext = "You can pause."\nwhen = []', "offer 1, when"),
        ('[[offer]]\nid = "A b"\ntext = "You can pause."\nwhen = ["x y"]', "offer 1, id"),
        ('[[offer]]\nid = "a"\ntext = "You can pause."\nwhen = ["cancel"]\nwhenever = 1', "offer 1, whenever"),
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

    with pytest.raises(SettingsError, match="two offers have the id 'a'"):
        load_policy(path)


def test_a_missing_file_names_the_setting(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"high_stakes\.policy_file"):
        load_policy(tmp_path / "none.toml")
