"""What articles cover, read off their titles where nobody says it."""

from __future__ import annotations

import numpy as np
import pytest

from handrail.assembly.parts import TITLES, covered_by, described
from handrail.settings import Brand
from handrail.stores import snapshot as snapshots
from tests.knowledge.articles import article, chunker


@pytest.fixture(scope="module")
def snapshot() -> snapshots.Snapshot:
    articles = [article("Ferries carry dogs.", "a", title="Pets"), article("A cabin has beds.", "b", title="Cabins")]
    passages = [passage for one in articles for passage in chunker().passages(one)]
    return snapshots.build(passages, np.eye(len(passages), dtype=np.float32))


def test_few_titles_are_all_named_and_many_from_beginning_to_end() -> None:
    many = [f"Title {number}" for number in range(100)]

    assert covered_by(["Pets", "Cabins"]) == "Pets; Cabins"
    assert covered_by([]) == ""
    assert covered_by(many).split("; ") == many[::3]
    assert len(many[::3]) <= TITLES


def test_what_the_operator_says_comes_first(snapshot: snapshots.Snapshot) -> None:
    assert described(Brand(covers="Islands and ships."), snapshot).covers == "Islands and ships."
    assert described(Brand(covers=""), snapshot).covers == "Pets; Cabins"
