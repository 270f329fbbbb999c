"""A company's own profile is made of five answers and its articles, and nothing of the sample is in it."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from handrail.assembly import profile
from handrail.assembly.profile import Answers, Proposal
from handrail.errors import SettingsError
from handrail.knowledge import Article
from handrail.settings import Brand, Settings, public

LARCHFIELD = Path(__file__).parent / "larchfield"
SAID = {
    "company": "Larchfield Tool Library",
    "offers": "Tools to borrow, and workshops to learn how to use them.",
    "articles": str(LARCHFIELD),
    "languages": ["en", "cy"],
    "person": "shed@larchfield.example",
}


def answers(**more: object) -> Answers:
    return profile.answers_from({**SAID, **more})


def article(title: str, section: str = "") -> Article:
    return Article(title, title, "Text.", "", {"section": section} if section else {})


def test_topics_are_the_sections_and_starters_come_from_each_in_turn() -> None:
    found = profile.proposed(answers())

    assert found.articles == 8
    assert set(found.topics) == {"Borrowing", "Membership", "Workshops"}
    assert found.topics[0] == "Borrowing"
    assert set(found.starters) == {
        "How do I borrow a tool?",
        "How do I cancel my library card?",
        "How do I book a workshop?",
    }


def test_a_title_that_makes_no_sure_question_is_no_starter() -> None:
    assert profile.starters_of([article("What to do when a tool breaks"), article("Opening hours")], "en") == ()


def test_articles_without_sections_are_topics_themselves() -> None:
    long = "Everything there is to know about the ways in which a tool may be returned"

    assert profile.topics_of([article("Returns"), article(long), article("Fees")]) == ("Returns", "Fees")
    assert profile.topics_of([article("a", "guides/getting-started"), article("b", "fees")]) == (
        "Getting started",
        "Fees",
    )


def test_two_starters_never_ask_the_same() -> None:
    found = profile.starters_of(
        [article("Cancel a booking"), article("Cancel your booking"), article("Get a card")], "en"
    )

    assert len(found) == 2


def test_articles_for_agents_are_not_proposed(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("---\ntitle: Reset a card\naudience: agents\n---\nOnly for us.")
    (tmp_path / "b.md").write_text("---\ntitle: Get a card\n---\nFor everyone.")

    found = profile.proposed(answers(articles=str(tmp_path)))

    assert "Reset" not in repr(found)
    assert "Get a card" in found.topics


def test_an_address_that_cannot_be_read_proposes_nothing_and_says_why() -> None:
    found = profile.proposed(answers(articles="http://127.0.0.1:9/help"))

    assert (found.topics, found.starters, found.articles) == ((), (), 0)
    assert found.problem


@pytest.mark.parametrize("person", ["nobody", "shed@larchfield.example", "https://larchfield.example/contact"])
@pytest.mark.parametrize("where", [str(LARCHFIELD), "https://help.larchfield.example/en"])
def test_the_file_is_valid_says_what_was_answered_and_only_that(tmp_path: Path, where: str, person: str) -> None:
    said = answers(articles=where, person=person, company='Larchfield "Shed" \\ Söhne')
    proposal = Proposal(("Borrowing",), ("How do I borrow a tool?",), 1)

    values = tomllib.loads(profile.config_text(said, profile.settings_of(said, proposal, tmp_path)))

    brand = values["brand"]
    assert (brand["name"], brand["topics"]) == (said.company, ["Borrowing"])
    assert list(public.problems(Settings.model_validate(values))) == []
    assert values["server"] == {"demo_mode": False, "public": True}
    assert values["sources"] == [{"kind": "site" if said.site else "folder", "where": where}]
    assert brand.get("link_hosts", []) == (["help.larchfield.example"] if said.site else [])
    assert ("person_available" in brand) == (person == "nobody")
    assert person == "nobody" or person in brand["person_expectation"]
    assert not any(value == getattr(Brand(), key) for key, value in brand.items())


def test_a_folder_inside_that_of_the_settings_is_named_from_there(tmp_path: Path) -> None:
    said = answers(articles=str(tmp_path / "acme" / "help"))

    assert profile.settings_of(said, Proposal(), tmp_path / "acme")["sources"][0]["where"] == "help"


@pytest.mark.parametrize(
    ("company", "name"),
    [("Acme & Söhne GmbH", "acme-sohne-gmbh"), ("sample", "help"), ("東京", "help"), ("A" * 50, "a" * 40)],
)
def test_a_knowledge_base_is_named_after_the_company_and_never_after_the_sample(company: str, name: str) -> None:
    assert profile.kb_name(company) == name


def test_secrets_are_long_new_each_time_and_never_replaced() -> None:
    first, second = profile.env_text("", signed=False), profile.env_text("", signed=False)
    values = [line.partition("=")[2] for line in first.splitlines() if not line.startswith("#")]

    assert len(set(values)) == len(profile.SECRETS)
    assert all(len(value) >= 32 for value in values)
    assert not set(values) & set(second.split("="))
    assert profile.env_text(first, signed=False) == first
    assert "HANDRAIL__DESK__SECRET" not in profile.env_text("", signed=True)


@pytest.mark.parametrize(
    "wrong", [{"company": ""}, {"offers": "two\nlines"}, {"languages": ["English please"]}, {"colour": "red"}]
)
def test_a_wrong_answer_is_named(wrong: dict[str, object]) -> None:
    with pytest.raises(SettingsError, match=next(iter(wrong))):
        answers(**wrong)
