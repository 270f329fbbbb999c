"""The report: one page, offline, without scripts, whatever the rows say."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from eval.compare import compare
from eval.html import page
from eval.html.plots import plots
from eval.report import summary
from eval.runner import Evaluation
from eval.texts import harmless
from tests.eval.runs_of import a_run, held, ranked, routed

HOSTILE = '</td></svg><script>alert(1)</script><img src=x onerror=alert(1)>" onload="x" {{ 7*7 }} $\\frac{a}$'


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs


def read(text: str) -> Tags:
    found = Tags()
    found.feed(text)
    return found


def hostile_run(run_id: str, bits: str) -> dict[str, Any]:
    rows = [{**row, "id": f"{row['id']} {HOSTILE}", "why": HOSTILE, "extra": [HOSTILE]} for row in routed(bits)]
    evaluation = Evaluation(metrics={"n": len(rows), "accuracy": 0.5, HOSTILE: 1.0}, rows=rows, notes=[HOSTILE])
    settings = {"settings": {"brand": {"name": HOSTILE}}}
    return held(a_run(run_id, rows, evaluation=evaluation, file=Path(HOSTILE[:40]), provenance=settings))


def test_nothing_that_rows_say_becomes_markup() -> None:
    a, b = hostile_run("a", "1" * 20), hostile_run("b", "10" * 10)
    asked = {n: harmless(HOSTILE) for n in range(1, 21)}

    found = read(page(a, asked, b, compare(a, b)))

    assert not {"script", "img", "iframe", "object", "link"} & set(found.tags)
    assert not [name for name, _ in found.attributes if name.startswith("on")]
    assert "49" not in page(a, {1: "{{ 7*7 }}"}).split('<h2 id="rows">')[1][:2000]


def test_the_page_loads_nothing() -> None:
    text = page(hostile_run("a", "10" * 20), {})

    links = [value or "" for name, value in read(text).attributes if name in ("src", "href", "xlink:href")]
    outside = [value for value in links if not value.startswith("#")]
    assert outside == []
    assert not re.search(r"@import|url\((?!#)", text)
    assert "default-src 'none'" in text


def test_plots_say_in_words_what_they_show() -> None:
    routing = {plot.title: plot.says for plot in plots("routing", routed("1110" * 10))}
    retrieval = {plot.title: plot.says for plot in plots("retrieval", ranked([1.0, 0.5, 0.0, 1.0]))}

    assert routing.keys() == {"Confusion matrix", "Reliability", "Durations"}
    assert "10 times nonsense where it is answerable" in routing["Confusion matrix"]
    assert "calibration error 0.150" in routing["Reliability"]
    assert retrieval["Ranks"] == "Of 4 questions 2 have a right article first, and 1 have none among ten."


def test_the_refusal_curve_counts_both_errors() -> None:
    rows = [
        {"id": str(n), "line": n, "should_refuse": n < 5, "refused": n < 4 or n == 9, "confidence": n / 10, "ms": 1.0}
        for n in range(10)
    ]

    curve = next(plot for plot in plots("refusal", rows) if plot.title == "Refusal trade-off")

    assert "refuses 80% of what the articles do not answer, at the price of 20%" in curve.says


def test_a_run_without_rows_still_has_a_page() -> None:
    for command in ("routing", "retrieval", "refusal", "latency", "another"):
        assert "<h1>" in page(held(a_run("a", [], command)), {})


def test_the_same_run_gives_the_same_page() -> None:
    run = held(a_run("a", routed("1100" * 10)))

    assert page(run, {}) == page(run, {})


def test_the_markdown_summary_names_file_corpus_and_revision() -> None:
    text = summary(held(a_run("run-7", routed("10"))))

    assert text.startswith("## routing: run-7")
    assert "corpus dddddddddddd" in text and "revision aaaaaaaaaa" in text
    assert "| accuracy | 0.500 |" in text


def test_text_for_terminals_holds_no_control_characters() -> None:
    assert harmless("a\x1b[31mb\r\nc\u202ed") == "a [31mb c d"
    assert len(harmless("x" * 999)) == 160


def test_figures_of_several_parts_are_a_table_of_their_own() -> None:
    per_class = {"nonsense": {"f1": 0.5, "support": 2}, "answerable": {"f1": None, "support": 0}}
    evaluation = Evaluation(
        metrics={"n": 2, "accuracy": 0.5, "per_class": per_class, "turn": {"p50_ms": 3.0}},
        intervals={"accuracy": (0.25, 0.75)},
    )
    run = held(replace(a_run("run-7", []), evaluation=evaluation))

    text, shown = summary(run), page(run, {})

    assert "| per_class | f1 | support |" in text
    assert "| nonsense | 0.500 | 2 |\n| answerable | n/a | 0 |" in text
    assert "| turn.p50_ms | 3.000 |  |" in text
    assert "per_class.nonsense" not in text + shown
    assert '<dd class="within">0.250 to 0.750</dd>' in shown
