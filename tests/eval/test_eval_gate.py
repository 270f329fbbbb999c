"""The gate fails on a regression and not on noise; the baseline is small, renewed with a reason, and checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from eval import baseline, gate
from eval.baseline import BaselineError
from eval.gate import GateError, Gates, check, load_gates, renew
from handrail.cli.ingest import run
from handrail.knowledge.folder import Folder
from handrail.settings import Settings
from handrail.settings.paths import SAMPLE_KB
from tests.eval.files import write_lines
from tests.eval.runs_of import a_run, ranked, routed

NOW = datetime(2026, 3, 1, tzinfo=UTC)
GATES = """
alpha = 0.05
[[set]]
name = "routing"
command = "routing"
file = "routing.jsonl"
rows = 200
[set.figures]
correct = { tolerance = 0.01, worst = 0.5 }
"""


def gates_of(tmp_path: Path, text: str = GATES) -> Gates:
    (tmp_path / "gates.toml").write_text(text)
    return load_gates(tmp_path / "gates.toml")


def held_after(tmp_path: Path, before: str, now: str, **changes: Any) -> gate.Held:
    gates = gates_of(tmp_path)
    first = {"routing": a_run("first", routed(before), limit=200)}
    known = renew(gates, first, None, tmp_path / "baseline.json", "a start", NOW)
    return check(gates, {"routing": a_run("now", routed(now), limit=200, **changes)}, known, tmp_path)


def test_the_same_rows_hold(tmp_path: Path) -> None:
    held = held_after(tmp_path, "1110" * 50, "1110" * 50)

    assert not held.failed
    assert held.checks[0].verdict == "ok"


def test_a_regression_fails_and_names_its_rows(tmp_path: Path) -> None:
    held = held_after(tmp_path, "1" * 200, "1" * 188 + "0" * 12)

    assert held.failed
    assert held.checks[0].verdict == "worse"
    assert held.checks[0].difference == pytest.approx(-0.06)
    assert [line.split(":")[0] for line in held.lost["routing correct"]] == [f"r{n}" for n in range(189, 201)]


def test_noise_does_not_fail(tmp_path: Path) -> None:
    """Rows that flip both ways by chance: a hundred such runs, at most a few false alarms."""
    random = np.random.default_rng(7)
    before = random.random(200) < 0.8
    alarms = 0
    for _ in range(100):
        flips = random.random(200) < 0.04
        now = before ^ flips & (random.random(200) < np.where(before, 0.5, 1.0))
        alarms += held_after(tmp_path, _bits(before), _bits(now)).failed

    assert alarms <= 5


def _bits(values: Any) -> str:
    return "".join("1" if value else "0" for value in values)


def test_a_value_beyond_the_worst_fails_whatever_the_baseline_was(tmp_path: Path) -> None:
    held = held_after(tmp_path, "0" * 101 + "1" * 99, "0" * 101 + "1" * 99)

    assert held.checks[0].verdict == "beyond worst"
    assert held.failed


def test_a_loss_within_the_tolerance_holds_however_certain(tmp_path: Path) -> None:
    gates = gates_of(tmp_path, GATES.replace("tolerance = 0.01", "tolerance = 0.10"))
    first = {"routing": a_run("first", routed("1" * 200), limit=200)}
    known = renew(gates, first, None, tmp_path / "b.json", "a start", NOW)

    held = check(gates, {"routing": a_run("now", routed("1" * 188 + "0" * 12), limit=200)}, known, tmp_path)

    assert not held.failed


def test_graded_figures_are_tested_too(tmp_path: Path) -> None:
    text = GATES.replace("routing", "retrieval").replace("correct = { tolerance = 0.01, worst = 0.5 }", "mrr = {}")
    gates = gates_of(tmp_path, text)
    first = {"retrieval": a_run("first", ranked([1.0, 0.5] * 30), "retrieval", limit=200)}
    known = renew(gates, first, None, tmp_path / "b.json", "a start", NOW)

    def verdict(values: Sequence[float]) -> str:
        run = a_run("now", ranked(values), "retrieval", limit=200)
        return check(gates, {"retrieval": run}, known, tmp_path).checks[0].verdict

    assert verdict([1.0, 0.5] * 30) == "ok"
    assert verdict([1.0, 0.5] * 29 + [0.5, 1.0]) == "ok"
    assert verdict([1.0, 0.333] * 30) == "worse"


def test_failed_rows_and_other_files_fail(tmp_path: Path) -> None:
    rows = [*routed("1" * 199), {"id": "r200", "line": 200, "error": "no"}]
    gates = gates_of(tmp_path)
    first = {"routing": a_run("first", routed("1" * 200), limit=200)}
    known = renew(gates, first, None, tmp_path / "b.json", "a start", NOW)

    broken = check(gates, {"routing": a_run("now", rows, limit=200)}, known, tmp_path)
    other = check(gates, {"routing": a_run("now", routed("1" * 200), sha256="0" * 64, limit=200)}, known, tmp_path)
    nothing = check(gates, {"routing": a_run("now", routed("1" * 200), limit=200)}, None, tmp_path)

    assert broken.failed and "1 rows failed" in broken.problems[0]
    assert other.failed and "not the file the baseline was made of" in other.problems[0]
    assert nothing.failed and nothing.checks[0].verdict == "no baseline"


def test_renewing_keeps_the_reasons_and_takes_no_broken_run(tmp_path: Path) -> None:
    gates, path = gates_of(tmp_path), tmp_path / "b.json"
    known = renew(gates, {"routing": a_run("1", routed("1" * 200), limit=200)}, None, path, "a start", NOW)
    known = renew(gates, {"routing": a_run("2", routed("10" * 100), limit=200)}, known, path, "a price", NOW)

    read = baseline.read(path)

    assert read is not None and [entry.reason for entry in read.history] == ["a start", "a price"]
    assert read.history[1].figures == {"routing correct": 0.5}
    assert read.sets["routing"].figures["correct"] == "10" * 100
    broken = a_run("3", [*routed("1"), {"id": "x", "line": 2, "error": "no"}], limit=200)
    with pytest.raises(BaselineError, match="routing was not measured whole"):
        renew(gates, {"routing": broken}, known, path, "no", NOW)
    assert baseline.read(path) == read


def test_a_damaged_baseline_is_named(tmp_path: Path) -> None:
    (tmp_path / "b.json").write_text('{"sets": {')

    with pytest.raises(BaselineError, match=r"b\.json is damaged"):
        baseline.read(tmp_path / "b.json")
    assert baseline.read(tmp_path / "absent.json") is None


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("alpha = 0.05", "alpha = 2", "alpha: Input should be less than 1"),
        ("rows = 200", "rows = 200\nrow = 3", "set.0.row: Extra inputs"),
        ('command = "routing"', 'command = "magic"', "routing names no command"),
        ("[[set]]", "[[set", "gates.toml"),
    ],
)
def test_a_wrong_gates_file_says_where(tmp_path: Path, old: str, new: str, why: str) -> None:
    with pytest.raises(GateError, match=r"gates\.toml") as error:
        gates_of(tmp_path, GATES.replace(old, new))

    assert why in str(error.value)


def test_the_committed_gate_is_small_and_complete() -> None:
    gates, known = load_gates(gate.GATES), baseline.read(gate.BASELINE)

    assert known is not None and gate.BASELINE.stat().st_size < 100_000
    for item in gates.set:
        assert item.figures.keys() == known.sets[item.name].figures.keys()
        assert all(known.history[-1].reason for _ in item.figures)


LONG = "Our little studio has been around for a couple of years by now, and one of us asked me this today: "
ASKS = {
    "account:reset-your-password": ["how do I reset my password", "I forgot my password", "password reset email"],
    "billing:refunds-for-your-plan": ["refund for my plan", "get my plan money back", "refund of a yearly plan"],
    "domains:connect-by-dns-records": ["connect a domain by DNS records", "which DNS records", "A record and CNAME"],
    "store:gift-cards": ["sell gift cards", "gift card balance", "customers pay with a gift card"],
}


@pytest.mark.models
def test_a_crippled_setting_fails_the_gate(
    small: Settings, articles: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows: list[dict[str, Any] | str] = [
        {"question": LONG + ask, "article_ids": [article]} for article, asks in ASKS.items() for ask in asks
    ]
    write_lines(tmp_path / "rows.jsonl", rows)
    text = GATES.replace("routing", "retrieval").replace("retrieval.jsonl", "rows.jsonl")
    (tmp_path / "gates.toml").write_text(text.replace("correct = { tolerance = 0.01, worst = 0.5 }", '"hit@1" = {}'))
    options = gate.Options(
        gates=tmp_path / "gates.toml",
        baseline=tmp_path / "b.json",
        runs=tmp_path / "runs",
        reason="a start",
        articles=articles,
    )
    quiet = Console(stderr=True, quiet=True)
    tree = small.model_dump()
    # Only the preamble is read: the embedder stops before the question, and nothing else helps it.
    tree["retrieval"] |= {"keyword_k": 0, "article_keyword_weight": 0.0, "late_weight": 0.0, "rerank_depth": 0}
    crippled = Settings.model_validate(tree)

    first, _ = gate.run(small, options, quiet, lambda: NOW)
    options = replace(options, reason=None, index=indexed(small, articles, tmp_path / "index"))
    again, _ = gate.run(small, options, quiet, lambda: NOW)
    monkeypatch.setattr("handrail.assembly.models.QUERY_TOKENS", 16)
    held, _ = gate.run(crippled, options, quiet, lambda: NOW)

    assert not first.failed and not again.failed
    assert held.failed and held.checks[0].verdict == "worse"
    assert len(held.lost["retrieval hit@1"]) >= 5


def indexed(small: Settings, articles: Path, folder: Path) -> Path:
    """A data folder such as `--index` takes."""
    tree = small.model_dump()
    tree["storage"] |= {"data_dir": folder}
    tree["knowledge"] |= {"kb": SAMPLE_KB}
    knowledge = small.knowledge
    run(Settings.model_validate(tree), [Folder(articles, knowledge.url_base, knowledge.max_article_bytes)])
    return folder


def test_the_precision_of_refusals_has_a_floor_of_its_own(tmp_path: Path) -> None:
    """Rows that are refused in both runs are no gain and no loss, so the pairs see nothing."""
    text = GATES.replace("routing", "refusal").replace(
        "correct = { tolerance = 0.01, worst = 0.5 }", "right_refusal = { worst = 0.80 }"
    )
    gates = gates_of(tmp_path, text)

    def refused(wrongly: int) -> list[dict[str, Any]]:
        """Forty rows that should be refused and are, and as many that should not be, of which some are."""
        both = [(True, True)] * 40 + [(False, number < wrongly) for number in range(40)]
        return [
            {"id": f"r{line}", "line": line, "should_refuse": should, "refused": did, "correct": should == did}
            for line, (should, did) in enumerate(both, 1)
        ]

    first = {"refusal": a_run("first", refused(6), "refusal", limit=200)}
    known = renew(gates, first, None, tmp_path / "b.json", "a start", NOW)

    def checked(wrongly: int) -> gate.Held:
        return check(gates, {"refusal": a_run("now", refused(wrongly), "refusal", limit=200)}, known, tmp_path)

    assert [checked(wrongly).checks[0].verdict for wrongly in (6, 10, 11)] == ["ok", "ok", "beyond worst"]
    assert checked(11).failed
