"""`handrail eval talks` with the real product, in this process and over HTTP, and the rows that ship."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import eval.datasets
from eval.benchmark.server import serving
from eval.datasets import DatasetError, load
from eval.datasets.articles import KnownArticles
from eval.datasets.talks import SEALED, TALK, TALKS
from eval.evaluators.talks import RESULT, reply
from eval.talks.selecting import TalkSource, select
from handrail.cli import notes
from handrail.cli.eval import app
from handrail.knowledge import Article
from handrail.knowledge.folder import Folder
from handrail.settings import Settings
from tests.eval.conftest import Evaluate
from tests.eval.files import write_lines

ANSWERS = ["answered", "partially_answered", "low_confidence"]
REFUSES = ["irrelevant", "nonsense", "followup", "cannot_answer", "out_of_scope"]
TALK_ROWS: list[dict[str, Any]] = [
    {
        "id": "t1",
        "kb": "small",
        "who": "in a hurry",
        "turns": [
            {"say": "How do I reset my password?", "want": {"routing": ANSWERS, "facts": [["forgot", "reset"]]}},
            {"say": "thanks!", "want": {"routing": REFUSES}},
        ],
    },
    {
        "id": "t2",
        "kb": "small",
        "turns": [{"say": "asdkjh qwlekj zxmcn", "want": {"routing": ["nonsense", "followup"]}}],
    },
]
BASES = sorted(path.parent.name for path in Path(eval.datasets.__file__).parent.glob("*/articles"))


def invoked(*options: str) -> Result:
    return CliRunner().invoke(app, ["talks", *options])


@pytest.mark.parametrize("file", sorted(TALKS.glob("*.dev.jsonl")), ids=lambda path: path.stem)
def test_rows_that_ship_are_usable_and_name_articles_that_are_there(file: Path) -> None:
    loaded = load(TALK, file)

    assert (loaded.bad, loaded.notes) == ([], [])
    name = file.name.partition(".")[0]
    assert {case.kb for case in loaded.cases} == {name}
    if name in BASES:
        folder = Path(eval.datasets.__file__).parent / name / "articles"
        found = Folder(folder, "https://help.example", 100_000).articles()
        known = KnownArticles(item.id for item in found if isinstance(item, Article))
        named = {article for case in loaded.cases for turn in case.turns for article in turn.article}
        assert {article for article in named if known.resolve(article) is None} == set()


def test_a_pattern_that_is_none_makes_a_row_unusable(tmp_path: Path) -> None:
    rows = [*TALK_ROWS, {"turns": [{"say": "x", "want": {"routing": ["answered"], "facts": [["("]]}}]}]

    loaded = load(TALK, write_lines(tmp_path / "rows.jsonl", rows))

    assert len(loaded.cases) == 2
    assert "not a regular expression" in loaded.bad[0].why


def test_rows_of_an_unknown_help_centre_ask_for_its_articles(small: Settings, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "rows.jsonl", [{**TALK_ROWS[1], "kb": "acme"}])

    with pytest.raises(DatasetError, match=r"--corpus acme=PATH"):
        select("talks", TALK, small, TalkSource(files=(path,)), None, notes)


def test_files_and_folders_are_read_as_one_with_lines_of_their_own(small: Settings, tmp_path: Path) -> None:
    write_lines(tmp_path / "a.jsonl", TALK_ROWS)
    write_lines(tmp_path / "b.jsonl", [{**row, "id": f"b-{row['id']}"} for row in TALK_ROWS])
    write_lines(tmp_path / "c.sealed.jsonl", [{**TALK_ROWS[1], "id": "sealed"}])
    source = TalkSource(files=(tmp_path,), kb_given=True)

    chosen = select("talks", TALK, small, source, 1, notes)

    assert [case.id for case in chosen.loaded.cases] == ["t1", "b-t1"]
    assert len({case.line for case in chosen.loaded.cases}) == 2
    assert not chosen.sealed


def test_a_closest_card_names_its_article_by_the_citation_of_its_piece() -> None:
    turn = (
        TALK.case.model_validate({**TALK_ROWS[0], "line": 1}).turns[0].model_copy(update={"article": ("fees/late.md",)})
    )
    response = {
        "routing": "low_confidence",
        "answer": "These look closest.",
        "closest": [{"title": "When money is late", "piece": 0}],
        "pieces": [{"markdown": "Wait.", "citation": 1, "collapsed_after": None}],
        "citations": [{"index": 1, "id": "fees:late/2", "title": "When money is late", "url": ""}],
    }

    assert reply(turn, response).names_article
    assert not reply(turn.model_copy(update={"article": ("fees/early.md",)}), response).names_article


@pytest.mark.models
def test_talks_are_run_turn_by_turn_and_told_row_by_row(evaluate: Evaluate, tmp_path: Path) -> None:
    result = evaluate("talks", TALK_ROWS, "--alone", "--json")

    assert result.exit_code == 0, result.stderr
    printed = json.loads(result.stdout)
    metrics, rows = printed["metrics"], {row["id"]: row for row in printed["rows"]}
    assert (metrics["n_turns"], metrics["n_talks"]) == (3, 2)
    assert set(rows) == {"t1/1", "t1/2", "t2/1"}
    assert rows["t1/1"]["verdict"] == "right" and "password" in rows["t1/1"]["shown"].lower()
    assert rows["t1/2"]["verdict"] == "right_refusal"
    assert metrics["by_kb"]["small"]["n_turns"] == 3
    assert metrics["later"]["n_turns"] == metrics["alone"]["n_turns"] == 1
    assert printed["intervals"]["right"] == metrics["ci"]["right"] == printed["intervals"]["by_kb.small.right"]
    kept = (tmp_path / "runs" / f"{printed['run_id']}.rows.jsonl").read_text()
    assert "excerpt" not in kept


@pytest.mark.models
def test_of_sealed_rows_nothing_but_counts_is_printed_or_kept(configured: Settings, tmp_path: Path) -> None:
    said: dict[str, Any] = {"say": "Where is the flamingo?", "want": {"routing": REFUSES, "facts": [["pelican"]]}}
    rows: list[dict[str, Any] | str] = [
        {"id": "ostrich", "kb": "small", "turns": [said, said]},
        {"id": "bad", "turns": "a heron"},
    ]
    path = write_lines(tmp_path / f"small{SEALED}", rows)

    result = invoked("--kb", "small", "--file", str(path), "--runs", str(tmp_path / "runs"), "--json")

    assert result.exit_code == 1, result.stderr
    assert json.loads(result.stdout)["metrics"]["n_turns"] == 2
    assert json.loads(result.stdout)["rows"] == []
    written = "".join(item.read_text() for item in (tmp_path / "runs").iterdir())
    for words in ("flamingo", "pelican", "ostrich", "heron"):
        assert words not in result.stdout + result.stderr + written, words


@pytest.mark.models
def test_a_running_server_gives_the_same_verdicts(configured: Settings, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "rows.jsonl", TALK_ROWS)
    runs = ("--runs", str(tmp_path / "runs"), "--json")

    async def over_http() -> Result:
        async with serving(configured.model_copy(update={"knowledge": configured.knowledge})) as server:
            return await asyncio.to_thread(invoked, "--file", str(path), "--url", server.url, *runs)

    far, near = asyncio.run(over_http()), invoked("--kb", "small", "--file", str(path), *runs)

    assert far.exit_code == near.exit_code == 0, far.stderr + near.stderr
    told = [{row["id"]: row["verdict"] for row in json.loads(result.stdout)["rows"]} for result in (far, near)]
    assert told[0] == told[1]
    assert RESULT is not None
