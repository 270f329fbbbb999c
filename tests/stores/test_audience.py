"""Both indexes keep what is for agents from the public, also in an index that is older than the rule."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from handrail.assembly import read_snapshot
from handrail.stores import snapshot as snapshots
from handrail.stores import snapshot_files
from handrail.stores.audience import Audience
from handrail.stores.chroma import ChromaStore
from handrail.stores.chroma_client import connect
from handrail.stores.snapshot_files import FORMAT
from handrail.stores.store import FRONT_MATTER
from handrail.types import Passage
from tests.knowledge.articles import Given, HashedWords, Index, article
from tests.sample import sample_settings

QUERY = HashedWords()(["goodwill refund"])[0]


def passage(article_id: str, text: str, **facets: str) -> Passage:
    return Passage(f"{article_id}/0", article_id, 0, article_id.title(), (), text, "https://help.example", 9, facets)


PUBLIC = passage("refunds", "A refund takes five days.")
NAMED = passage("orders", "An order may be refunded once.", audience="public")
AGENTS = passage("goodwill", "A goodwill refund of up to 200 is fine.", audience="agents")
ROWS = [PUBLIC, NAMED, AGENTS]


def store_in(folder: Path, rows: list[Passage], kb: str = "acme") -> ChromaStore:
    store = ChromaStore(connect(folder, None), kb, "hashed-words")
    store.create()
    store.write(rows, HashedWords()([row.text for row in rows]), ["d"] * len(rows), [1] * len(rows))
    store.finish("g1")
    return store


def found(store: ChromaStore, *audience: Audience, **filters: str) -> set[str]:
    return {id_.partition("/")[0] for id_, _ in store.search(QUERY, 5, filters, *audience)}


def test_nothing_of_an_article_for_agents_is_in_the_public_s_snapshot(tmp_path: Path) -> None:
    built = snapshots.build(*store_in(tmp_path, ROWS).dump())

    assert set(built.articles) == set(built.titles) == {"refunds", "orders"}
    assert not built.knows("goodwill")
    assert "goodwil" not in "".join(built.vocabulary)
    assert len(built.vectors) == len(built.article_vectors) == 2


def test_agents_have_a_snapshot_of_everything_which_is_not_kept_on_disk(tmp_path: Path) -> None:
    built = snapshots.build(*store_in(tmp_path, ROWS).dump(Audience.AGENTS), audience=Audience.AGENTS)

    assert built.knows("goodwill")
    with pytest.raises(ValueError, match="agents"):
        snapshot_files.save([(built.passages, built.vectors)], tmp_path / "snapshot", "g1")


@pytest.mark.parametrize("said", ["agents", "staff", "Agents", "internal"])
def test_a_public_snapshot_cannot_be_made_of_a_passage_whose_audience_is_another_or_in_doubt(said: str) -> None:
    with pytest.raises(ValueError, match="goodwill/0"):
        snapshots.build([passage("goodwill", "Text.", audience=said)], np.ones((1, 2), dtype=np.float32))


@pytest.mark.parametrize("said", ["agents", "Agents", "staff"])
@pytest.mark.parametrize("written_as", ["6", str(FORMAT)])
def test_an_index_made_before_the_rule_stops_serving_what_is_for_agents(
    tmp_path: Path, said: str, written_as: str
) -> None:
    """Both of its halves: rows in Chroma that say it in a facet, and a snapshot on disk that holds their text."""
    settings = sample_settings(tmp_path, KNOWLEDGE__KB="acme", KNOWLEDGE__LANG="en")
    store = store_in(tmp_path, [PUBLIC])
    rows = store._collection
    rows.add(ids=["goodwill/0"], embeddings=[QUERY], documents=[AGENTS.text], metadatas=_as_before(rows.get(), said))
    folder = tmp_path / "kb" / "acme" / "snapshot"
    _keep_as_before(store, folder, said, written_as)

    snapshot = read_snapshot(settings, store)

    assert [one.id for one in snapshot.passages] == ["refunds/0"]
    assert not snapshot.knows("goodwill")
    assert AGENTS.text not in "".join(path.read_text() for path in folder.rglob("passages.jsonl"))
    assert [one.id for one in store.dump()[0]] == ["refunds/0"]
    if said == "agents":
        assert found(store) == {"refunds"}


def _as_before(held: Any, said: str) -> Any:
    (row,) = held["metadatas"]
    return [{**row, "article_id": "goodwill", "title": "Goodwill", "facet_audience": said}]


def _keep_as_before(store: ChromaStore, folder: Path, said: str, written_as: str) -> None:
    snapshot_files.save(store.pages(), folder, store.generation)
    lines = folder / store.generation / "passages.jsonl"
    row = {**json.loads(lines.read_text()), "id": "goodwill/0", "article_id": "goodwill", "text": AGENTS.text}
    lines.write_text(lines.read_text() + "\n" + json.dumps({**row, "facets": {"audience": said}}))
    (folder / store.generation / "format").write_text(written_as)


def test_an_index_says_with_which_rules_its_pages_were_last_read(tmp_path: Path) -> None:
    """A run over all its pages brings it up to date, though no article has changed; one over a part does not."""
    index = Index(tmp_path)
    one, other = article("Text."), article("More text.", "other")
    index.run(Given(one, other))
    index.store.finish(index.store.generation, 0)

    index.run(Given(one), keep_others=True)
    part = index.store.front_matter
    report = index.run(Given(one, other), keep_others=True)

    assert (part, index.store.front_matter) == (0, FRONT_MATTER)
    assert (report.unchanged, report.embedded) == (2, 0)
