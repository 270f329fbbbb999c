"""The series that docs/operating.md, the example board and the example alerts name are those that the code makes."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from handrail.observe.metrics import Metrics, Moment
from handrail.observe.recorder import Recorder
from handrail.types.usage import Attempt, Usage
from tests.observe.turns import finished, new_id, question

ROOT = Path(__file__).parents[2]
NAME = re.compile(r"\b(?:handrail|process)_[a-z_]+\b")
GROUPED = re.compile(r"\bby \(([^)]*)\)")
MATCHED = re.compile(r"\b([a-z_]+)\{([^}]*)\}")
FROM_PROMETHEUS = {"instance", "le"}
PARTS_OF_A_HISTOGRAM = re.compile(r"_(?:bucket|count|sum)$")


@pytest.fixture(scope="module")
def series() -> dict[str, set[str]]:
    """All that a process may expose, by name, with the labels of each."""
    metrics, asked = Metrics(), question()
    turn = replace(
        finished(asked, new_id()),
        latency_ms={"retrieve": 3.0, "total": 90.0},
        usage_by_model={"m-1": Usage(1, 1, 0.1)},
        attempts=(Attempt("answer", "main", "m-1", "failed", 9.0, "timeout"),),
    )
    with Recorder(new_id, [metrics]).turn(asked) as trace:
        trace.finish(turn)
    metrics.responded("/ask", "POST", 200, 0.1)
    one = {"some": 1}
    text = metrics.text(Moment(True, False, {"answer": datetime.now(UTC)}, one, one, 1, one)).decode()
    samples = [sample for family in text_string_to_metric_families(text) for sample in family.samples]
    return {sample.name: {label for label in sample.labels if label != "le"} for sample in samples}


def expressions(found: Any, key: str = "expr") -> list[str]:
    """All values of a key in a tree, however deep."""
    if isinstance(found, dict):
        own = [found[key]] if isinstance(found.get(key), str) else []
        return own + [one for value in found.values() for one in expressions(value, key)]
    return [one for value in found for one in expressions(value, key)] if isinstance(found, list) else []


def queries(name: str) -> list[str]:
    text = (ROOT / "deploy" / name).read_text(encoding="utf-8")
    return expressions(json.loads(text) if name.endswith(".json") else yaml.safe_load(text))


def test_the_page_names_each_series_with_its_labels_and_no_other(series: dict[str, set[str]]) -> None:
    page = (ROOT / "docs" / "operating.md").read_text(encoding="utf-8").partition("## Metrics")[2].partition("\n## ")[0]
    rows = [row.split("|")[1:3] for row in page.splitlines() if row.startswith("| `")]
    named = {name: set(re.findall(r"`(\w+)`", labels)) for names, labels in rows for name in NAME.findall(names)}
    exposed = {PARTS_OF_A_HISTOGRAM.sub("", name): labels for name, labels in series.items()}

    assert {name: labels for name, labels in named.items() if exposed.get(name) != labels} == {}
    assert {name for name in exposed if name.startswith("handrail_")} - named.keys() == set()


@pytest.mark.parametrize("name", ["grafana/handrail.json", "prometheus/alerts.yml"])
def test_what_the_examples_ask_for_exists(series: dict[str, set[str]], name: str) -> None:
    asked = queries(name)

    assert len(asked) >= 9
    for query in asked:
        names = set(NAME.findall(query))
        labels = {label for one in names for label in series.get(one, set())} | FROM_PROMETHEUS
        grouped = {label.strip() for inside in GROUPED.findall(query) for label in inside.split(",")}
        assert names and names - series.keys() == set(), query
        assert grouped - labels == set(), query
        for metric, inside in MATCHED.findall(query):
            matched = set(re.findall(r"(\w+)\s*(?:=~|!~|!=|=)", inside))
            assert matched - series[metric] - FROM_PROMETHEUS == set(), query


def test_the_board_shows_every_kind_of_series(series: dict[str, set[str]]) -> None:
    shown = {
        PARTS_OF_A_HISTOGRAM.sub("", name) for query in queries("grafana/handrail.json") for name in NAME.findall(query)
    }
    exposed = {PARTS_OF_A_HISTOGRAM.sub("", name) for name in series if name.startswith("handrail_")}

    assert exposed - shown == {"handrail_degraded"}  # its twin says since when, too
