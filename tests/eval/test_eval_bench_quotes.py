"""What the measurement of quotes counts."""

from __future__ import annotations

import numpy as np

from eval.bench_quotes import within
from handrail.stores.snapshot import build
from handrail.types import Evidence, Hit
from tests.stages import passage


def test_evidence_of_a_shorter_reach_leaves_farther_neighbours_out() -> None:
    passages = [passage(f"a:a/{n}", f"Step {n}.") for n in range(4)]
    snapshot = build(passages, np.eye(4, dtype=np.float32))
    first, *beside = passages
    found = Evidence("step", [Hit(first, final=1.0), *(Hit(other, neighbour=True) for other in beside[:2])])

    assert [hit.passage.position for hit in within(found, snapshot, 0).hits] == [0]
    assert [hit.passage.position for hit in within(found, snapshot, 1).hits] == [0, 1]
    assert [hit.passage.position for hit in within(found, snapshot, 2).hits] == [0, 1, 2]
