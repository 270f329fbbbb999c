"""What language models cost: by day, model and conversation, and for the month."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from zoneinfo import ZoneInfo

from handrail.desk.reports import Cell, Report, Row
from handrail.desk.reports.forecast import DAYS, LEAST_DAYS, Budget, forecast, month_of
from handrail.desk.reports.period import Period, day_of
from handrail.records.reports import ReportRecords, Sums

TOP_CONVERSATIONS = 10


async def cost(records: ReportRecords, period: Period, now: float, budget: Budget | None = None) -> Report:
    days, models = await records.cost(period), await records.cost_by_model(period)
    turns, dollars, read, written = _total(days)
    rows: list[Row] = [{"day": day_of(day).isoformat(), **_spent(sums)} for day, sums in sorted(days)]
    talks, of_talks = await records.cost_of_conversations(period)
    figures: dict[str, Cell | Mapping[str, Cell]] = {
        "cost_usd": round(dollars, 6),
        "per_turn_usd": round(dollars / turns, 6) if turns else None,
        "per_conversation_usd": round(of_talks / talks, 6) if talks else None,
        "turns": turns,
        "input_tokens": read,
        "output_tokens": written,
    }
    notes = ["By the prices in the settings; without prices, or without a language model, it is 0."] if turns else []
    month, said = await _month(records, period.zone, now, budget)
    _, _, read_by_models, written_by_models = _total(models)
    if unknown := read + written - read_by_models - written_by_models:
        notes.append(f"{unknown} tokens of messages before an upgrade are in no model's row.")
    talk_rows: list[Row] = [
        {"conversation": id_, **_spent(sums)} for id_, sums in await records.dearest(period, TOP_CONVERSATIONS)
    ]
    if len(talk_rows) == TOP_CONVERSATIONS:
        notes.append(f"Of conversations, the {TOP_CONVERSATIONS} that cost most are listed.")
    columns = ("day", "turns", "cost_usd", "input_tokens", "output_tokens")
    model_rows: list[Row] = [{"model": name, **_spent(sums)} for name, sums in models]
    told = [*notes, *said] if turns else []
    return Report(
        "cost",
        period,
        {**figures, **month},
        columns,
        rows,
        turns,
        told,
        {"model": model_rows, "conversation": talk_rows},
    )


async def _month(
    records: ReportRecords, zone: ZoneInfo, now: float, budget: Budget | None
) -> tuple[dict[str, Cell], list[str]]:
    """Figures of the month at hand, whatever range is asked for, and what they rest on."""
    month, first = month_of(now, zone), await records.first_turn(zone)
    since = month.first - timedelta(days=DAYS)
    spent = {day_of(day): usd for day, (_, usd, *_) in await records.cost(Period(since, month.last, zone))}
    found = forecast(spent, first, now, zone)
    most = budget.usd_per_day * len(month.days) if budget is not None else None
    figures: dict[str, Cell] = {
        "month_to_date_usd": round(found.so_far, 6),
        "month_forecast_usd": _rounded(found.expected),
        "month_forecast_low_usd": _rounded(found.low),
        "month_forecast_high_usd": _rounded(found.high),
        "month_budget_usd": _rounded(most),
    }
    notes = [
        f"Forecast for {month.first:%B %Y}: spent so far, and the mean of the last {found.days} whole days for the "
        "rest. The range is a 95 % prediction interval, if days go on as these did."
        if found.expected is not None
        else f"No forecast yet: it needs {LEAST_DAYS} whole days of messages, and there are {found.days}."
    ]
    if budget is None:
        notes.append(
            "No budget is set. limits.global_usd_per_day, or a daily limit of questions and llm.turn_max_usd together, "
            "bound a day's cost."
        )
    else:
        notes.append(f"Budget: what the settings allow at most, {budget.told}.")
    return figures, notes


def _total(parts: Iterable[tuple[object, Sums]]) -> Sums:
    turns, usd, read, written = 0, 0.0, 0, 0
    for _, sums in parts:
        turns, usd, read, written = turns + sums[0], usd + sums[1], read + sums[2], written + sums[3]
    return turns, usd, read, written


def _spent(sums: Sums) -> dict[str, Cell]:
    turns, usd, read, written = sums
    return {"turns": turns, "cost_usd": round(usd, 6), "input_tokens": read, "output_tokens": written}


def _rounded(usd: float | None) -> float | None:
    return None if usd is None else round(usd, 6)
