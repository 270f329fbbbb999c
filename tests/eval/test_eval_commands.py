"""`handrail eval …` over a small knowledge base, with the real models."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.eval.conftest import Evaluate

pytestmark = pytest.mark.models

PASSWORD = "account:reset-your-password"
ROUTING: list[dict[str, Any] | str] = [
    {"id": "a", "text": "How do I reset my password?", "label": "answerable"},
    {"id": "b", "text": "asdkjh qwlekj zxmcn", "label": "nonsense"},
    {"id": "c", "text": "How do I set up a gift card?"},
    {"id": "d", "text": "   ", "label": "nonsense"},
]


def test_routing_prints_nothing_but_json_and_keeps_a_record(evaluate: Evaluate, tmp_path: Path) -> None:
    result = evaluate("routing", ROUTING, "--json")

    assert result.exit_code == 0, result.stderr
    printed = json.loads(result.stdout)
    assert {"n", "accuracy", "macro_f1", "per_class", "ece", "p50_ms"} <= printed["metrics"].keys()
    assert printed["metrics"]["n"] == 2
    rows = {row["id"]: row for row in printed["rows"]}
    assert rows["a"]["predicted"] == "answerable"
    assert rows["c"]["correct"] is None and "not_applicable" in rows["c"]
    assert rows["d"]["not_applicable"].startswith("the guard refuses it")
    record = json.loads((tmp_path / "runs" / f"{printed['run_id']}.json").read_text())
    assert record["kb"]["name"] == "small" and record["kb"]["generation"]
    assert record["models"]["embedder"] == "bge-small-en-v1.5-int8"


def test_without_json_a_table_is_printed(evaluate: Evaluate) -> None:
    result = evaluate("routing", ROUTING[:2])

    assert result.stdout.startswith("| routing | value | 95 % interval |")
    assert "run record:" in result.stderr


def test_bad_rows_are_named_the_rest_is_measured_and_the_status_says_so(evaluate: Evaluate) -> None:
    result = evaluate("routing", [*ROUTING[:2], '{"text": "x", "label": "[red]spam"}'], "--json")

    assert result.exit_code == 1
    assert "rows.jsonl line 3: label: Input should be" in result.stderr
    assert "[red]spam" in result.stderr
    printed = json.loads(result.stdout)
    assert printed["metrics"]["n"] == 2
    assert printed["bad_rows"][0]["line"] == 3


def test_retrieval_ranks_articles_and_finds_the_right_one_first(evaluate: Evaluate) -> None:
    rows: list[dict[str, Any]] = [
        {"id": "a", "question": "How do I reset my password?", "article_ids": [PASSWORD], "category": "account"},
        {"id": "b", "question": "reset password", "article_ids": [PASSWORD[:18]], "category": ["not", "a", "name"]},
        {"id": "c", "question": "gift cards", "article_ids": ["gone", "store:gift-cards"], "kind": "store"},
        {"id": "d", "question": "gift cards", "article_ids": []},
    ]

    result = evaluate("retrieval", rows, "--json")

    assert result.exit_code == 0, result.stderr
    printed = json.loads(result.stdout)
    metrics, found = printed["metrics"], {row["id"]: row for row in printed["rows"]}
    assert metrics["n"] == 3
    assert metrics["hit@1"] == metrics["mrr"] == 1.0
    assert metrics["recall@5"] == pytest.approx((1 + 1 + 0.5) / 3, abs=1e-4)
    assert metrics["all_gold@5"] == pytest.approx(2 / 3, abs=1e-4)
    assert set(metrics) == {
        "n", "hit@1", "hit@3", "hit@5", "hit@10", "recall@5", "mrr", "ndcg@10", "all_gold@5"
    }  # fmt: skip
    categories = printed["details"]["by_category"]
    assert {name: (figures["n"], figures["all_gold@5"]) for name, figures in categories.items()} == {
        "account": (1, 1.0),
        "store": (1, 0.0),
    }
    assert found["a"]["ranked"][0] == PASSWORD and len(set(found["a"]["ranked"])) == len(found["a"]["ranked"])
    assert found["c"]["not_in_kb"] == ["gone"]
    assert "not_applicable" in found["d"]
    assert printed["conditions"]["retrieval"] == {"top_k": 20, "max_per_article": 2}
    assert "1 rows name articles" in result.stderr


def test_refusal_runs_whole_turns(evaluate: Evaluate) -> None:
    rows: list[dict[str, Any]] = [
        {
            "id": "a",
            "question": "How do I reset my password?",
            "should_refuse": False,
            "expected_doc": PASSWORD,
            "bucket": "answer",
        },
        {"id": "b", "question": "flurb grazz wibble nonk", "should_refuse": True, "bucket": "refuse"},
        {"id": "c", "question": "How do gift cards work?"},
    ]

    result = evaluate("refusal", rows, "--json")

    assert result.exit_code == 0, result.stderr
    printed = json.loads(result.stdout)
    found = {row["id"]: row for row in printed["rows"]}
    assert printed["metrics"]["n"] == 2
    assert set(printed["metrics"]["by_bucket"]) == {"answer", "refuse"}
    assert found["b"]["refused"] is True and found["b"]["refusal_reason"]
    assert found["b"]["expected_cited"] is None
    assert found["c"]["correct"] is None
    assert all(row["refused"] == (row["refusal_reason"] is not None) for row in printed["rows"])


def test_a_limit_measures_the_first_rows_only(evaluate: Evaluate) -> None:
    result = evaluate("routing", ROUTING, "--json", "--limit", "1")

    assert [row["id"] for row in json.loads(result.stdout)["rows"]] == ["a"]


def test_where_the_evaluation_code_is_missing_one_line_says_what_to_do(tmp_path: Path) -> None:
    source = Path(__file__).parents[2] / "src"
    ran = subprocess.run(
        [sys.executable, "-c", OUTSIDE, "routing"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(source), "PATH": ""},
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert ran.stdout.strip() == (
        "the evaluation code isn't installed: run `pip install --force-reinstall 'handrail[eval]'`"
    )


OUTSIDE = """
import sys
from pathlib import Path
sys.path[:] = [path for path in sys.path if path and not (Path(path) / "eval" / "runner.py").exists()]
from handrail.cli.eval import app
from handrail.errors import HandrailError
try:
    app(standalone_mode=False)
except HandrailError as error:
    print(error)
"""
