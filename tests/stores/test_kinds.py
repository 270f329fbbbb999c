"""Rows of tables, figures and places on pages: kept by both stores, and put in their sections."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from handrail.stores import snapshot as snapshots
from handrail.stores import snapshot_files
from handrail.stores.chroma import ChromaStore
from handrail.stores.chroma_client import connect
from handrail.stores.sections import Sections
from handrail.text.markdown import figure
from handrail.types import Kind, Passage, Place
from tests.knowledge.articles import HashedWords, article, chunker

FARES = "\n".join(("| Route | Fare |", "| --- | --- |", *(f"| Harbour {n} | {n} euros |" for n in range(1, 90))))
BODY = f"## Fares\n\nFares are by route.\n\n{FARES}\n\n{figure('A map of all routes.')}\n\nBikes are free of charge."


@pytest.fixture
def passages() -> list[Passage]:
    return chunker().passages(article(BODY))


@pytest.fixture
def sections(passages: list[Passage]) -> Sections:
    return Sections(snapshots.build(passages, np.eye(len(passages), dtype=np.float32)))


def test_what_was_written_is_what_both_stores_give(tmp_path: Path) -> None:
    one = Passage("a/0", "a", 0, "A", (), "Fares", "", 1, {}, Kind.FIGURE, (Place(3, (0.1, 0.2, 0.3, 0.4)), Place(4)))
    store = ChromaStore(connect(tmp_path, None), "acme", "hashed-words")
    store.create()
    store.write([one], HashedWords()(["fares"]), ["d"], [1])

    assert store.dump()[0] == [one]
    snapshot_files.save(store.pages(), tmp_path / "snapshot", "g1")
    loaded = snapshot_files.load(tmp_path / "snapshot", "g1")
    assert loaded is not None
    assert loaded.passages == [one]


def test_a_table_has_a_passage_for_each_row_and_a_section_has_it_once(
    passages: list[Passage], sections: Sections
) -> None:
    rows = [one for one in passages if one.kind is Kind.ROW]
    assert len(rows) == 89

    section, drawn = sections.of_article("guide")

    assert section.text.count("| Harbour 7 | 7 euros |") == 1
    assert section.text.endswith("Bikes are free of charge.")
    assert sections.of(rows[6]) == [section]
    assert drawn.figure
    assert "map" not in section.text


def test_rows_do_not_lean_the_vector_of_their_article(passages: list[Passage]) -> None:
    vectors = HashedWords()([one.embedding_text for one in passages])

    held = snapshots.build(passages, vectors)

    whole = vectors[[n for n, one in enumerate(passages) if one.kind is not Kind.ROW]].mean(axis=0)
    assert np.allclose(held.article_vectors[0], whole / np.linalg.norm(whole))


def test_padding_of_a_table_reaches_no_passage() -> None:
    wide = "| Key      | Meaning           |\n|:---------|------------------:|\n| kc       | no pictures       |"

    (passage,) = chunker().passages(article(wide))

    assert passage.text == "| Key | Meaning |\n|:---|---:|\n| kc | no pictures |"
