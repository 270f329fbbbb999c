"""One table of every figure aimed at: bounds, pooled rows, what is left out, and runs that count again."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from eval import aims, record, resume
from eval.aims import Aim, AimsError, Line, Standing, Wanted, lines, load_aims
from eval.evaluators import refusal, routing
from eval.metrics.routing import SERIOUS
from eval.runner import Evaluation
from handrail.cli.eval import app
from handrail.settings import Settings
from tests.eval.files import write_lines
from tests.eval.runs_of import a_run, held

AIMS = """
[[aim]]
name = "one"
command = "routing"
file = "rows.jsonl"
figures = { macro_f1 = { at_least = 0.9 } }

[[aim]]
name = "both"
command = "routing"
together = ["one"]
figures = { ece = {} }
"""


def written(tmp_path: Path, text: str = AIMS) -> Path:
    path = tmp_path / "aims.toml"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("value", "bounds", "met"),
    [
        (0.9, {"at_least": 0.9}, True),
        (0.899, {"at_least": 0.9}, False),
        (0.05, {"at_most": 0.05}, True),
        (0.051, {"at_most": 0.05}, False),
        (0.5, {}, None),
        (None, {"at_least": 0.9}, None),
    ],
)
def test_an_aim_is_met_missed_or_none(value: float | None, bounds: dict[str, float], met: bool | None) -> None:
    assert Wanted(**bounds).met(value) is met


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('command = "routing"\nfile', 'command = "juggling"\nfile', "no command 'juggling'"),
        ('file = "rows.jsonl"\n', "", "neither file nor dataset nor together"),
        ('together = ["one"]', 'together = ["two"]', "'two' is no earlier aim"),
        ('command = "routing"\ntogether', 'command = "retrieval"\ntogether', "rows of retrieval cannot be pooled"),
        ("at_least", "atleast", "figures.macro_f1.atleast"),
        ("figures = { ece = {} }", "figures = {}", "aim.1.figures"),
        ("[[aim]]", "[[aim", "aims.toml"),
    ],
)
def test_a_wrong_file_says_where(tmp_path: Path, old: str, new: str, why: str) -> None:
    with pytest.raises(AimsError, match=r"aims\.toml") as raised:
        load_aims(written(tmp_path, AIMS.replace(old, new)))

    assert why in str(raised.value)


def test_only_takes_what_is_pooled_along(tmp_path: Path) -> None:
    path = written(tmp_path)

    assert [aim.name for aim in load_aims(path, "BOTH").aim] == ["one", "both"]
    assert [aim.name for aim in load_aims(path, "one").aim] == ["one"]
    with pytest.raises(AimsError, match="there are: one; both"):
        load_aims(path, "three")


def test_the_committed_aims_name_files_that_are_there() -> None:
    known = load_aims(aims.AIMS)

    for aim in known.aim:
        for path in (aim.file, aim.companies, aim.corpus):
            assert path is None or (aims.AIMS.parent / path).exists(), path
    assert len({aim.name for aim in known.aim}) == len(known.aim)


def test_a_figure_comes_with_its_interval_and_the_nearest_count() -> None:
    figures = {"macro_f1": Wanted(at_least=0.9), SERIOUS: Wanted(at_least=0.97), "late.p50_ms": Wanted(at_most=5)}
    aim = Aim(name="a", command="routing", file=Path("rows.jsonl"), figures=figures)
    found = Evaluation(
        metrics={"n": 300, "macro_f1": 0.91, "per_class": {"high_stakes": {"recall": 0.95, "support": 80}}},
        details={"late": {"p50_ms": 7.0, "n": 52}},
        intervals={"macro_f1": (0.88, 0.94)},
    )

    told = {line.figure: line for line in lines(aim, found, ["run"])}

    assert (told["macro_f1"].n, told["macro_f1"].met, told["macro_f1"].interval) == (300, True, (0.88, 0.94))
    assert (told[SERIOUS].n, told[SERIOUS].met) == (80, False)
    assert (told["late.p50_ms"].n, told["late.p50_ms"].met) == (52, False)


def test_a_figure_that_the_command_does_not_have_is_named() -> None:
    aim = Aim(name="a", command="routing", file=Path("rows.jsonl"), figures={"macro_f2": Wanted()})

    with pytest.raises(AimsError, match="a: `handrail eval routing` has no figure 'macro_f2'"):
        list(lines(aim, Evaluation(metrics={"n": 1}), ["run"]))


def test_rows_of_several_files_are_scored_as_one() -> None:
    kinds = [("high_stakes", "high_stakes"), ("high_stakes", "answerable"), ("answerable", "answerable")]
    rows: list[dict[str, Any]] = [
        {"label": label, "predicted": said, "probability": 0.8} for label, said in kinds for _ in range(5)
    ]

    found = routing.together([*rows, {"label": "answerable", "error": "timed out"}])

    assert found.metrics["n"] == 15
    assert found.metrics["per_class"]["high_stakes"]["recall"] == 0.5
    low, high = found.intervals[SERIOUS] or (0, 0)
    assert low < 0.5 < high

    rows = [
        {"should_refuse": should, "refused": was, "bucket": None, "confidence": 0.5}
        for should, was in ((True, True), (True, False), (False, False), (False, True))
    ]
    assert refusal.together(rows).metrics["recall"] == 0.5
    assert refusal.together(rows).metrics["false_refusal_rate"] == 0.5


def test_the_table_says_what_is_missed_and_what_was_left_out() -> None:
    met = Line("one", "macro_f1", 0.93, (0.9, 0.96), 300, Wanted(at_least=0.9), True, ("run-a",))
    missed = Line("one", "ms", 7.04, None, 52, Wanted(at_most=5), False, ("run-a",))
    pooled = replace(met, aim="both", wanted=Wanted(), met=None, runs=("run-a", "run-b"))
    standing = Standing([met, missed, pooled], {"astro": "its articles do not ship"}, revision="a" * 40, dirty=True)

    said = aims.as_markdown(standing)

    assert "revision aaaaaaaaaa, with uncommitted changes" in said
    assert "| one | macro_f1 | 0.930 | 0.900 to 0.960 | 300 | >= 0.9 | met | run-a |" in said
    assert "| one | ms | 7.040 |  | 52 | <= 5 | **missed** | run-a |" in said
    assert "| both | macro_f1 | 0.930 | 0.900 to 0.960 | 300 |  |  | those above |" in said
    assert "1 of 2 figures with an aim are met." in said
    assert "not measured: astro: its articles do not ship" in said


def test_a_finished_run_counts_again_only_where_nothing_changed(tmp_path: Path) -> None:
    rows = [{"id": "a", "line": 1, "correct": True}]
    whole = a_run("20260301T000000Z-routing-aa", rows)
    broken = a_run("20260301T000001Z-routing-bb", [*rows, {"id": "b", "line": 2, "error": "timed out"}])
    for run in (whole, broken):
        record.write(run, tmp_path)
    known = held(whole)
    parts = {name: known[name] for name in whole.provenance}

    def found(**changes: Any) -> str | None:
        now = {**parts, **changes}
        run = resume.finished(tmp_path, resume.identity("routing", whole.sha256, None, now), now)
        return str(run["run_id"]) if run is not None else None

    assert found() == whole.id
    assert found(code="other") is None
    assert found(git={"revision": "b" * 40, "dirty": True}) == whole.id


@pytest.mark.models
def test_bases_are_indexed_apart_and_measured_once(
    configured: Settings, articles: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = {"question": "How do I reset my password?", "article_ids": ["reset-your-password"]}
    write_lines(tmp_path / "rows.jsonl", [question])
    text = f"""
[[aim]]
name = "found"
command = "retrieval"
file = "rows.jsonl"
corpus = "{articles / "account"}"
figures = {{ "hit@1" = {{ at_least = 0.7 }} }}

[[aim]]
name = "elsewhere"
command = "retrieval"
dataset = "astro"
corpus = "{articles}"
figures = {{ "hit@1" = {{}} }}
"""
    options = ["--aims", str(written(tmp_path, text)), "--runs", str(tmp_path / "runs"), "--json"]
    options += ["--index", str(tmp_path / "index")]

    first = CliRunner().invoke(app, ["aims", *options])
    again = CliRunner().invoke(app, ["aims", *options])

    assert first.exit_code == again.exit_code == 0, first.stderr
    one, two = json.loads(first.stdout), json.loads(again.stdout)
    assert one["figures"][0]["met"] is True and one["figures"][0]["n"] == 1
    assert one["left_out"] == {"elsewhere": "its articles do not ship: --data astro=PATH"}
    assert two["figures"] == one["figures"]
    assert len(list((tmp_path / "runs").glob("*.json"))) == 1


@pytest.mark.parametrize(("given", "why"), [("astro", "NAME=PATH"), ("astro=nowhere.tar.gz", "nowhere.tar.gz")])
def test_data_that_is_not_there_is_said(given: str, why: str) -> None:
    found = CliRunner().invoke(app, ["aims", "--data", given])

    assert why in str(found.exception)


def test_the_longest_name_that_fits_a_dataset_counts() -> None:
    data = {"wixqa": Path("a"), "wixqa-part": Path("b"), "astro": Path("c")}

    assert aims.copy_of("wixqa-part-expertwritten", data) == Path("b")
    assert aims.copy_of("wixqa-simulated", data) == Path("a")
    assert aims.copy_of("bipia-test", data) is None
    assert aims.copy_of(None, data) is None
