"""Dense search in the index, and in memory while the index doesn't respond."""

from __future__ import annotations

import logging

from handrail.errors import RetryableError
from handrail.observe.notice import Notice
from handrail.records.silence import Silence
from handrail.retrieve.hybrid import DenseSearch
from handrail.stores.audience import Audience
from handrail.stores.snapshot import Snapshot
from handrail.turn.state import without
from handrail.types import Vectors
from handrail.types.filters import Filters

PAUSE_S = 30.0
"""Between two tries while the index is silent: whoever tries waits, and what is found in memory is as good."""
CONSEQUENCE = "searches compare every passage in memory instead"

log = logging.getLogger("handrail.index")


class IndexHealth:
    """How the place of an index does, as all who search it in this process know it."""

    def __init__(self) -> None:
        self.silence = Silence(pause_s=PAUSE_S)
        self.notice = Notice(log, "The index")

    def failed(self, error: RetryableError) -> None:
        self.silence.waited_in_vain()
        self.notice.failed(f"fails ({error})", CONSEQUENCE)

    def worked(self) -> None:
        self.silence.answered()
        self.notice.worked()


def searching(index: DenseSearch, snapshot: Snapshot, health: IndexHealth) -> DenseSearch:
    """Search in `index`. The snapshot finds the same in more time, and no turn waits for a server that is silent."""

    def search(vector: Vectors, k: int, filters: Filters, audience: Audience) -> list[tuple[str, float]]:
        if health.silence.may_try():
            try:
                found = index(vector, k, filters, audience)
            except RetryableError as error:
                health.failed(error)
            else:
                health.worked()
                return found
        without("index")
        return snapshot.nearest(snapshot.cosines(vector), k, filters, audience)

    return search
