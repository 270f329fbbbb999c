"""How much the cross-encoder reads: less where that loses nothing, more where that surely gains, and never unproved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from handrail.assembly import Parts
from handrail.local_models.batching import Batcher
from handrail.retrieve.tuned import Effort, Tuned, load_tuned, read
from handrail.settings import Models, Retrieval, Settings
from handrail.tune.bench import Bench
from handrail.tune.clock import Clock
from handrail.tune.effort import NONE, Frontier, Point, frontier
from handrail.tune.keep import activate
from handrail.tune.questions import made_of, on
from handrail.tune.run import MADE, PEOPLE, Result
from handrail.tune.score import Gain
from tests.tune.shop import build, indifferent

SETTINGS = Settings(retrieval=Retrieval(top_k=3))
NOW = Effort(depth=8, words=67)
LESS = Effort(depth=3, words=67)
GOOD = {"dense_weight": 0.3}
FIGURES = {"ndcg@10": 0.5, "mrr": 0.5, "hit@1": 0.4, "hit@5": 0.6}


@pytest.fixture(autouse=True)
def few_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("handrail.tune.effort.DEPTHS", (2, 3, 8))
    monkeypatch.setattr("handrail.tune.effort.SHARES", (1.0,))


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Parts]:
    parts = build(tmp_path_factory.mktemp("shop"))
    yield parts
    parts.close()


def looked_at(
    parts: Parts,
    folder: Path,
    settings: Settings = SETTINGS,
    *,
    seconds: float = 60,
    weights: Mapping[str, float] = GOOD,
    gates_follow: bool = False,
    each: int = 2,
) -> Frontier | None:
    ticks = iter(range(10**6))
    bench = Bench(replace(parts, read=parts.read), settings, folder)
    made = made_of(bench.parts.snapshot, each)
    try:
        return frontier(
            bench,
            settings,
            Tuned(weights, None),
            on(made, "choose"),
            (PEOPLE, on(made, "held_out")),
            Clock(lambda: float(next(ticks)) if seconds < 60 else 0.0, seconds),
            lambda what, done, total: None,
            gates_follow=gates_follow,
        )
    finally:
        bench.parts.embed.close()
        bench.parts.read.close()


def ranking(parts: Parts, score: object) -> Parts:
    return replace(parts, read=Batcher("read", score, 64, 5000))  # type: ignore[arg-type]


def test_a_cross_encoder_that_changes_nothing_reads_no_more_than_is_quoted_from(shop: Parts, tmp_path: Path) -> None:
    found = looked_at(ranking(shop, indifferent), tmp_path)

    assert found is not None
    assert found.chosen == LESS
    assert [point.effort.depth for point in found.points] == [0, 2, 3, 8]
    assert found.points[0].effort == NONE
    assert found.usable == {LESS, NOW}
    assert found.points[0].milliseconds == 0.0
    assert found.at(NOW).change == Gain(0.0, 0.0, 0.0)


def test_a_cross_encoder_that_knows_the_answer_far_down_is_let_read_on(
    shop: Parts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Dense search over hashed words puts the right passage anywhere."""
    monkeypatch.setattr("handrail.tune.effort.DEPTHS", (3, 5, 60))

    def knows(pairs: Sequence[tuple[str, str]]) -> list[float]:
        return [2.0 * len({*query.lower().split()} & {*text.lower().split()}) - 8.0 for query, text in pairs]

    poor = {"dense_weight": 1.0, "article_weight": 0.0, "rerank_weight": 0.9}
    few = SETTINGS.model_copy(update={"retrieval": Retrieval(top_k=3, dense_k=60, keyword_k=60)})
    found = looked_at(ranking(shop, knows), tmp_path, few, weights=poor, each=6)

    assert found is not None
    assert found.chosen is not None
    assert found.chosen.depth == 60
    assert found.at(found.chosen).change.won


def test_shorter_passages_need_gates_that_are_fitted_to_them(
    shop: Parts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("handrail.tune.effort.SHARES", (0.5, 1.0))
    parts = ranking(shop, indifferent)

    alone = looked_at(parts, tmp_path)
    followed = looked_at(parts, tmp_path, gates_follow=True)

    assert alone is not None
    assert followed is not None
    assert alone.chosen == LESS
    assert followed.chosen == Effort(depth=3, words=34)


def test_what_an_operator_has_set_is_left_alone(shop: Parts, tmp_path: Path) -> None:
    mine = SETTINGS.model_copy(update={"retrieval": SETTINGS.retrieval.model_copy(update={"rerank_depth": 4})})

    assert looked_at(shop, tmp_path, mine) is None


def test_no_time_for_it_is_no_result(shop: Parts, tmp_path: Path) -> None:
    assert looked_at(shop, tmp_path, seconds=5) is None


def chosen(where: str) -> Result:
    points = [Point(way, 10.0 * way.depth, FIGURES, Gain(-0.005, 0.0, 0.005)) for way in (NONE, LESS, NOW)]
    return Result(None, {}, [], 80, Frontier(where, 40, points, NOW, frozenset({LESS, NOW}), LESS))


def test_made_questions_put_no_effort_in_force_unless_asked_to() -> None:
    assert chosen(MADE).in_force(accept_made=False) is None
    assert chosen(MADE).in_force(accept_made=True) == Tuned({}, None, LESS)
    assert chosen(PEOPLE).in_force(accept_made=False) == Tuned({}, None, LESS)


def test_an_effort_alone_is_kept_with_its_figures_and_laid_under_the_settings(tmp_path: Path) -> None:
    result = chosen(PEOPLE)
    kept = result.in_force(accept_made=False)
    assert kept is not None

    activate(tmp_path, kept, result, "g1", Models(), "questions")

    fit, tuned = read(tmp_path), load_tuned(tmp_path, "g1", Models())
    assert fit is not None
    assert tuned is not None
    assert (fit.milliseconds, fit.decided_on) == ((80.0, 30.0), f"{PEOPLE} (n = 40)")
    assert tuned.over(Retrieval()).rerank_depth == 3
    assert tuned.over(Retrieval(rerank_depth=9)).rerank_depth == 9
    assert tuned.digest != Tuned({}, None).digest


def test_the_assembled_reranker_reads_what_was_found_to_be_enough(shop: Parts) -> None:
    asked = Effort(depth=3, words=20)
    other = SETTINGS.model_copy(update={"models": Models(rerank_max_tokens=128)})

    tuned = replace(shop, tuned=Tuned({}, None, asked))

    assert shop.words_read(SETTINGS) == 67
    assert tuned.words_read(SETTINGS) == 20
    assert tuned.words_read(other) == 53
