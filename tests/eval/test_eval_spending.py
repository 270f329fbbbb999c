"""What rows spend, where asking stops, and differences over the rows of two runs."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eval.beside import difference
from eval.bounds import bounded, priced
from eval.datasets import Case
from eval.evaluators.talks import TURNS_PER_LINE
from eval.journal import Journal
from eval.metrics import refusal
from eval.metrics.refusal import Judged
from eval.runner import Done, run_each
from eval.spending import Spending, Spent, outage
from eval.suites import SUITES, SuiteError, load_suite
from handrail.errors import PermanentError
from handrail.llm.kinds import Failure
from handrail.llm.meter import Bounds, metering, note, reserve, spend
from handrail.settings import Llm, Settings
from handrail.types.usage import Attempt, Usage

CASES = [Case(id=str(n), line=n) for n in range(1, 6)]


async def turn(case: Case) -> str:
    """As a turn does: a meter of its own, inside the row's."""
    with metering(Bounds(requests=3)):
        reserve()
        spend(Usage(100, 10, 0.01), "m-1")
    return case.id


async def turn_without_a_model(case: Case) -> str:
    note(Attempt("answer", "llm", "m", "failed", 1.0, Failure.UNREACHABLE))
    return case.id


def run(work: Any, spending: Spending | None, journal: Journal[str] | None = None) -> Done[Case, str]:
    return asyncio.run(run_each(CASES, work, lambda: None, journal, spending))


def test_a_row_says_what_its_turns_spent_and_tells_it_again_when_it_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    with Journal[str](path, str) as journal:
        first = run(turn, Spending(), journal)
    with Journal[str](path, str) as journal:
        spending = Spending(usd=0.0)
        second = run(turn, spending, journal)

    assert first.spent == replace(Spent(5, 500, 50), cost_usd=first.spent.cost_usd)
    assert first.spent.cost_usd == pytest.approx(0.05)
    assert second.spent == first.spent and not second.interrupted
    assert spending.spent.requests == 0


@pytest.mark.parametrize(
    ("spending", "rows"),
    [(Spending(usd=0.025), 2), (Spending(tokens=330), 3), (Spending(tokens=329), 2), (Spending(usd=0), 0)],
)
def test_no_row_is_begun_that_would_go_over(spending: Spending, rows: int) -> None:
    done = run(turn, spending)

    assert len(done.measured) == rows and done.interrupted
    assert "used up" in str(spending.stopped)


def test_a_model_that_is_away_three_times_is_left_alone_and_its_rows_are_not_measured() -> None:
    spending = Spending()

    done = run(turn_without_a_model, spending)

    assert not done.measured and len(done.unmeasured) == 3 and done.interrupted
    assert "3 rows in a row" in str(spending.stopped)


def test_a_task_that_fails_by_its_reply_counts_as_what_a_visitor_gets() -> None:
    async def chatty(case: Case) -> str:
        note(Attempt("answer", "llm", "m", "failed", 1.0, Failure.NOT_JSON))
        return case.id

    done = run(chatty, Spending())

    assert len(done.measured) == 5 and not done.interrupted
    assert done.spent.without == {"not_json": 5}
    assert outage(done.spent) is None


def test_the_last_attempt_at_a_task_counts() -> None:
    async def second_time_lucky(case: Case) -> str:
        note(Attempt("answer", "first", "m", "failed", 1.0, Failure.UNREACHABLE))
        note(Attempt("answer", "second", "m", "ok", 1.0))
        return case.id

    assert run(second_time_lucky, Spending()).spent.without == {}


def test_turns_of_a_talk_belong_together_when_differences_are_drawn() -> None:
    def rows(talks: str) -> list[dict[str, Any]]:
        return [
            {"line": (n + 1) * TURNS_PER_LINE + turn, "verdict": "right", "right_or_refused": bit == "1"}
            for n, bits in enumerate(talks.split())
            for turn, bit in enumerate(bits)
        ]

    found = difference("talks", "right_or_refused", {}, rows("0000 1111"), rows("1111 1111"))

    assert found is not None and (found.n, found.value) == (8, 0.5)
    assert found.interval == (0.0, 1.0)


def test_a_difference_is_over_the_rows_that_both_have_and_that_belong_to_the_figure() -> None:
    def row(line: int, bucket: str, *, refused: bool) -> dict[str, Any]:
        refuse = bucket != "answer"
        return {
            "line": line, "bucket": bucket, "should_refuse": refuse, "refused": refused, "correct": refused == refuse
        }  # fmt: skip

    first = [row(1, "answer", refused=True), row(2, "answer", refused=False), row(3, "vague", refused=False)]
    second = [row(1, "answer", refused=False), row(3, "vague", refused=True), row(4, "vague", refused=True)]

    answering = difference("refusal", "correct", {"bucket": "answer"}, first, second)
    recall = difference("refusal", "recall", {}, first, second)

    assert answering is not None and (answering.n, answering.value, answering.interval) == (1, 1.0, None)
    assert recall is not None and (recall.n, recall.value) == (2, 1.0)
    assert difference("refusal", "correct", {"bucket": "none"}, first, second) is None


def test_buckets_have_intervals() -> None:
    rows = [Judged(True, refused, "vague") for refused in (True, False, True)] + [Judged(False, False, "answer")] * 5

    low, high = refusal.intervals(rows)["by_bucket.vague.accuracy"] or (0, 0)

    assert low < 2 / 3 < high


def settings(url: str | None, price: float = 0.0) -> Settings:
    return Settings(llm=Llm(base_url=url, usd_per_million_input=price))


@pytest.mark.parametrize("url", ["http://127.0.0.1:8000/v1", "http://10.0.0.5/v1", "http://vllm:8000/v1"])
def test_a_server_nearby_may_be_asked_without_a_price(url: str) -> None:
    spending, notes = bounded(settings(url), 2.0, None)

    assert (spending.usd, spending.tokens) == (2.0, None)
    assert "llm.usd_per_million_input" in notes[0] and "nothing stops it" in notes[-1]
    assert bounded(settings(url), None, None)[1] == []


@pytest.mark.parametrize(
    ("price", "usd", "tokens", "why"),
    [(0.0, None, None, "--budget USD or --max-tokens N"), (0.0, 2.0, None, "can't be kept"), (1.0, None, None, "say")],
)
def test_a_provider_is_only_asked_within_a_bound(price: float, usd: float | None, tokens: int | None, why: str) -> None:
    with pytest.raises(PermanentError, match=why):
        bounded(settings("https://api.example.com/v1", price), usd, tokens)


def test_prices_or_tokens_are_a_bound() -> None:
    known = settings("https://api.example.com/v1", 1.0)

    assert priced(known) and bounded(known, 2.0, None)[1] == []
    assert "stops at 1,000 tokens" in bounded(settings("https://api.example.com/v1"), 2.0, 1000)[1][-1]


def test_the_suite_that_ships_is_whole() -> None:
    suite = load_suite(SUITES, "support")

    assert [part.name for part in suite.part] == ["talks", "MTRAG-UN", "ClapNQ", "answers", "injection"]
    assert all(part.file is None or (SUITES.parent / part.file).is_file() for part in suite.part)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('command = "talks"', 'command = "juggling"', "no command 'juggling'"),
        ('command = "talks"', 'command = "latency"', "no command 'latency' that measures rows"),
        ("right_or_refused = { row", "right_or_refused = { rows", "figures.right_or_refused.rows"),
    ],
)
def test_a_wrong_suite_says_where(tmp_path: Path, old: str, new: str, why: str) -> None:
    path = tmp_path / "suites.toml"
    path.write_text(SUITES.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")

    with pytest.raises(SuiteError, match=r"suites\.toml") as raised:
        load_suite(path, "support")

    assert why in str(raised.value)
