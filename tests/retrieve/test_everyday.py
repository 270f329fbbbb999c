"""Everyday words of a question read as the words that the articles have."""

from __future__ import annotations

import numpy as np
import pytest

from handrail.retrieve.everyday import LONGEST, EverydayWords, Line, shipped
from handrail.stores import snapshot as snapshots
from handrail.stores.snapshot import Snapshot
from handrail.stores.tokens import words
from tests.stages import passage

TEXTS = [
    "Discount codes. Enter the discount code at checkout. Accounts of bookkeepers see invoices.",
    "Invite team members to your account. They sign in with a password; erased pages are gone.",
    "If the phone was stolen, tell us or another person. The signal is weak abroad. Annual billing.",
]
LINES = [
    Line(("coupon", "discount code"), ("coupon", "discount code")),
    Line(("coupon",), ("voucher",)),
    Line(("nicked", "got taken"), ("theft", "stolen")),
    Line(("log in", "sign in"), ("log in", "sign in")),
    Line(("accountant",), ("bookkeeper",)),
    Line(("erase",), ("delete",)),
    Line(("add staff", "add people"), ("invite a team member",)),
    Line(("e-mail",), ("letter",)),
    Line(("husband",), ("another person",)),
    Line(("pin pad box",), ("phone",)),
    Line(("quickbooks",), ("program", "accounts"), one_of_a_kind=True),
    Line(("bill", "annual", "how much"), ("price list", "annual billing"), whole=True),
]


def snapshot(lang: str = "en", texts: list[str] = TEXTS) -> Snapshot:
    made = [passage(f"a{number}/0", text, title="Help") for number, text in enumerate(texts)]
    return snapshots.build(made, np.eye(len(made), max(3, len(made)), dtype=np.float32), lang)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("how to make a coupon", "how to make a discount code"),
        ("Coupons?", "discount codes?"),
        ("COUPON and coupon", "discount code and discount code"),
        ("my phone got NICKED!!", "my phone got stolen!!"),
        ("it got taken, nicked", "it stolen, stolen"),
        ("cant log in", "cant sign in"),
        ("Is there a QuickBooks connection?", "Is there a quickbooks accounts connection?"),
        ("give my accountant access", "give my bookkeeper access"),
        ("can I add staff", "can I invite a team member"),
        ("add  people, please", "invite a team member, please"),
        ("share it with my husband", "share it with another person"),
        ("husbands of the team", "another persons of the team"),
        ("lost pin pad boxes", "lost phones"),
        ("How much?", "annual billing"),
        ("annual", "annual billing"),
    ],
)
def test_what_the_articles_lack_is_read_as_what_they_have(text: str, read: str) -> None:
    assert EverydayWords(snapshot(), LINES).read(text) == read


@pytest.mark.parametrize(
    "text",
    [
        "",
        "?!",
        "how much is the phone",
        "the discount code",
        "is a coupon a discount code",
        "where do I log, in the app",
        "log. in",
        "erase a page",
        "can I add more staff",
        "an e-mail about an invoice",
        "stolen",
        "hola, ¿cómo hago un coupon para mis clientes?",
        "coupo" + "n" * 5000,
    ],
)
def test_everything_else_stays_as_it_is(text: str) -> None:
    assert EverydayWords(snapshot(), LINES).read(text) == text


def test_articles_in_another_language_and_no_articles_change_nothing() -> None:
    assert EverydayWords(snapshot("de"), LINES).read("coupon") == "coupon"
    assert EverydayWords(snapshot(texts=[]), LINES).read("coupon") == "coupon"


def test_the_list_that_ships_is_well_formed() -> None:
    for said, meant in ((line.said, line.meant) for line in shipped()):
        assert len(set(said)) == len(said) and len(set(meant)) == len(meant), (said, meant)
        assert said == meant or set(said) != set(meant)
        assert all(term == " ".join(term.split()).lower() and words(term) for term in (*said, *meant))
        assert all(len(words(term)) <= LONGEST for term in said), said
    assert len(shipped()) > 200


def test_the_list_that_ships_serves_articles_of_any_trade() -> None:
    read = EverydayWords(snapshot()).read
    assert read("how do i make a coupon") == "how do i make a discount code"
    assert read("my phone got nicked") == "my phone got stolen"
    assert read("can my accountant log in") == "can my bookkeeper sign in"
    assert read("no bars here") == "no signal here"


def test_a_logo_of_the_company_is_not_the_visitors_own() -> None:
    there = snapshot(texts=["Solo removes Acme branding from every page. Upload a logo of your own."])
    read = EverydayWords(there, company="Acme").read
    assert read("remove the Acme logo from my site") == "remove the acme branding from my site"
    assert read("hide the powered by acme") == "hide the acme branding"
    assert read("change my logo") == "change my logo"
    assert EverydayWords(there).read("remove the Acme logo") == "remove the Acme logo"


def test_who_only_signs_up_registers_no_device() -> None:
    there = snapshot(texts=["Registering a heat pump. Setting up your account takes a code."])
    read = EverydayWords(there).read
    assert read("how do i sign up") == "set up an account"
    assert read("sign up my heat pump") == "register my heat pump"


@pytest.mark.parametrize(
    "text", ["how do I zoom in on the photo", "I paid 429 for it", "a duplicate charge", "my duplicates are wrong"]
)
def test_words_that_mean_another_thing_as_often_stay(text: str) -> None:
    read = EverydayWords(snapshot(texts=["Video calls. The rate limit of copies. Join a video call."])).read
    assert read(text) == text
