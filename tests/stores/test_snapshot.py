"""A read-only copy of one generation."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import numpy as np
import pytest

from handrail.stores import snapshot as snapshots
from handrail.stores import snapshot_files
from handrail.stores.snapshot import Snapshot
from handrail.stores.store import Page
from handrail.types import Passage
from tests.knowledge.articles import HashedWords

TEXTS = {
    "domains/0": "Open Domains and connect your domain.",
    "domains/1": "Copy the TW-3001 record\u2028to your host.",
    "refunds/0": "Open the order and choose refund.",
}


def passages() -> list[Passage]:
    return [
        Passage(id_, id_[:-2], int(id_[-1]), id_[:-2].title(), ("Steps",), text, f"https://help.example/{id_}", 9)
        for id_, text in TEXTS.items()
    ]


def snapshot() -> Snapshot:
    return snapshots.build(passages(), HashedWords()(list(TEXTS.values())))


def pages() -> list[Page]:
    """One for each passage, so that articles go over them."""
    vectors = HashedWords()(list(TEXTS.values()))
    return [([one], vectors[row : row + 1]) for row, one in enumerate(passages())]


def test_what_is_saved_is_what_is_loaded(tmp_path: Path) -> None:
    built = snapshot()
    snapshot_files.save(pages(), tmp_path, "g1")

    loaded = snapshot_files.load(tmp_path, "g1")

    assert loaded is not None
    assert loaded.passages == built.passages
    assert loaded.titles == built.titles
    assert loaded.vocabulary == built.vocabulary
    assert np.allclose(loaded.article_vectors, built.article_vectors, atol=1e-3), "of vectors as they are kept, in half"
    for query in ("connect domain", "tw-3001", "nothing of it"):
        assert np.allclose(loaded.keyword_scores(query), built.keyword_scores(query))


def test_keyword_scores_favour_the_passage_with_the_words() -> None:
    assert snapshot().keyword_scores("refund an order").argmax() == 2
    assert snapshot().keyword_scores("TW-3001").argmax() == 1
    assert not snapshot().keyword_scores("the of").any()


def test_article_vectors_are_normalised_means_in_reading_order() -> None:
    built = snapshot()

    assert built.articles == ["domains", "refunds"]
    assert built.article_vectors.shape == (2, 32)
    assert np.allclose(np.linalg.norm(built.article_vectors, axis=1), 1)


def test_neighbours_are_beside_in_the_same_section() -> None:
    built = snapshot()

    assert [passage.id for passage in built.neighbours(built.by_id["domains/0"], 1)] == ["domains/1"]
    assert built.neighbours(built.by_id["refunds/0"], 2) == []


def test_the_newest_generations_are_kept(tmp_path: Path) -> None:
    for number in range(1, 5):
        snapshot_files.save(pages(), tmp_path, f"g{number}")
        os.utime(tmp_path / f"g{number}", (number, number))

    assert snapshot_files.load(tmp_path, "g4") is not None
    assert sorted(path.name for path in tmp_path.iterdir()) == ["g2", "g3", "g4"]


@pytest.mark.parametrize("missing", ["format", "passages.jsonl", "articles.npy", "bm25"])
def test_a_damaged_snapshot_counts_as_absent(tmp_path: Path, missing: str) -> None:
    snapshot_files.save(pages(), tmp_path, "g1")
    (tmp_path / "g1" / missing).rename(tmp_path / "elsewhere")

    assert snapshot_files.load(tmp_path, "g1") is None


def test_a_cut_off_snapshot_counts_as_absent(tmp_path: Path) -> None:
    snapshot_files.save(pages(), tmp_path, "g1")
    vectors = tmp_path / "g1" / "articles.npy"
    vectors.write_bytes(vectors.read_bytes()[:100])

    assert snapshot_files.load(tmp_path, "g1") is None


def test_another_format_counts_as_absent_and_is_replaced(tmp_path: Path) -> None:
    snapshot_files.save(pages(), tmp_path, "g1")
    (tmp_path / "g1" / "format").write_text("1")
    assert snapshot_files.load(tmp_path, "g1") is None

    snapshot_files.save(pages(), tmp_path, "g1")

    assert snapshot_files.load(tmp_path, "g1") is not None


def test_no_generation_is_no_snapshot(tmp_path: Path) -> None:
    assert snapshot_files.load(tmp_path, "") is None


def test_an_empty_knowledge_base_has_a_snapshot_too(tmp_path: Path) -> None:
    snapshot_files.save([([], np.zeros((0,), dtype=np.float32))], tmp_path, "g1")

    loaded = snapshot_files.load(tmp_path, "g1")

    assert loaded is not None
    assert loaded.passages == []
    assert loaded.keyword_scores("refund").shape == (0,)


def test_passages_without_a_single_word_are_kept(tmp_path: Path) -> None:
    blank = Passage("a/0", "a", 0, "?", (), "!!! ???", "https://help.example/a", 6)

    snapshot_files.save([([blank], np.ones((1, 32), dtype=np.float32))], tmp_path, "g1")

    loaded = snapshot_files.load(tmp_path, "g1")
    assert loaded is not None
    assert loaded.passages == [blank]
    assert loaded.keyword_scores("refund").tolist() == [0.0]


def test_processes_that_save_at_once_leave_one_whole_snapshot(tmp_path: Path) -> None:
    errors: list[BaseException] = []

    def save() -> None:
        try:
            for _ in range(10):
                snapshot_files.save(pages(), tmp_path, "g1")
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=save) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert errors == []
    assert snapshot_files.load(tmp_path, "g1") is not None
    assert [path.name for path in tmp_path.iterdir()] == ["g1"]


def test_the_noise_floor_is_what_unrelated_passages_have_in_common() -> None:
    vectors = np.asarray([[1, 0], [1, 0], [0.6, 0.8]], dtype=np.float32)

    floor = snapshots.build(passages(), vectors).noise_floor

    assert floor == pytest.approx(0.6)


def test_without_other_articles_there_is_no_noise_to_know() -> None:
    empty = snapshots.build([], np.zeros((0, 2), dtype=np.float32))
    single = snapshots.build(passages()[:2], np.ones((2, 2), dtype=np.float32))

    assert empty.noise_floor == single.noise_floor == 0.0


def test_numbered_steps_in_sections_of_their_own_are_neighbours_of_the_first() -> None:
    headings = [("Step 1: Add it",), ("Step 2: Change the records",), ("Step 3: Check",), ("Troubleshooting",)]
    steps = [
        Passage(f"domains/{n}", "domains", n, "Domains", heading, f"text {n}", "https://help.example", 2)
        for n, heading in enumerate(headings)
    ]
    found = snapshots.build(steps, HashedWords()([step.text for step in steps]))

    assert [other.id for other in found.neighbours(steps[0], 1)] == ["domains/1", "domains/2"]
    assert found.neighbours(steps[3], 1) == []
