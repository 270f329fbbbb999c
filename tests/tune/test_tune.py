"""Tuning over a real index on disk: what it finds, what it keeps, and that it changes nothing without proof."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from handrail.errors import KnowledgeError
from handrail.models.batching import Batcher
from handrail.retrieve.tuned import FILE, Tuned, load_tuned, read
from handrail.settings import Models, Retrieval, Settings
from handrail.tune.bench import Bench
from handrail.tune.clock import Clock
from handrail.tune.keep import activate, reset
from handrail.tune.questions import Asked, made_of, on
from handrail.tune.run import Result, Verdict, halved, tune
from handrail.tune.score import Gain, gain, mean, scores
from tests.tune.shop import Counting, build

SETTINGS = Settings()


def quiet(what: str, done: int, total: int) -> None:
    pass


def unhurried() -> Clock:
    return Clock(lambda: 0.0, 60)


@pytest.fixture(autouse=True)
def few_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("handrail.tune.run.GRID", {"dense_weight": (0.3,), "article_weight": (0.0,)})


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with Bench(build(tmp_path), SETTINGS, tmp_path / "tune") as opened:
        yield opened


def test_weights_that_rank_better_win_on_articles_they_were_not_chosen_on(bench: Bench) -> None:
    made = made_of(bench.parts.snapshot, 2)

    result = tune(bench, SETTINGS, made, [], unhurried(), quiet)

    (verdict,) = result.verdicts
    assert result.won
    assert result.weights["dense_weight"] < 0.75
    assert verdict.after["ndcg@10"] > verdict.before["ndcg@10"]
    assert verdict.gain.low > 0
    assert {row.articles for row in on(made, "held_out")}.isdisjoint(
        {row.articles for row in on(made, "fit", "choose")}
    )


def test_the_same_articles_give_the_same_result(bench: Bench) -> None:
    made = made_of(bench.parts.snapshot, 2)

    first = tune(bench, SETTINGS, made, [], unhurried(), quiet)
    second = tune(bench, SETTINGS, made_of(bench.parts.snapshot, 2), [], unhurried(), quiet)

    assert first.as_json() == second.as_json()


def test_questions_of_people_have_the_last_word(bench: Bench) -> None:
    made = made_of(bench.parts.snapshot, 2)
    people = [Asked(f"nothing that is there {n}", ("shop:1",)) for n in range(20)]

    result = tune(bench, SETTINGS, made, people, unhurried(), quiet)

    assert [verdict.on for verdict in result.verdicts] == ["questions made of held-out articles", "questions of people"]
    assert result.verdicts[0].gain.won
    assert not result.won


def test_many_questions_of_people_choose_and_decide_on_different_articles(bench: Bench) -> None:
    made = made_of(bench.parts.snapshot, 2)
    people = [replace(row, side="", passage=None) for row in made]

    result = tune(bench, SETTINGS, made, people, unhurried(), quiet)

    (verdict,) = result.verdicts
    assert result.won
    assert result.by_people
    assert verdict.n < len(people)
    halves = halved(people)
    assert {row.articles for row in on(halves, "choose")}.isdisjoint({row.articles for row in on(halves, "held_out")})
    assert len(on(halves, "held_out")) == verdict.n


def test_too_few_articles_to_hold_any_out_are_said(tmp_path: Path) -> None:
    with Bench(build(tmp_path, 6), SETTINGS, tmp_path / "tune") as small, pytest.raises(KnowledgeError) as caught:
        tune(small, SETTINGS, made_of(small.parts.snapshot, 3), [], unhurried(), quiet)

    assert "index more articles" in str(caught.value)


def test_no_time_means_fewer_questions_not_a_longer_run(bench: Bench) -> None:
    ticks = itertools.count()
    made = made_of(bench.parts.snapshot, 2)

    result = tune(bench, SETTINGS, made, [], Clock(lambda: float(next(ticks)), 330), quiet)

    assert result.made < len(made)


def test_an_interrupted_run_asks_the_models_nothing_twice(tmp_path: Path) -> None:
    parts, counting = build(tmp_path), Counting()
    parts.embed.close()
    made = made_of(parts.snapshot, 2)

    def stop_after(asked: int) -> None:
        calls = itertools.count(1)

        def say(what: str, done: int, total: int) -> None:
            if next(calls) == asked:
                raise KeyboardInterrupt

        opened = replace(
            parts, embed=Batcher("embed", counting, 64, 5000), read=Batcher("r", lambda p: [0.0] * len(p), 64, 5000)
        )
        with Bench(opened, SETTINGS, tmp_path / "tune") as again:
            tune(again, SETTINGS, made, [], unhurried(), say)

    with pytest.raises(KeyboardInterrupt):
        stop_after(50)
    assert counting.asked == 50
    stop_after(10**9)

    assert counting.asked == len(counting.texts)


def test_a_damaged_memory_is_started_anew(tmp_path: Path) -> None:
    (tmp_path / "tune").mkdir()
    (tmp_path / "tune" / "queries-g1-bge-small-en-v1.5-int8.npz").write_bytes(b"PK\x03\x04 no archive")

    with Bench(build(tmp_path), SETTINGS, tmp_path / "tune") as opened:
        assert opened.queries([Asked("a question", ("shop:1",))]).shape == (1, 32)


def put(folder: Path, tuned: Tuned) -> None:
    verdict = Verdict("held-out articles", 40, 20, {"ndcg@10": 0.5}, {"ndcg@10": 0.6}, Gain(0.02, 0.1, 0.2))
    activate(folder, tuned, Result(tuned, {}, [verdict], 100), "g1", MODELS, "questions")


MODELS = Models()


def test_what_won_is_read_back_and_laid_under_the_settings(tmp_path: Path) -> None:
    shift = np.zeros((2, 2), dtype=np.float32)
    shift[0, 1] = 1.0
    put(tmp_path, Tuned({"dense_weight": 0.4, "article_weight": 0.1}, shift))

    tuned = load_tuned(tmp_path, "g1", MODELS)

    assert tuned is not None
    over = tuned.over(Retrieval(article_weight=0.9))
    assert (over.dense_weight, over.article_weight) == (0.4, 0.9)
    np.testing.assert_allclose(tuned.adapt(np.asarray([1, 0], dtype=np.float32)), [0.7071, 0.7071], atol=1e-3)


@pytest.mark.parametrize(
    ("generation", "models", "said"),
    [("g2", MODELS, "the articles have changed"), ("g1", Models(reranker="none"), "the models have changed")],
)
def test_a_fit_to_something_else_is_not_used_and_said_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, generation: str, models: Models, said: str
) -> None:
    put(tmp_path, Tuned({"dense_weight": 0.4}, None))

    assert load_tuned(tmp_path, generation, models) is None

    assert len(caplog.records) == 1
    assert said in caplog.text


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"weights": {"top_k": 3}}', "\x00"])
def test_a_damaged_fit_is_not_used_and_said_once(tmp_path: Path, caplog: pytest.LogCaptureFixture, text: str) -> None:
    (tmp_path / FILE).write_text(text)

    assert load_tuned(tmp_path, "g1", MODELS) is None
    assert len(caplog.records) == 1


def test_a_weight_that_is_no_share_and_an_adapter_elsewhere_are_refused(tmp_path: Path) -> None:
    put(tmp_path, Tuned({"dense_weight": 0.4}, None))
    fit = json.loads((tmp_path / FILE).read_text())

    for wrong in ({"weights": {"dense_weight": 4.0}}, {"weights": {"top_k": 0.5}}, {"adapter": "../adapter.npz"}):
        (tmp_path / FILE).write_text(json.dumps({**fit, **wrong}))
        with pytest.raises(ValueError, match=r"weights|adapter"):
            read(tmp_path)


def test_a_lost_adapter_is_said_and_the_settings_stand(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    put(tmp_path, Tuned({}, np.eye(2, dtype=np.float32)))
    for file in tmp_path.glob("adapter-*.npz"):
        file.unlink()

    assert load_tuned(tmp_path, "g1", MODELS) is None
    assert "is not used" in caplog.text


def test_reset_takes_back_everything_and_says_whether_there_was_anything(tmp_path: Path) -> None:
    put(tmp_path, Tuned({}, np.eye(2, dtype=np.float32)))

    assert reset(tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert not reset(tmp_path)


def test_figures_of_a_ranking() -> None:
    second = scores(["a", "b", "c"], ["b"])
    both = scores(["a", "0123456789abcdef-rest", "c"], ["c", "0123456789abcdef"])
    missed = scores(["a"], ["b"])

    assert (second.mrr, second.hit1, second.hit5) == (0.5, 0.0, 1.0)
    assert second.ndcg == pytest.approx(0.6309, abs=1e-4)
    assert both.ndcg == pytest.approx((0.6309 + 0.5) / 1.6309, abs=1e-4)
    assert (missed.ndcg, missed.mrr, missed.hit5) == (0.0, 0.0, 0.0)
    assert mean([second, missed])["mrr"] == 0.25


def test_a_gain_in_one_article_only_is_not_sure() -> None:
    worse, better = scores(["a", "b"], ["b"]), scores(["b"], ["b"])
    one = gain([worse] * 40, [better] * 20 + [worse] * 20, ["x"] * 20 + [f"y{n}" for n in range(20)])
    all_over = gain([worse] * 40, [better] * 20 + [worse] * 20, [str(n) for n in range(40)])

    assert not one.won
    assert all_over.won


async def retrieve(bench: Bench, tuned: Tuned | None, text: str) -> list[tuple[str, float]]:
    evidence = await replace(bench.parts, tuned=tuned).retriever(SETTINGS).retrieve(text, {})
    return [(hit.passage.id, round(hit.fused, 4)) for hit in evidence.hits]


@pytest.mark.anyio
async def test_the_assembled_retriever_searches_with_what_was_tuned(bench: Bench) -> None:
    text = bench.parts.snapshot.passages[0].text
    shift = np.random.default_rng(0).normal(size=(32, 32)).astype(np.float32)

    plain = await retrieve(bench, None, text)

    assert await retrieve(bench, Tuned({}, None), text) == plain
    assert await retrieve(bench, Tuned({"dense_weight": 0.0}, None), text) != plain
    assert await retrieve(bench, Tuned({}, shift), text) != plain


def test_a_digest_tells_fits_apart() -> None:
    fits = [Tuned({}, None), Tuned({"dense_weight": 0.4}, None), Tuned({}, np.eye(2, dtype=np.float32))]

    assert len({fit.digest for fit in fits}) == 3
    assert Tuned({"dense_weight": 0.4}, None).digest == fits[1].digest
