"""Titles and headings as questions."""

from __future__ import annotations

import pytest

from handrail.answer.suggest.phrasing import LONGEST, asked


@pytest.mark.parametrize(
    ("title", "question"),
    [
        ("Add mailboxes to your domain", "How do I add mailboxes to my domain?"),
        ("How to export data", "How do I export data?"),
        ("How the free trial works", "How does the free trial work?"),
        ("My calendar is not syncing", "What can I do when my calendar is not syncing?"),
        ("Certificate pending (TW-3004)", "What does TW-3004 mean?"),
        ("Import errors (TW-4009)", "What does TW-4009 mean?"),
        ("Payment methods for your plan", "How do payment methods for my plan work?"),
        ("Payout schedule", "How does the payout schedule work?"),
        ("Apple Pay and Google Pay", "How do Apple Pay and Google Pay work?"),
        ("Ending a contract", "How do I end a contract?"),
        ("Moving your shop to another plan", "How do I move my shop to another plan?"),
        ("Stopping all reminders", "How do I stop all reminders?"),
        ("Sending us a parcel", "How do I send you a parcel?"),
        ("Moving house", "How does moving house work?"),
        ("Shipping to the US", "How does shipping to the US work?"),
        ("Opening hours", "How do opening hours work?"),
        ("What is Tillwick?", "What is Tillwick?"),
        ("Errors at checkout", None),
        ("Locked out of your account", None),
        ("Your first booking", None),
        ("", None),
        ("?", None),
    ],
)
def test_a_title_becomes_what_a_visitor_would_ask(title: str, question: str | None) -> None:
    assert asked(title, "en", title=True) == question


@pytest.mark.parametrize(
    ("heading", "question"),
    [
        ("Who can refund?", "Who can refund?"),
        ("Block a customer", "How do I block a customer?"),
        ("Limits", None),
        ("Before you start", None),
        ("The code has no effect", None),
        ("Who can help if it is still pending?", None),
        ("What now?", None),
        ("Why " + "very " * LONGEST + "long?", None),
    ],
)
def test_a_heading_counts_only_where_it_stands_alone(heading: str, question: str | None) -> None:
    assert asked(heading, "en") == question


@pytest.mark.parametrize(
    ("lang", "title", "question"),
    [
        ("de", "Domain verbinden", "Wie kann ich Domain verbinden?"),
        ("fr", "Connecter un domaine", "Comment connecter un domaine ?"),
        ("es", "Conectar un dominio", "¿Cómo conectar un dominio?"),
        ("pt", "Conectar um domínio", "Como conectar um domínio?"),
        ("ru", "Подключить домен", "Как подключить домен?"),
        ("ru", "Ошибки оплаты", None),
        ("ar", "كيف أربط نطاقي؟", "كيف أربط نطاقي؟"),
        ("ar", "ربط النطاق", None),
    ],
)
def test_other_languages_ask_in_their_own_words(lang: str, title: str, question: str | None) -> None:
    assert asked(title, lang, title=True) == question
