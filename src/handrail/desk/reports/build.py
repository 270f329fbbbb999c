"""From counts to reports. The definitions, in words, stand in `docs/reports.md`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import partial

from handrail.desk.drift.daily import last_whole_day
from handrail.desk.drift.line import fall, points
from handrail.desk.drift.watch import grades_until
from handrail.desk.reports import Cell, Report, Row
from handrail.desk.reports.cost import cost
from handrail.desk.reports.forecast import Budget
from handrail.desk.reports.period import Period, day_of
from handrail.records.reports import ReportRecords

TOP_ARTICLES = 50
SCORES = (1, 2, 3, 4, 5)
GOOD = 4

Build = Callable[[ReportRecords, Period, float], Awaitable[Report]]


async def volume(records: ReportRecords, period: Period, now: float) -> Report:
    counts = await records.volume(period)
    began = {day_of(day): n for day, n in await records.conversations(period)}
    rows: list[Row] = [
        {"day": day_of(day).isoformat(), "routing": routing, "class": label, "turns": n}
        for day, routing, label, n in sorted(counts)
    ]
    figures: dict[str, Cell | Mapping[str, Cell]] = {
        "turns": sum(n for *_, n in counts),
        "conversations": sum(began.values()),
        "by_routing": _totals((routing, n) for _, routing, _, n in counts),
        "by_class": _totals((label, n) for *_, label, n in counts),
        "conversations_by_day": {day.isoformat(): began.get(day, 0) for day in period.days},
    }
    n = sum(n for *_, n in counts) + sum(began.values())
    return Report("volume", period, figures, ("day", "routing", "class", "turns"), rows, n)


async def deflection(records: ReportRecords, period: Period, now: float) -> Report:
    days = await records.deflection(period, now)
    names = ("started", "not_yet", "unknown", "asked", "returned", "deflected", "answered")
    totals = {name: sum(getattr(day, name) for day in days) for name in names}
    counted = totals["asked"] + totals["returned"] + totals["deflected"]
    rows: list[Row] = [
        {
            "day": day_of(day.day).isoformat(),
            "started": day.started,
            "not_yet_counted": day.not_yet,
            "visitor_unknown": day.unknown,
            "counted": day.asked + day.returned + day.deflected,
            "asked_for_a_person": day.asked,
            "came_back": day.returned,
            "deflected": day.deflected,
            "deflected_with_an_answer": day.answered,
            "rate": _share(day.deflected, day.asked + day.returned + day.deflected),
        }
        for day in days
    ]
    figures: dict[str, Cell | Mapping[str, Cell]] = {
        "rate": _share(totals["deflected"], counted),
        "rate_with_an_answer": _share(totals["answered"], counted),
        "counted": counted,
        "deflected": totals["deflected"],
        "deflected_with_an_answer": totals["answered"],
        "asked_for_a_person": totals["asked"],
        "came_back": totals["returned"],
        "not_yet_counted": totals["not_yet"],
        "visitor_unknown": totals["unknown"],
    }
    notes = []
    if totals["not_yet"]:
        notes.append(f"{totals['not_yet']} conversations are younger than 72 hours and not yet counted.")
    if totals["unknown"]:
        notes.append(f"{totals['unknown']} conversations had no visitor id, so nobody can say whether they came back.")
    columns = (
        "day", "started", "not_yet_counted", "visitor_unknown", "counted", "asked_for_a_person", "came_back",
        "deflected", "deflected_with_an_answer", "rate",
    )  # fmt: skip
    return Report("deflection", period, figures, columns, rows, totals["started"], notes)


async def times(records: ReportRecords, period: Period, now: float) -> Report:
    requests = await records.times(period)
    names = ("taken", "first_response", "resolution")
    figures: dict[str, Cell | Mapping[str, Cell]] = {
        name: _spread([row[place] for row in requests]) for place, name in enumerate(names, start=1)
    }
    figures["requests"] = len(requests)
    figures["waiting"] = sum(row[4] for row in requests)
    rows: list[Row] = []
    for day in sorted({row[0] for row in requests}):
        of_day = [row for row in requests if row[0] == day]
        cells: dict[str, Cell] = {"day": day_of(day).isoformat(), "requests": len(of_day)}
        for place, name in enumerate(names, start=1):
            spread = _spread([row[place] for row in of_day])
            cells |= {f"{name}_{key}": value for key, value in spread.items()}
        rows.append(cells)
    columns = ("day", "requests", *(f"{name}_{key}" for name in names for key in ("n", "median_s", "p90_s")))
    notes = ["Times run day and night; they are not business hours."] if requests else []
    return Report("times", period, figures, columns, rows, len(requests), notes)


async def csat(records: ReportRecords, period: Period, now: float) -> Report:
    scores, resolved = await records.csat(period)
    n = sum(scores.values())
    rows: list[Row] = [
        {"score": score, "answers": scores.get(score, 0), "share": _share(scores.get(score, 0), n)} for score in SCORES
    ]
    figures: dict[str, Cell | Mapping[str, Cell]] = {
        "n": n,
        "mean": round(sum(score * count for score, count in scores.items()) / n, 3) if n else None,
        "satisfied": _share(scores.get(4, 0) + scores.get(5, 0), n),
        "resolved": resolved,
        "response_rate": _share(n, resolved),
        "distribution": {str(score): scores.get(score, 0) for score in SCORES},
    }
    return Report("csat", period, figures, ("score", "answers", "share"), rows if n else (), resolved)


async def articles(records: ReportRecords, period: Period, now: float) -> Report:
    found = await records.articles(period, TOP_ARTICLES)
    rows: list[Row] = [
        {"article_id": id_, "title": title, "url": url, "cited": cited, "thumbs_up": up, "thumbs_down": down}
        for id_, title, url, cited, up, down in found
    ]
    figures: dict[str, Cell | Mapping[str, Cell]] = {"articles": len(rows), "cited": sum(row[3] for row in found)}
    columns = ("article_id", "title", "url", "cited", "thumbs_up", "thumbs_down")
    notes = [f"The {TOP_ARTICLES} most cited articles."] if len(rows) == TOP_ARTICLES else []
    return Report("articles", period, figures, columns, rows, len(rows), notes)


async def refusals(records: ReportRecords, period: Period, now: float) -> Report:
    counts, turns = await records.refusals(period)
    refused = sum(n for *_, n in counts)
    rows: list[Row] = [
        {"reason": reason, "routing": routing, "turns": n, "share": _share(n, refused)}
        for reason, routing, n in sorted(counts, key=lambda row: (-row[2], row[0], row[1]))
    ]
    figures: dict[str, Cell | Mapping[str, Cell]] = {
        "refused": refused,
        "turns": turns,
        "rate": _share(refused, turns),
        "by_reason": _totals((reason, n) for reason, _, n in counts),
    }
    return Report("refusals", period, figures, ("reason", "routing", "turns", "share"), rows, refused)


async def grades(records: ReportRecords, period: Period, now: float) -> Report:
    graded = await records.grades(period)
    of_visitors = [one.grade for one in graded if one.sample == "production"]
    n = len(of_visitors)
    figures: dict[str, Cell | Mapping[str, Cell]] = {
        "mean": round(sum(of_visitors) / n, 3) if n else None,
        "good": _share(sum(grade >= GOOD for grade in of_visitors), n),
        "graded": n,
        "by_judge": sum(one.by == "judge" for one in graded if one.sample == "production"),
        "by_people": sum(one.by == "person" for one in graded if one.sample == "production"),
        "of_golden_set": len(graded) - n,
    }
    rows: list[Row] = [asdict(point) for point in points(graded)]
    judges = sorted({one.who for one in graded if one.by == "judge"})
    yesterday = last_whole_day(period.zone, now)
    fallen = fall(await grades_until(records, yesterday, period.zone), yesterday)
    notes = [fallen.says] if fallen else []
    if judges:
        notes.append(f"Judge: {', '.join(judges)}. A judge's grades compare only with its own.")
    columns = ("day", "sample", "by", "n", "mean", "low", "high")
    return Report("grades", period, figures, columns, rows, len(graded), notes)


REPORTS: Mapping[str, Build] = {
    "volume": volume,
    "deflection": deflection,
    "times": times,
    "csat": csat,
    "articles": articles,
    "refusals": refusals,
    "cost": cost,
    "grades": grades,
}
"""All but `gaps`, which needs the local encoder."""


def reports(budget: Budget | None) -> Mapping[str, Build]:
    """The same, with the cost held against a budget."""
    return {**REPORTS, "cost": partial(cost, budget=budget)}


def quantile(values: Sequence[float], share: float) -> float:
    """Linear interpolation between the two nearest values of a sorted, non-empty sequence, as numpy's default."""
    place = (len(values) - 1) * share
    low = int(place)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (place - low)


def _spread(seconds: Sequence[float | None]) -> dict[str, Cell]:
    known = sorted(value for value in seconds if value is not None)
    if not known:
        return {"n": 0, "median_s": None, "p90_s": None}
    return {
        "n": len(known),
        "median_s": round(quantile(known, 0.5), 1),
        "p90_s": round(quantile(known, 0.9), 1),
    }


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def _totals(pairs: Iterable[tuple[str, int]]) -> dict[str, Cell]:
    """The largest first."""
    totals: dict[str, int] = {}
    for name, n in pairs:
        totals[name] = totals.get(name, 0) + n
    ordered: dict[str, Cell] = {}
    for name in sorted(totals, key=lambda name: (-totals[name], name)):
        ordered[name] = totals[name]
    return ordered
