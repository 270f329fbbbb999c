"""What is found in memory while the index is away, and by whom."""

from __future__ import annotations

import logging

import numpy as np
import pytest

from handrail.assembly.searching import CONSEQUENCE, PAUSE_S, IndexHealth, searching
from handrail.errors import KnowledgeError, RetryableError
from handrail.records.silence import Silence
from handrail.retrieve.hybrid import DenseSearch
from handrail.stores import snapshot as snapshots
from handrail.stores.audience import Audience
from handrail.types import Vectors
from handrail.types.filters import Filters
from tests.clock import Clock
from tests.stores.places import passage, unit

PASSAGES = [passage("a", section="Team"), passage("b", section="Store"), passage("c", audience="agents")]
VECTORS = np.stack([unit(1, 0), unit(0.8, 0.6), unit(0.9, 0.1)])


class Away:
    """A server that says what it is told to say."""

    def __init__(self) -> None:
        self.error: Exception | None = RetryableError("it doesn't respond")
        self.asked = 0

    def search(
        self, vector: Vectors, k: int, filters: Filters, audience: Audience = Audience.PUBLIC
    ) -> list[tuple[str, float]]:
        self.asked += 1
        if self.error is not None:
            raise self.error
        return [("from the index", 1.0)]


def built(store: Away, clock: Clock, read_by: Audience = Audience.AGENTS) -> DenseSearch:
    health = IndexHealth()
    health.silence = Silence(clock, PAUSE_S)
    held = [at for at, one in enumerate(PASSAGES) if read_by.may_read(one.facets)]
    read = snapshots.build([PASSAGES[at] for at in held], VECTORS[held], "en", read_by)
    return searching(store.search, read, health)


def test_memory_finds_what_the_asker_may_read_and_the_filters_choose() -> None:
    search = built(Away(), Clock(0.0))

    def ids(k: int, filters: Filters, audience: Audience) -> list[str]:
        return [id_ for id_, _ in search(unit(1, 0), k, filters, audience)]

    assert ids(5, {}, Audience.PUBLIC) == ["a/0", "b/0"]
    assert ids(5, {}, Audience.AGENTS) == ["a/0", "c/0", "b/0"]
    assert ids(1, {}, Audience.AGENTS) == ["a/0"]
    assert ids(5, {"section": "Store"}, Audience.PUBLIC) == ["b/0"]


def test_one_search_in_a_while_tries_the_index_and_the_log_tells_of_change_alone(
    caplog: pytest.LogCaptureFixture,
) -> None:
    store, clock = Away(), Clock(0.0)
    search = built(store, clock)
    with caplog.at_level(logging.INFO, "handrail.index"):
        for _ in range(5):
            search(unit(1, 0), 5, {}, Audience.PUBLIC)
        clock.now += PAUSE_S
        for _ in range(5):
            search(unit(1, 0), 5, {}, Audience.PUBLIC)
        assert store.asked == 2
        store.error = None
        clock.now += PAUSE_S
        found = [search(unit(1, 0), 5, {}, Audience.PUBLIC) for _ in range(3)]

    assert found == [[("from the index", 1.0)]] * 3
    said = [record.getMessage() for record in caplog.records if record.name == "handrail.index"]
    assert [CONSEQUENCE in line for line in said] == [True, False]
    assert "works again" in said[1]


def test_an_index_of_another_embedder_is_no_server_that_is_away() -> None:
    store = Away()
    store.error = KnowledgeError("of another width")
    search = built(store, Clock(0.0))

    with pytest.raises(KnowledgeError):
        search(unit(1, 0), 5, {}, Audience.PUBLIC)
