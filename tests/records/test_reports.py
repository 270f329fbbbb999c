"""Figures of reports against conversations that were made for them, in each database."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from handrail.desk.reports.build import REPORTS, reports
from handrail.desk.reports.forecast import Budget
from handrail.desk.reports.period import Period, period
from handrail.records.database import Database
from handrail.records.facts import FactRecords
from handrail.records.reports import ReportRecords
from handrail.records.visitors import VisitorRecords
from tests.records.talks import TENANT, evidence, store, talk, thumb

pytestmark = pytest.mark.anyio

BERLIN = "Europe/Berlin"
HOUR = 3600.0
DAY = 24 * HOUR


def at(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(BERLIN)).timestamp()


NOW = at("2026-11-20 12:00")
NOVEMBER = period("2026-11-01", "2026-11-20", BERLIN, NOW)


async def report(
    database: Database, name: str, when: Period = NOVEMBER, tenant: str = TENANT, budget: Budget | None = None
) -> dict[str, object]:
    await FactRecords(database, tenant).draw()
    built = await reports(budget)[name](ReportRecords(database, tenant), when, NOW)
    return {**built.figures, "rows": list(built.rows), "n": built.n, "notes": list(built.notes), **built.breakdowns}


def asked(input_tokens: int, cost_usd: float, **models: tuple[int, float]) -> dict[str, object]:
    """What a turn's evidence says it took, and what of it each model."""
    parts = {name: _took(*given) for name, given in models.items()}
    return {**_took(input_tokens, cost_usd), **({"models": parts} if models else {})}


def _took(input_tokens: int, cost_usd: float) -> dict[str, object]:
    return {"tokens": {"input": input_tokens, "output": 1}, "cost_usd": cost_usd}


async def test_turns_are_counted_on_the_tenants_own_day(database: Database) -> None:
    late, early = at("2026-11-03 23:59:59"), at("2026-11-04 00:00:00")
    await store(database, talk("a", late), evidence("a", late), evidence("a", early, "cannot_answer"))

    found = await report(database, "volume")

    assert found["rows"] == [
        {"day": "2026-11-03", "routing": "answered", "class": "answerable", "turns": 1},
        {"day": "2026-11-04", "routing": "cannot_answer", "class": "answerable", "turns": 1},
    ]
    assert found["conversations"] == 1


async def test_the_day_the_clocks_go_back_has_25_hours(database: Database) -> None:
    first = at("2026-10-25 00:00:00")
    moments = [first, first + 24.9 * HOUR, first + 25 * HOUR]
    await store(database, talk("a", first), *(evidence("a", moment) for moment in moments))

    found = await report(database, "volume", period("2026-10-20", "2026-10-30", BERLIN, NOW))

    assert [(row["day"], row["turns"]) for row in found["rows"]] == [("2026-10-25", 2), ("2026-10-26", 1)]  # type: ignore[attr-defined]


async def test_deflection_is_strict(database: Database) -> None:
    start = at("2026-11-05 10:00")
    await store(
        database,
        talk("helped", start),
        evidence("helped", start),
        evidence("helped", start + 10 * 60),
        talk("left without an answer", start),
        evidence("left without an answer", start, "cannot_answer"),
        talk("asked", start, generation=1),
        evidence("asked", start, "high_stakes"),
        talk("came back to it", start),
        evidence("came back to it", start),
        evidence("came back to it", start + 71 * HOUR),
        talk("came back much later", start),
        evidence("came back much later", start),
        evidence("came back much later", start + 73 * HOUR),
        talk("opened another", start, visitor_id="v"),
        evidence("opened another", start),
        talk("the other", start + 5 * 60, visitor_id="v"),
        evidence("the other", start + 5 * 60),
        talk("unknown", start, visitor_id=None),
        evidence("unknown", start),
        talk("young", NOW - 71 * HOUR),
        evidence("young", NOW - 71 * HOUR),
        talk("never said a word", start),
    )

    found = await report(database, "deflection")

    assert {name: found[name] for name in found if name not in ("rows", "notes")} == {
        "rate": round(4 / 7, 4),
        "rate_with_an_answer": round(3 / 7, 4),
        "counted": 7,
        "deflected": 4,
        "deflected_with_an_answer": 3,
        "asked_for_a_person": 1,
        "came_back": 2,
        "not_yet_counted": 1,
        "visitor_unknown": 1,
        "n": 9,
    }


async def test_times_have_a_median_a_ninth_decile_and_a_count(database: Database) -> None:
    start = at("2026-11-05 10:00")
    waits = [60.0 * n for n in range(1, 11)]
    handled = [
        talk(f"t{n}", start, generation=1, state="resolved", queued_at=start, taken_at=start + wait,
             first_response_at=start + wait, resolved_at=start + 2 * wait)
        for n, wait in enumerate(waits)
    ]  # fmt: skip
    await store(database, *handled, talk("waiting", start, generation=1, state="queued", queued_at=start))

    found = await report(database, "times")

    assert found["first_response"] == {"n": 10, "median_s": 330.0, "p90_s": 546.0}
    assert found["resolution"] == {"n": 10, "median_s": 660.0, "p90_s": 1092.0}
    assert (found["requests"], found["waiting"]) == (11, 1)


async def test_csat_has_a_response_rate(database: Database) -> None:
    start = at("2026-11-05 10:00")
    scored = [talk(f"c{n}", start, resolved_at=start, csat=score) for n, score in enumerate((5, 5, 2))]
    await store(database, *scored, talk("silent", start, resolved_at=start), talk("open", start))

    found = await report(database, "csat")

    assert found["resolved"] == 4
    assert (found["mean"], found["response_rate"]) == (4.0, 0.75)
    assert found["distribution"] == {"1": 0, "2": 1, "3": 0, "4": 0, "5": 2}


async def test_articles_carry_the_thumbs_of_the_turns_that_cited_them(database: Database) -> None:
    start = at("2026-11-05 10:00")
    passages = [
        {"id": "domains:connect/2", "title": "Connect a domain", "url": "https://help.example/connect"},
        {"id": "domains:connect/3", "title": "Connect a domain", "url": "https://help.example/connect"},
        {"id": "domains:buy/1", "title": "Buy a domain", "url": "https://help.example/buy"},
    ]
    one, two = (evidence("a", start + n, passages=passages[: 3 - n]) for n in range(2))
    refused = evidence("a", start + 5, "cannot_answer", passages=passages)
    await store(database, talk("a", start), one, two, refused, thumb(one, "up"), thumb(two, "down", "wrong"))

    found = await report(database, "articles")

    assert [(r["article_id"], r["cited"], r["thumbs_up"], r["thumbs_down"]) for r in found["rows"]] == [  # type: ignore[attr-defined]
        ("domains:connect", 2, 1, 1),
        ("domains:buy", 1, 1, 0),
    ]


async def test_refusals_and_cost(database: Database) -> None:
    start = at("2026-11-05 10:00")
    await store(
        database,
        talk("a", start),
        evidence("a", start, meta={"cost_usd": 0.25, "tokens": {"input": 100, "output": 20}}),
        evidence("a", start, meta={"cost_usd": 0.5, "tokens": {"input": 10, "output": 2}}),
        evidence("a", start, "cannot_answer", refusal_reason="low_evidence"),
        evidence("a", start, "followup", refusal_reason="no_relevant_context"),
    )

    refusals, cost = await report(database, "refusals"), await report(database, "cost")

    assert (refusals["refused"], refusals["rate"]) == (2, 0.5)
    assert (cost["cost_usd"], cost["input_tokens"], cost["per_turn_usd"]) == (0.75, 110, 0.1875)


async def test_cost_is_broken_down_by_model_and_conversation(database: Database) -> None:
    start, before = at("2026-11-05 10:00"), at("2026-10-31 10:00")
    await store(
        database,
        talk("a", start),
        evidence("a", start, meta=asked(110, 0.5, large=(100, 0.4), small=(10, 0.1))),
        evidence("b", start, meta=asked(20, 0.2, small=(20, 0.2))),
        evidence("b", start, meta=asked(30, 0.3, small=(30, 0.3))),
        evidence("without a model", start, meta=asked(0, 0.0)),
        evidence("recorded by an earlier version", start, meta=asked(5, 0.05)),
        evidence("last month", before, meta=asked(99, 9.0, large=(99, 9.0))),
    )

    found = await report(database, "cost")

    assert [(row["model"], row["turns"], row["cost_usd"], row["input_tokens"]) for row in found["model"]] == [  # type: ignore[attr-defined]
        ("small", 3, 0.6, 60),
        ("large", 1, 0.4, 100),
    ]
    assert [(row["conversation"], row["turns"], row["cost_usd"]) for row in found["conversation"]] == [  # type: ignore[attr-defined]
        ("a", 1, 0.5),
        ("b", 2, 0.5),
        ("recorded by an earlier version", 1, 0.05),
    ]
    assert found["per_conversation_usd"] == round(1.05 / 4, 6)
    assert any("before an upgrade" in note for note in found["notes"])  # type: ignore[attr-defined]


async def test_a_deleted_conversation_is_in_the_sums_and_on_no_list(database: Database) -> None:
    start = at("2026-11-05 10:00")
    await store(database, talk("gone", start), evidence("gone", start, meta=asked(10, 0.5, large=(10, 0.5))))
    await report(database, "cost")
    await VisitorRecords(database, TENANT).delete("visitor-of-gone")

    found = await report(database, "cost")

    assert (found["cost_usd"], found["per_conversation_usd"], found["conversation"]) == (0.5, None, [])


async def test_the_month_is_forecast_whatever_range_is_asked_for_and_held_against_the_budget(
    database: Database,
) -> None:
    days = [evidence("a", at(f"2026-11-{day:02} 10:00"), meta=asked(1, 2.0, m=(1, 2.0))) for day in range(2, 20)]
    await store(database, talk("a", at("2026-11-02 10:00")), *days)
    one_day = period("2026-11-05", "2026-11-05", BERLIN, NOW)

    found = await report(database, "cost", one_day, budget=Budget(5.0, "$5 a day"))

    assert (found["cost_usd"], found["month_to_date_usd"]) == (2.0, 36.0)
    assert found["month_forecast_usd"] == 36.0 + 2.0 * 10.5  # from noon of the 20th to the end of the 30th
    assert found["month_forecast_low_usd"] == found["month_forecast_high_usd"] == found["month_forecast_usd"]
    assert found["month_budget_usd"] == 5.0 * 30
    assert (await report(database, "cost"))["month_budget_usd"] is None
    assert any("No budget is set" in note for note in (await report(database, "cost"))["notes"])  # type: ignore[attr-defined]


async def test_empty_reports_say_so_and_no_tenant_sees_anothers(database: Database) -> None:
    start = at("2026-11-05 10:00")
    await store(database, talk("a", start, queued_at=start, resolved_at=start, generation=1), evidence("a", start))

    for name in REPORTS:
        found = await report(database, name, tenant="another")
        assert found["n"] == 0, name
        assert not found["rows"], name


async def test_figures_outlive_the_words_they_were_drawn_from(database: Database) -> None:
    start = at("2026-11-05 10:00")
    turn = evidence("a", start)
    await store(database, talk("a", start), turn)
    facts = FactRecords(database, TENANT)

    assert (await facts.draw(), await facts.draw()) == (1, 0)
    async with database.transaction() as session:
        await session.delete(await session.merge(turn))

    assert (await report(database, "volume"))["turns"] == 1
