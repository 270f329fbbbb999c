"""Reports, gaps and drafts as the desk's API gives them."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

Json = dict[str, Any]

DAYS = [(date.today() - timedelta(days=13 - n)).isoformat() for n in range(14)]
ROUTINGS = ("answered", "low_confidence", "cannot_answer", "high_stakes", "handed_off")


def _report(name: str, figures: Json, rows: list[Json]) -> Json:
    columns = list(rows[0]) if rows else []
    return {
        "name": name,
        "from": DAYS[0],
        "to": DAYS[-1],
        "figures": figures,
        "columns": columns,
        "rows": rows,
        "n": len(rows),
        "notes": [],
    }


REPORTS: dict[str, Json] = {
    "volume": _report(
        "volume",
        {"turns": 812, "conversations": 344},
        [
            {
                "day": day,
                "routing": routing,
                "class": "high_stakes" if k == 3 else "answerable",
                "turns": 28 - 5 * k + (i * 7 + k) % 9,
            }
            for i, day in enumerate(DAYS)
            for k, routing in enumerate(ROUTINGS)
        ],
    ),
    "deflection": _report(
        "deflection",
        {"rate": 0.61, "rate_with_an_answer": 0.55, "counted": 290, "asked_for_a_person": 70, "came_back": 43},
        [
            {"day": day, "counted": 20 + i, "deflected": 12 + i % 4, "rate": 0.5 + (i % 5) * 0.06}
            for i, day in enumerate(DAYS)
        ],
    ),
    "times": _report(
        "times",
        {
            "requests": 70,
            "waiting": 3,
            "first_response": {"n": 67, "median_s": 140, "p90_s": 600},
            "resolution": {"n": 60, "median_s": 2400, "p90_s": 9000},
        },
        [
            {
                "day": day,
                "requests": 5,
                "first_response_median_s": 100 + 20 * (i % 4),
                "resolution_median_s": 1500 + 300 * (i % 6),
            }
            for i, day in enumerate(DAYS)
        ],
    ),
    "csat": _report(
        "csat",
        {"n": 41, "mean": 4.2, "satisfied": 0.78, "resolved": 60, "response_rate": 0.68},
        [{"score": n, "answers": (2, 3, 4, 12, 20)[n - 1], "share": 0.2} for n in range(1, 6)],
    ),
    "grades": _report(
        "grades",
        {"mean": 4.1, "good": 0.8, "graded": 280, "by_judge": 210, "by_people": 70, "of_golden_set": 40},
        [
            {
                "day": day,
                "sample": sample,
                "by": by,
                "n": 20,
                "mean": 4 - k / 2 + (i % 4) / 10,
                "low": 3.6 - k / 2,
                "high": None if i == 3 else 4.5 - k / 2,
            }
            for i, day in enumerate(DAYS)
            for k, (sample, by) in enumerate((("production", "judge"), ("production", "person"), ("golden", "judge")))
        ],
    ),
    "doubts": _report(
        "doubts",
        {"answers": 1, "contradicted": 1, "thumb_down": 1, "repeated": 0},
        [
            {
                "question": "When is a refund paid?",
                "signs": "contradicted thumb_down",
                "confidence": 0.97,
                "articles": "billing:refunds",
                "asked": f"{DAYS[-1]} 09:30",
                "conversation": "c1",
            }
        ],
    ),
    "gaps": _report("gaps", {}, []),
    "articles": _report(
        "articles",
        {"articles": 1, "cited": 51},
        [
            {
                "title": "Cancel or pause your plan",
                "url": "https://help.tillwick.example/billing/cancel",
                "cited": 51,
                "thumbs_up": 9,
                "thumbs_down": 2,
            }
        ],
    ),
    "refusals": _report(
        "refusals",
        {"refused": 60, "rate": 0.07, "by_reason": {"no_relevant_context": 40, "low_evidence": 20}},
        [{"reason": "no_relevant_context", "routing": "cannot_answer", "turns": 40, "share": 0.67}],
    ),
    "cost": {
        **_report(
            "cost",
            {
                "cost_usd": 4.2,
                "per_turn_usd": 0.005,
                "turns": 812,
                "month_to_date_usd": 6.5,
                "month_forecast_usd": 9.1,
                "month_forecast_low_usd": 8.4,
                "month_forecast_high_usd": 9.8,
                "month_budget_usd": None,
            },
            [{"day": day, "turns": 58, "cost_usd": 0.3, "input_tokens": 90, "output_tokens": 9} for day in DAYS],
        ),
        "notes": ["No budget is set."],
        "breakdowns": {
            "model": [{"model": "large-1", "turns": 812, "cost_usd": 4.2, "input_tokens": 1260, "output_tokens": 126}],
            "conversation": [
                {"conversation": "c1", "turns": 9, "cost_usd": 0.4, "input_tokens": 120, "output_tokens": 20}
            ],
        },
    },
}

GAPS: list[Json] = [
    {
        "id": "g1",
        "question": "Do you ship to Norway?",
        "questions": 9,
        "visitors": 8,
        "verdict": "missing",
        "samples": ["Do you ship to Norway?", "Shipping to Scandinavia?"],
        "reasons": {"no_relevant_context": 9},
        "nearest": [{"title": "Shipping zones", "url": "https://help.tillwick.example/store/zones", "distance": 0.41}],
    }
]
DRAFTS: list[Json] = [
    {
        "id": "d1",
        "title": "Moving a deposit",
        "machine_made": True,
        "body": "Open the booking and choose Move.",
        "status": "proposed",
        "created_at": 1790000000.0,
    }
]

HOSTILE = '<img src=x onerror="document.title=1"> [here](javascript:alert(1))'


def _graded(n: int, **values: Any) -> Json:
    return {
        "turn_id": f"turn-{n}",
        "conversation_id": f"talk-{n}",
        "question": f"Question {n}?",
        "before": [],
        "answer": f"Answer {n} [1].",
        "routing": "answered",
        "passages": [{"title": "Cancel or pause your plan", "url": "https://help.tillwick.example/billing/cancel"}],
        "closest": [],
        "at": 1_800_000_000.0 + n,
        "case": False,
        "grades": {},
        **values,
    }


GRADES: list[Json] = [
    _graded(1, grades={"judge": {"grade": 2, "who": "wise", "note": ""}}, before=["And how do I cancel it?"]),
    _graded(2, question=HOSTILE, answer=HOSTILE, passages=[{"title": HOSTILE, "url": "javascript:alert(1)"}]),
    _graded(3, grades={"person": {"grade": 4, "who": "u1", "note": None}}),
    *(_graded(n) for n in range(4, 30)),
]
FALL: Json = {"says": "The grades of answers to visitors have fallen. Mean of the 7 days to 2026-11-27: 3.61 (n 540)."}
CASES: list[Json] = [
    {
        "id": "case-1",
        "format": "refusal",
        "status": "proposed",
        "question": "Do you ship to Norway?",
        "should_refuse": True,
        "article_ids": [],
        "source": "thumb",
        "why": "wrong",
        "created_at": 1_800_000_000.0,
    },
    {
        "id": "case-2",
        "format": "retrieval",
        "status": "proposed",
        "question": "Where do I change my plan, and what does it cost when I do so in the middle of a month?",
        "should_refuse": None,
        "article_ids": ["billing/change-your-plan-in-the-middle-of-a-month-with-proration"],
        "source": "agent",
        "why": None,
        "created_at": 1_800_000_000.0,
    },
]
LETTERS: list[Json] = [
    {
        "id": f"letter-{n}",
        "channel": channel,
        "target": target,
        "attempts": 8,
        "error": "the receiver answered 503",
        "created_at": 1_800_000_000.0,
        "state": "dead",
    }
    for n, (channel, target) in enumerate((("webhook", "alerts.example.net"), ("mail", "team@example.net")))
]
AUDIT: list[Json] = [
    {
        "id": "a1",
        "user": {"id": "u1", "name": "Mira"},
        "action": "take",
        "target": "0f9a7c7c2a1b4d6e8f0a1b2c3d4e5f60",
        "detail": {"version": 2},
        "at": 1_800_000_000.0,
    },
    {
        "id": "a2",
        "user": None,
        "action": "sign_in_failed",
        "target": "mira@example.com",
        "detail": None,
        "at": 1_799_999_000.0,
    },
]
NOW: Json = {
    "state": "closed",
    "online": [{"id": "u2", "name": "Ayla"}],
    "told": "Our team is away at the moment. We are back Monday, 09:00 (CET).",
    "opens_at": "2030-01-07T09:00:00+01:00",
    "wait_s": 240.0,
    "wait_most_s": 900.0,
    "time_zone": "Europe/Berlin",
    "week": ["09:00-17:00", "09:00-17:00", "09:00-17:00", "09:00-17:00", "09:00-12:00", "", ""],
    "holidays": [{"date": "2030-01-06", "hours": ""}],
}
