"""Conversations as the desk's API gives them."""

from __future__ import annotations

import time
from typing import Any

Json = dict[str, Any]

ME: Json = {"id": "u1", "name": "Mira", "email": "mira@tillwick.example"}
PEOPLE: list[Json] = [
    {**ME, "role": "admin", "online": True},
    {"id": "u2", "name": "Ayla", "email": "ayla@tillwick.example", "role": "agent", "online": True},
    {"id": "u3", "name": "Jonas", "email": "jonas@tillwick.example", "role": "lead", "online": False},
]
MIRA: Json = {"id": "u1", "name": "Mira"}
AYLA: Json = {"id": "u2", "name": "Ayla"}
SUBJECTS = (
    "You charged me twice and I want to cancel now",
    "The booking page shows yesterday's prices",
    "Meine Domain ist seit drei Tagen nicht verbunden",
    "How do I move a deposit to another date?",
    "Can someone look at my invoice from October?",
)
REASONS = ("visitor_request", "high_stakes", "no_relevant_context")
PASSAGES: list[Json] = [
    {
        "id": "billing:cancel/1",
        "title": "Cancel or pause your plan",
        "url": "https://help.tillwick.example/billing/cancel",
        "excerpt": "You can cancel at any time. The plan stays until the end of the paid period, then it is Free.",
        "score": 0.91,
    },
    {
        "id": "billing:charge/0",
        "title": "Why was I charged twice?",
        "url": "https://help.tillwick.example/billing/twice",
        "excerpt": "A second charge on the same day is usually a reservation that your bank releases in a few days.",
        "score": 0.64,
    },
]


def conversation(id_: str, *, at: float | None = None, place: int = 0, **fields: Any) -> Json:
    """A visitor, the assistant's answer and the hand-off. `fields` go over the item of the queue."""
    began = at if at is not None else time.time() - 240
    subject = SUBJECTS[place % len(SUBJECTS)]
    answer = "You can cancel at any time, and the plan stays until the end of the paid period [1]."
    messages: list[Json] = [
        {"author": "visitor", "text": subject, "kind": "message", "turn_id": None},
        {
            "author": "assistant",
            "text": f"**This concerns your account.** {answer}",
            "kind": "message",
            "turn_id": f"{id_}-t1",
        },
        {"author": "visitor", "text": "I want to talk to a person.", "kind": "message", "turn_id": None},
        {"author": "system", "text": "The visitor asked for a person.", "kind": "announcement", "turn_id": None},
    ]
    for i, message in enumerate(messages):
        message |= {"id": f"{id_}-{i + 1}", "seq": i + 1, "name": None, "user_id": None, "at": began - 60 + i * 15}
    item: Json = {
        "id": id_,
        "reference": f"HR-{place:05d}",
        "state": "queued",
        "label": "high_stakes" if place % 3 == 0 else "answerable",
        "reason": REASONS[place % len(REASONS)],
        "lang": "de" if place % 5 == 2 else "en",
        "subject": subject,
        "last_text": "I want to talk to a person.",
        "last_author": "visitor",
        "queued_at": began,
        "updated_at": began,
        "owner": None,
        "version": 3,
        "unread": 1,
        "generation": 1,
        "concern": None,
        "concern_turn_id": None,
        "priority": 0,
        "visitor_read_seq": 0,
        "agent_read_seq": 0,
        **fields,
    }
    turn: Json = {
        "turn_id": f"{id_}-t1",
        "question": subject,
        "routing": "high_stakes",
        "label": "high_stakes",
        "refusal_reason": None,
        "confidence": 0.87,
        "passages": PASSAGES,
        "claims": [
            {"id": "c1", "text": "You can cancel at any time.", "support": "supported", "score": 0.94},
            {"id": "c2", "text": "You will be paid back tomorrow.", "support": "unsupported", "score": 0.12},
        ],
        "meta": {},
    }
    return {
        "item": item,
        "messages": messages,
        "notes": [],
        "turns": [turn],
        "feedback": [
            {"turn_id": f"{id_}-t1", "rating": "down", "reason": "incomplete", "comment": "Says nothing about refunds"}
        ],
        "visitor": {
            "context": {"user": {"name": "Lena Ortiz"}, "plan": "Studio", "page": "/billing"},
            "email": "lena@shop.example",
            "other_conversations": [],
        },
    }
