"""What Qdrant as a store does beyond the conformance suite."""

from __future__ import annotations

from qdrant_client import QdrantClient

from handrail.stores.qdrant import QdrantServer
from handrail.stores.version_collections import VersionCollections
from tests.knowledge.articles import article
from tests.stores.test_versions import ingest, texts


def test_tenants_have_their_own_and_removing_one_leaves_the_others() -> None:
    client = QdrantClient(":memory:")
    tenants = {name: QdrantServer.in_memory(client, name) for name in ("default", "acme", "acme-2")}
    versions = {name: VersionCollections(server, "shop", "hashed-words") for name, server in tenants.items()}
    for name, one in versions.items():
        ingest(one, article(f"Of {name}.", "a"))
    assert {name: texts(one)["a/0"] for name, one in versions.items()} == {name: f"Of {name}." for name in tenants}

    tenants["acme"].clear()
    tenants["acme"].clear()

    assert tenants["acme"].collections() == []
    assert [texts(versions[name])["a/0"] for name in ("default", "acme-2")] == ["Of default.", "Of acme-2."]
