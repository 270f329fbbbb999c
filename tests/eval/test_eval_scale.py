"""The size of an index is measured on the real parts, against exact search, and nothing is left of it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from eval.scale import forecast, serving
from eval.scale.__main__ import app
from eval.scale.chart import chart
from eval.scale.generated import BLOCK, Generated, id_of
from eval.scale.measured import Measured


def test_exact_search_compares_every_vector() -> None:
    generated = Generated(2 * BLOCK + 80)
    vectors, queries = np.concatenate(list(generated.vectors())), generated.queries(5)

    nearest = serving.exact(generated, queries, 10)

    assert len(vectors) == generated.count
    assert nearest == [[id_of(int(row)) for row in np.argsort(-(vectors @ query))[:10]] for query in queries]


def test_recall_is_the_share_of_the_nearest_that_was_found() -> None:
    assert serving.recall([["a", "b"], ["c", "d"]], [["b", "a"], ["c", "x"]], 2) == 0.75
    assert serving.recall([["a", "b"]], [["b", "a"]], 1) == 0.0


def test_vectors_are_as_near_to_each_other_as_those_of_an_encoder() -> None:
    """What bge-small-en-v1.5 gives for 2,500 of the 4,800 passages of the articles in `eval/datasets`."""
    vectors = np.concatenate(list(Generated(4800).vectors()))
    vectors = vectors[np.random.default_rng(0).permutation(len(vectors))[:2500]]
    cosines = vectors @ vectors.T
    any_two = np.median(cosines)
    nearest = np.sort(cosines, axis=1)[:, ::-1]

    assert any_two == pytest.approx(0.53, abs=0.03)
    assert np.median(nearest[:, [1, 10, 50]], axis=0) == pytest.approx([0.77, 0.71, 0.67], abs=0.03)


def test_passages_are_those_of_the_articles() -> None:
    generated = Generated(80)
    articles = list(generated.articles())

    assert [one.id for one in articles] == list(dict.fromkeys(p.article_id for b in generated.passages() for p in b))
    assert all(one.body.count("\n## ") + 1 == 8 for one in articles)


def test_a_forecast_finds_what_figures_were_made_of() -> None:
    sizes = [50_000.0, 200_000.0, 1_000_000.0]

    assert forecast.fitted(sizes, [3 + 2e-5 * n for n in sizes]) == pytest.approx((3, 2e-5))
    fixed, growing = forecast.fitted(sizes, [2e-5 * n - 0.5 for n in sizes])
    assert fixed == 0 and growing > 0


def test_figures_are_kept_and_drawn_the_same_each_time(tmp_path: Path) -> None:
    measured = Measured(tmp_path / "figures.json")
    for count in (50_000, 200_000):
        measured.keep(
            "faiss", count, "search", {"vector_p50_ms": 1.0, "vector_p95_ms": 2.0, "start_s": 0.1, "load": 0.5}
        )

    rows = Measured(tmp_path / "figures.json").rows()

    assert measured.has("faiss", 50_000, "search") and not measured.has("faiss", 50_000, "ingest")
    assert chart(rows) == chart(rows) and "faiss" in chart(rows)
    assert "10,000,000" in forecast.told(rows)


@pytest.mark.slow
@pytest.mark.models
def test_an_index_is_built_searched_removed_and_not_measured_twice(tmp_path: Path) -> None:
    work, picture = tmp_path / "work", tmp_path / "scale.svg"
    asked = ["--sizes", "800", "--index", "chroma", "--work", str(work), "--out", str(picture)]

    first = CliRunner().invoke(app, asked)

    assert first.exit_code == 0, first.output
    stages = json.loads((work / "figures.json").read_text())["chroma 800"]
    assert stages["search"]["recall_10"] > 0.99
    assert 0 < stages["search"]["vector_p50_ms"] <= stages["search"]["vector_p95_ms"]
    assert 0 < stages["ingest"]["store_mb"] <= stages["ingest"]["build_mb"]
    assert [path.name for path in work.iterdir()] == ["figures.json"]
    assert picture.read_text().count("<svg") == 1
    again = CliRunner().invoke(app, asked)
    assert again.exit_code == 0 and again.stdout == first.stdout


def test_a_size_that_is_none_is_refused() -> None:
    assert CliRunner().invoke(app, ["--sizes", "many"]).exit_code == 2
