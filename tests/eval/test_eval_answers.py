"""Answers: words against a reference, claims against passages, and the judge."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from eval.evaluators import by_category
from eval.evaluators.claims import marked, pairs, said
from eval.metrics import answers as metrics
from eval.metrics.answers import Scored
from eval.metrics.grounding import stated
from eval.metrics.ruler import beginning, figures
from eval.metrics.text import bleu, rouge1, statements, token_f1, words
from handrail.types import Card, Citation, Claim, Outcome, Passage, Piece, Proof, RefusalReason, Routing
from tests.eval.conftest import Evaluate
from tests.scripted_openai import Fails, Says, scripted_openai

PASSWORD = "account:reset-your-password"
REFERENCE = "Enter your sign-in e-mail address and select Send link. The link is valid for 60 minutes."
ROWS: list[dict[str, Any] | str] = [
    {"id": "a", "question": "How do I reset my password?", "answer": REFERENCE, "article_ids": [PASSWORD]},
    {"id": "b", "question": "How do gift cards work?", "extra": 1, "category": "store"},
    {"id": "d", "question": "How long is a gift card valid?", "keys": ["valid for 3 years", "never valid at all"]},
    {"id": "c", "question": "flurb grazz wibble nonk", "answer": REFERENCE, "bucket": "refuse"},
]
KEYS = {
    "n", "cite_coverage", "cite_correctness", "faithfulness", "relevancy", "token_f1", "rouge1", "bleu", "judge",
    "statements", "keys", "ruler", "over_ruler",
}  # fmt: skip


def passage(id_: str, text: str) -> Passage:
    return Passage(id_, id_.partition("/")[0], 0, "Gift cards", (), text, "https://x.example", 10)


def test_overlap_is_counted_in_words_as_a_reader_sees_them() -> None:
    said, wanted = (
        "1. Open **Settings** [1].\n2. Choose [Domains](https://x.example) [2].",
        "open settings, choose domains",
    )

    assert words(said) == ["open", "settings", "choose", "domains"]
    assert token_f1(said, wanted) == rouge1(said, wanted) == pytest.approx(1.0)
    assert 0 <= bleu(said, wanted) < bleu(REFERENCE, REFERENCE) == pytest.approx(1.0)
    assert token_f1("the cat sat", "a cat ran") == pytest.approx(0.5)
    assert token_f1("", wanted) == 0.0


def test_statements_are_sentences_items_and_rows_that_say_something() -> None:
    text = "Do this first. Then that one.\n\n- Open the menu\n- OK\n\n| Plan | 5 EUR |"

    assert statements(text) == ["Do this first.", "Then that one.", "Open the menu", "Plan  5 EUR"]


@pytest.mark.parametrize(
    ("statement", "holds"),
    [
        ("Cards are valid for 3 years.", True),
        ("Cards are valid for 5 years.", False),
        ("Cards can be sent by post to any country.", False),
    ],
)
def test_words_state_a_sentence_only_with_its_numbers(statement: str, holds: bool) -> None:
    assert stated(statement, "A gift card is valid for 3 years from the day of purchase. Cards cost EUR 10.") is holds


def test_an_answer_is_cut_behind_its_marks_and_the_rest_is_cited_by_nothing() -> None:
    assert marked("Open it [1]. Close it [1][2].\n\nThis was never proved by anybody.") == [
        ("Open it", [1]),
        ("Close it", [1, 2]),
        ("This was never proved by anybody.", []),
    ]
    assert marked("See [1](https://x.example) for it") == [("See [1](https://x.example) for it", [])]


def test_the_products_verdict_on_a_pair_counts_and_words_only_where_it_has_none() -> None:
    good, bad = passage("a/0", "Cards are valid for 3 years."), passage("b/0", "Opening hours are nine to five.")
    proofs = (Proof("a/0", "unsupported", 0.1, "local"), Proof("b/0", "supported", 0.9, "local"))
    claims = [Claim("Cards are valid for 3 years.", ("a/0", "b/0"), "supported", proofs=proofs)]
    claims.append(Claim("Cards are valid for 3 years.", ("a/0", "b/0")))
    citations = [Citation(1, good, 0.9, "supported"), Citation(2, bad, 0.9, "unverified")]
    outcome = Outcome(Routing.ANSWERED, "x", citations=citations, claims=claims)

    assert [pair.supported for pair in pairs(said(outcome))] == [False, True, True, False]


def test_an_open_card_says_what_its_section_says() -> None:
    held = passage("a/0", "Cards are valid for 3 years.")
    cards = [Card(Piece(held.text, "Gift cards", "", "a/0", "a", ""), open=True)]
    cards.append(Card(Piece("Not seen until opened.", "Gift cards", "", "a/1", "a", "")))
    outcome = Outcome(
        Routing.LOW_CONFIDENCE, "These look closest:", citations=[Citation(1, held, 0.3, "unverified")], closest=cards
    )

    assert [(claim.text, claim.supported) for claim in said(outcome)] == [(held.text, True)]


def test_nothing_is_claimed_by_a_refusal() -> None:
    assert said(Outcome(Routing.FOLLOWUP, "What do you mean?", RefusalReason.NO_RELEVANT_CONTEXT)) == []


def test_figures_are_over_answers_and_refusing_does_not_look_good() -> None:
    rows = [
        Scored(True, claims=4, cited=3, pairs=4, correct=2, faithfulness=5.0, token_f1=0.5, rouge1=0.5, bleu=0.1),
        Scored(True, claims=1, cited=1, pairs=1, correct=1, faithfulness=3.0),
        Scored(False, token_f1=0.0, rouge1=0.0, bleu=0.0, context_recall=0.5),
    ]

    found, beside = metrics.score(rows), metrics.details(rows)

    assert (found["n"], found["cite_coverage"], found["cite_correctness"]) == (3, 4 / 5, 3 / 5)
    assert (found["faithfulness"], found["token_f1"], found["relevancy"]) == (4.0, 0.5, None)
    assert beside["answered_rate"] == pytest.approx(2 / 3)
    assert (beside["token_f1_all"], beside["context_recall"]) == (0.25, 0.5)
    assert metrics.score([])["cite_coverage"] is None


def test_the_ruler_is_the_beginning_of_a_passage_with_its_lines() -> None:
    assert beginning("1. Open it.\n2. Close  it again.", 5) == "1. Open it.\n2. Close"
    assert beginning("short", 120) == "short"
    assert beginning("") == ""


def test_keys_are_found_whole_and_through_markdown() -> None:
    found = figures("Cards are **valid for 3 years** [1].", None, ["valid for 3 years", "card", "are valid"])

    assert found == {"keys": pytest.approx(2 / 3)}


def test_an_answer_is_set_against_the_ruler_of_the_same_row() -> None:
    rows = [
        Scored(True, token_f1=0.9, ruler={"token_f1": 0.5}),
        Scored(True, token_f1=0.7, ruler={"token_f1": 0.5}),
        Scored(True),
        Scored(False, token_f1=0.0, ruler={"token_f1": 0.5}),
    ]

    found = metrics.score(rows)

    assert found["ruler"] == {"token_f1": pytest.approx(0.5)}
    over = found["over_ruler"]
    assert (over["token_f1"], over["n"]) == (pytest.approx(0.3), {"token_f1": 2})
    assert over["ci"]["token_f1"] == pytest.approx([0.2, 0.4])
    assert metrics.intervals(rows)["over_ruler.token_f1"] == pytest.approx((0.2, 0.4))
    assert metrics.details(rows)["over_ruler_all"]["token_f1"] == pytest.approx(0.1 / 3)


def test_figures_by_category_are_those_of_its_rows_and_absent_where_no_row_has_one() -> None:
    rows = [
        ("store", Scored(answered=True, claims=2, cited=1, token_f1=0.5)),
        (None, Scored(answered=True, claims=1, cited=1, token_f1=1.0)),
        ("account", Scored(answered=False, token_f1=0.9)),
        ("store", Scored(answered=False)),
    ]

    found = by_category(rows, metrics.of_category)["by_category"]

    assert list(found) == ["store", "account"]
    assert (found["store"]["n"], found["store"]["answered_rate"], found["store"]["cite_coverage"]) == (2, 0.5, 0.5)
    assert (found["store"]["token_f1"], found["account"]["token_f1"]) == (0.5, None)
    assert by_category(rows[1:2], metrics.of_category) == {}


@pytest.mark.models
def test_without_a_judge_the_local_figures_say_so(evaluate: Evaluate) -> None:
    result = evaluate("answers", ROWS, "--json")

    assert result.exit_code == 0, result.stderr
    printed = json.loads(result.stdout)
    rows = {row["id"]: row for row in printed["rows"]}
    assert printed["metrics"].keys() == KEYS
    assert printed["metrics"]["judge"] == "local"
    assert printed["metrics"]["n"] == 4
    assert all(claim["support"] for name in "ad" for claim in rows[name]["claims"])
    assert rows["a"]["cited"] == [PASSWORD] and rows["a"]["context_recall"] is not None
    assert rows["b"]["token_f1"] is None
    assert rows["c"]["refused"] and rows["c"]["faithfulness"] is None
    assert rows["a"]["ruler"].keys() == {"statements", "token_f1", "rouge1", "bleu"}
    assert rows["d"]["ruler"].keys() == {"keys"} and rows["d"]["keys"] == 0.5
    over, ruler = printed["metrics"]["over_ruler"], printed["metrics"]["ruler"]
    assert over["token_f1"] == pytest.approx(printed["metrics"]["token_f1"] - ruler["token_f1"], abs=1e-3)
    assert over["n"]["token_f1"] == 1
    categories = printed["details"]["by_category"]
    assert {name: (found["n"], found["answered_rate"]) for name, found in categories.items()} == {
        "store": (1, 1.0),
        "refuse": (1, 0.0),
    }


@pytest.mark.models
def test_the_judge_is_asked_once_and_then_its_ratings_are_free(
    evaluate: Evaluate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rating = {"unsupported": [1, 99], "faithfulness": 4, "relevancy": 2}
    against = {"given": [1], "contradicts": False, "held": [1, 2]}
    with scripted_openai() as server:
        server.script(Says({**rating, **against}))
        monkeypatch.setenv("HANDRAIL__JUDGE__BASE_URL", server.url)
        monkeypatch.setenv("HANDRAIL__JUDGE__MODEL", "wise-one")
        monkeypatch.setenv("HANDRAIL__JUDGE__CACHE", str(tmp_path / "ratings"))
        first = json.loads(evaluate("answers", ROWS[:1], "--json").stdout)
        asked = len(server.requests)
        again = json.loads(evaluate("answers", ROWS[:1], "--json").stdout)

        assert asked == len(server.requests) == 2
        assert {request.body["model"] for request in server.requests} == {"wise-one"}
    assert first["metrics"] == again["metrics"]
    (row,) = first["rows"]
    assert (first["metrics"]["judge"], row["faithfulness"], row["relevancy"]) == ("wise-one", 4.0, 2.0)
    assert row["correct"] == row["pairs"] - 1
    assert (row["factuality"], row["context_recall"]) == (0.5, 1.0)


@pytest.mark.models
def test_a_judge_that_fails_leaves_its_figures_out_and_the_others_in(
    evaluate: Evaluate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with scripted_openai() as server:
        server.script(Fails(400))
        monkeypatch.setenv("HANDRAIL__JUDGE__BASE_URL", server.url)
        monkeypatch.setenv("HANDRAIL__JUDGE__CACHE", str(tmp_path / "ratings"))
        printed = json.loads(evaluate("answers", ROWS[:1], "--json").stdout)

    assert printed["metrics"]["faithfulness"] is None and printed["metrics"]["cite_correctness"] is None
    assert printed["metrics"]["token_f1"] is not None
    assert printed["rows"][0]["judge_error"]
    assert "1 rows could not be judged" in printed["notes"][0]
