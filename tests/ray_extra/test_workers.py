"""An ingest whose passages a cluster encodes; the cluster is on this machine, with two workers."""

from __future__ import annotations

import secrets
from pathlib import Path

import numpy as np
import pytest

from handrail.assembly import current_index
from handrail.assembly.encoding import STORE_BYTES
from handrail.cli.ingest import run, sample_folder
from handrail.knowledge.folder import Folder
from tests.sample import sample_settings

pytestmark = [pytest.mark.ray, pytest.mark.models, pytest.mark.filterwarnings("ignore")]


def test_a_cluster_makes_the_same_index_as_one_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_AUTH_TOKEN", secrets.token_hex(32))  # otherwise one is written to the home folder
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("RAY_raylet_start_wait_time_s", "120")  # for a busy machine
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=2, object_store_memory=STORE_BYTES, include_dashboard=False, log_to_driver=False)
    small = {"MODELS__THREADS": "1", "MODELS__LATE": "none", "MODELS__FOREIGN": "none"}
    held = {}
    try:
        for workers in ("own", "ray"):
            settings = sample_settings(tmp_path / workers, **small)
            report = run(settings, [Folder(sample_folder(), "", 100_000)], workers=workers)
            with current_index(settings) as store:
                held[workers] = store.dump()
            assert report.embedded > 128, "more than one batch"
    finally:
        ray.shutdown()

    (own, vectors), (others, same) = held["own"], held["ray"]
    assert own == others
    np.testing.assert_allclose(vectors, same, atol=1e-5)
