"""The documentation as pages: complete, linked, loading nothing, and with figures that some record holds."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner

from eval import baseline, record
from eval.baseline import COMMITTED
from eval.datasets import load
from eval.datasets.refusal import REFUSAL
from eval.hub import MADE_BY, build, flow
from eval.hub.figures import collect
from eval.record import Status
from eval.runner import Evaluation
from eval.talks.selecting import default_rows
from handrail.assembly.stages import asked_of_llm
from handrail.cli.app import app
from handrail.errors import PermanentError
from handrail.settings import Settings, load_settings
from handrail.types import Label, Routing
from tests.eval.runs_of import a_run
from tests.torch_extra.python import python

ROOT = Path(__file__).parents[2]
EVALUATION_EXTRA = {
    "torch", "sklearn", "scipy", "ir_measures", "matplotlib", "psutil", "datasets", "rouge_score", "sacrebleu",
}  # fmt: skip


class Page(HTMLParser):
    """What the tests look at."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.figures: dict[str, str] = {}
        self.said: list[str] = []
        self._figure: str | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.tags.append((tag, given))
        self._figure = given.get("data-figure")

    def handle_data(self, data: str) -> None:
        self.said.append(data)
        if self._figure is not None:
            self.figures[self._figure] = data
            self._figure = None

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.said).split())

    def all(self, tag: str, name: str) -> list[str]:
        return [given[name] for found, given in self.tags if found == tag and name in given]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Without an index, so no page asks a model."""
    environ = {"HANDRAIL__STORAGE__DATA_DIR": str(tmp_path / "data"), "HANDRAIL__KNOWLEDGE__KB": "sample"}
    return load_settings(ROOT / "config.toml", environ)


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    folder = tmp_path / "runs"
    folder.mkdir()
    return folder


def built(settings: Settings, out: Path, runs: Path, root: Path = ROOT) -> dict[str, Page]:
    made = build(settings, out, runs, Console(quiet=True), root)
    return {path.name: Page(path.read_text(encoding="utf-8")) for path in made}


def talks(settings: Settings, run_id: str, right: float, **changes: Any) -> record.Run:
    """A run of the talks that ship."""
    metrics = {"n_turns": 203, "right_or_refused": right, "confident_wrong": 0.0444, "turned_away": 0.251}
    evaluation = Evaluation(metrics=metrics, intervals={"right_or_refused": (right - 0.0712, right + 0.0688)})
    provenance: dict[str, Any] = {"talks": {"alone": False, "url": None, "bases": {"energy": {}, "sample": {}}}}
    rows = default_rows(settings)
    values = {"evaluation": evaluation, "provenance": provenance, "sha256": rows.sha256, **changes}
    return a_run(run_id, [], "talks", **values)


def test_every_page_is_there_linked_and_loads_nothing(settings: Settings, tmp_path: Path, runs: Path) -> None:
    pages = built(settings, tmp_path / "out", runs)

    written = {"-".join(path.relative_to(ROOT / "docs").parts) for path in (ROOT / "docs").rglob("*.md")}
    own = {"index.html", "flow.html", "answer.html", "figures.html", "docs.html"}
    assert pages.keys() == own | {name.removesuffix(".md") + ".html" for name in written}
    ids = {name: {given["id"] for _, given in page.tags if "id" in given} for name, page in pages.items()}
    for name, page in pages.items():
        links = [href for href in page.all("a", "href") if not re.match(r"https?:|mailto:", href)]
        places = [(href.partition("#")[0] or name, href.partition("#")[2]) for href in links]
        assert not [place for place in places if place[0] not in pages or place[1] not in {"", *ids[place[0]]}]
        tags = [tag for tag, _ in page.tags]
        assert (tags.count("h1"), tags.count("main"), tags.count("nav")) == (1, 1, 1)
        assert page.all("html", "lang") == ["en"]
        assert links[0] == "#content"
        assert not {"script", "link", "iframe", "object", "base", "form"} & set(tags)
        assert all(src.startswith("data:image/") for src in page.all("img", "src"))
        style = (tmp_path / "out" / name).read_text(encoding="utf-8").partition("</style>")[0]
        assert not re.search(r"@import|url\(", style)
    assert {href.partition("#")[0] for href in pages["docs.html"].all("a", "href")} >= pages.keys() - own


def test_the_first_page_shows_the_newest_record_with_n_interval_date_and_revision(
    settings: Settings, tmp_path: Path, runs: Path
) -> None:
    record.write(talks(settings, "20260101T000000Z-talks-old", 0.3), runs)
    record.write(talks(settings, "20260301T000000Z-talks-new", 0.4926), runs)
    record.write(talks(settings, "20260401T000000Z-talks-cut", 0.9, status=Status.INTERRUPTED), runs)
    record.write(talks(settings, "20260402T000000Z-talks-few", 0.8, limit=3), runs)
    record.write(talks(settings, "20260403T000000Z-talks-other", 0.7, sha256="0" * 64), runs)

    pages = built(settings, tmp_path / "out", runs)

    first = pages["index.html"]
    assert first.figures["talks right_or_refused"] == "49.3 %"
    assert first.figures["talks confident_wrong"] == "4.4 %"
    assert "42.1 % to 56.1 %; n = 203 (energy, sample); 1 March 2026, revision aaaaaaaaaa" in first.text
    assert "the code has changed since" in first.text
    shown = pages["figures.html"].text
    assert "20260301T000000Z-talks-new" in shown and "20260403T000000Z-talks-other" in shown
    assert "talks-old" not in shown and "talks-cut" not in shown


def test_what_nobody_measured_says_so_or_is_the_committed_baseline(settings: Settings, runs: Path) -> None:
    found = {(tile.headline.command, tile.headline.figure): tile.found for tile in collect(runs, settings).tiles}

    assert found["talks", "right_or_refused"] is None
    known = baseline.read(COMMITTED)
    assert known is not None
    values = [value for value in known.sets["refusal"].values("right_refusal") or () if value is not None]
    held = found["refusal", "precision"]
    assert held is not None
    figure, origin = held
    assert figure.value == pytest.approx(sum(values) / len(values))
    assert figure.n == len(values)
    assert figure.interval is not None and figure.interval[0] < figure.value < figure.interval[1]
    assert origin.at == datetime.fromisoformat(known.history[-1].at)


def test_a_baseline_of_other_rows_is_not_shown(settings: Settings, runs: Path, tmp_path: Path) -> None:
    held = json.loads(COMMITTED.read_text(encoding="utf-8"))
    held["sets"]["refusal"]["sha256"] = "0" * 64
    changed = tmp_path / "baseline.json"
    changed.write_text(json.dumps(held), encoding="utf-8")

    tiles = collect(runs, settings, changed).tiles

    assert [tile.found for tile in tiles if tile.headline.command == "refusal"] == [None, None]


def test_n_counts_the_rows_that_a_figure_is_of(settings: Settings, runs: Path) -> None:
    rows = [
        {"id": str(n), "line": n, "should_refuse": n < 4, "refused": n < 2, "correct": n not in (2, 3)}
        for n in range(10)
    ]
    evaluation = Evaluation(metrics={"n": 10, "precision": 1.0, "false_refusal_rate": 0.0}, rows=rows)
    default = load(REFUSAL, REFUSAL.default)
    run = a_run("20260301T000000Z-refusal-a", rows, "refusal", evaluation=evaluation, sha256=default.sha256)
    record.write(replace(run, file=REFUSAL.default, limit=len(default.cases)), runs)

    found = collect(runs, settings)

    counted = {figure.name: figure.n for figure in found.runs["refusal"][0].figures}
    assert counted == {"precision": 2, "false_refusal_rate": 6}
    assert found.runs["refusal"][0].origin.rows == "refusal.jsonl"
    assert [tile.found is not None for tile in found.tiles if tile.headline.command == "refusal"] == [True, True]


def test_a_damaged_record_is_named_and_hides_nothing(settings: Settings, tmp_path: Path, runs: Path) -> None:
    record.write(talks(settings, "20260301T000000Z-talks-new", 0.4926), runs)
    (runs / "20260501T000000Z-talks-bad.json").write_text("{", encoding="utf-8")

    pages = built(settings, tmp_path / "out", runs)

    assert pages["index.html"].figures["talks right_or_refused"] == "49.3 %"
    assert "20260501T000000Z-talks-bad.json is damaged" in pages["figures.html"].text


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("[gone](gone.md)", "docs/desk.md links to gone.md, which isn't there"),
        ("[gone](../src/handrail/gone.py)", "docs/desk.md links to ../src/handrail/gone.py, which isn't there"),
        ("[gone](operating.md#gone)", "desk.html links to operating.html#gone, which isn't there"),
        ("![gone](gone.png)", "docs/desk.md shows gone.png, which isn't there"),
    ],
)
def test_a_link_that_leads_nowhere_stops_the_build(
    settings: Settings, tmp_path: Path, runs: Path, line: str, said: str
) -> None:
    root = copied(tmp_path)
    desk = root / "docs" / "desk.md"
    desk.write_text(f"{desk.read_text(encoding='utf-8')}\n\n{line}\n", encoding="utf-8")

    with pytest.raises(PermanentError, match=re.escape(said)):
        built(settings, tmp_path / "out", runs, root)

    assert not (tmp_path / "out").exists()


def copied(tmp_path: Path) -> Path:
    """A clone as far as pages are made of it; what they link to outside is empty."""
    root = tmp_path / "clone"
    shutil.copytree(ROOT / "docs", root / "docs")
    shutil.copy(ROOT / "README.md", root)
    for name in (
        "training/README.md",
        "training/LOG.md",
        "frontend/widget/README.md",
        ".env.example",
        "config.toml",
        "SECURITY.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    return root


def test_a_page_that_is_no_longer_made_goes_and_other_files_stay(
    settings: Settings, tmp_path: Path, runs: Path
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "old.html").write_text(f"<html>{MADE_BY}</html>", encoding="utf-8")
    (out / "mine.html").write_text("<html>mine</html>", encoding="utf-8")

    built(settings, out, runs)

    assert not (out / "old.html").exists()
    assert (out / "mine.html").exists()


def test_text_of_a_document_becomes_no_markup(settings: Settings, tmp_path: Path, runs: Path) -> None:
    root = copied(tmp_path)
    (root / "docs" / "new.md").write_text("# New <b>\n\n<script>alert(1)</script> {{ 7*7 }}\n", encoding="utf-8")

    page = built(settings, tmp_path / "out", runs, root)["new.html"]

    assert "script" not in [tag for tag, _ in page.tags]
    assert "<script>alert(1)</script> {{ 7*7 }}" in page.text


def changed(settings: Settings, **sections: Mapping[str, Any]) -> Settings:
    held = {name: {**getattr(settings, name).model_dump(), **values} for name, values in sections.items()}
    return Settings.model_validate({**settings.model_dump(), **held})


def test_the_flow_chart_has_every_routing_label_and_the_thresholds_in_force(settings: Settings) -> None:
    steps = flow.steps(changed(settings, gates={"answered": 0.77, "closest": 0.123}))

    assert {exit_.reply.routing for step in steps for exit_ in step.exits} == set(Routing)
    said = " ".join(f"{step.does} {' '.join(step.limits)}" for step in steps)
    assert all(label.value in said for label in Label)
    assert "answered: p from 0.77" in said and "closest: p from 0.123" in said
    with pytest.raises(PermanentError, match="no place for the routing answered, the routing partially_answered"):
        flow.complete(steps[:-1])


def test_the_flow_chart_says_what_a_language_model_takes(settings: Settings) -> None:
    alone = {step.name: step.by for step in flow.steps(settings)}
    given = changed(settings, llm={"base_url": "http://127.0.0.1:9/v1"}, rewrite={"llm": True}, verify={"llm": "auto"})
    helped = {step.name: step.by for step in flow.steps(given)}

    assert not [by for by in alone.values() if "language model" in by]
    assert [name for name, by in helped.items() if "language model" in by] == ["retrieve", "generate", "verify"]
    assert asked_of_llm(given) == {"answer", "rewrite", "verify"}
    assert asked_of_llm(changed(given, llm={"base_url": None})) == frozenset()


def test_boxes_of_the_chart_do_not_overlap(settings: Settings) -> None:
    rows = flow.drawn(flow.steps(settings))

    assert all(row.ends < following.step.y for row, following in pairwise(rows))
    assert all(one.below < other.y for row in rows for one, other in pairwise(row.exits))


@pytest.mark.slow
def test_the_command_needs_no_extra_and_prints_where_the_first_page_is(tmp_path: Path) -> None:
    environment = {"HANDRAIL__STORAGE__DATA_DIR": str(tmp_path / "data")}
    command = "from handrail.cli.app import main; main()"

    done = python(command, "docs", "build", absent=EVALUATION_EXTRA, environment=environment)

    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{tmp_path / 'data' / 'docs' / 'index.html'}\n"
    assert "no walkthrough: knowledge base 'sample' is not indexed" in done.stderr
    assert "handrail ingest" in Page((tmp_path / "data" / "docs" / "answer.html").read_text(encoding="utf-8")).text


def test_an_installed_package_says_that_it_takes_a_clone(settings: Settings, tmp_path: Path, runs: Path) -> None:
    with pytest.raises(PermanentError, match="built from a clone"):
        built(settings, tmp_path / "out", runs, tmp_path)


@pytest.mark.models
def test_the_walkthrough_shows_a_question_answered_while_the_page_is_built(
    sample_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HANDRAIL__STORAGE__DATA_DIR", str(sample_index))
    monkeypatch.chdir(ROOT)

    ran = CliRunner().invoke(app, ["docs", "build", "--out", str(tmp_path / "out"), "--runs", str(tmp_path)])

    assert ran.exit_code == 0, ran.output
    page = Page((tmp_path / "out" / "answer.html").read_text(encoding="utf-8"))
    trace = json.loads(page.said[page.said.index("As JSON") + 2])
    assert trace["outcome"]["routing"] == "answered"
    (asked,) = next(stage for stage in trace["stages"] if stage["name"] == "retrieve")["values"]["requests"]
    assert trace["input"]["text"] in page.text
    assert all(section["title"] in page.text for section in asked["sections"])
    assert f"The best section has {asked['probability']:.3f}: band answered" in page.text
    assert all(citation in page.text for citation in trace["outcome"]["citations"])
