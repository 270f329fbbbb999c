"""The place of an index that is not in Chroma on disk, as the settings name it; each is imported where it is used."""

from __future__ import annotations

from pathlib import Path

from handrail.errors import SettingsError
from handrail.settings.serving import Storage
from handrail.stores.chroma import ChromaServer
from handrail.stores.server import Server


def server_of(storage: Storage) -> Server | None:
    """None for Chroma on disk. Raises RetryableError while it is away, SettingsError and MissingExtra."""
    if storage.index == "postgres":
        from handrail.stores.postgres import PostgresServer

        return PostgresServer(storage.postgres_url or storage.database_url or "", storage.tenant)
    if storage.index == "faiss":
        from handrail.stores.faiss import FaissServer

        return FaissServer(storage.data_dir / "index")
    if storage.index == "qdrant":
        from handrail.stores.qdrant import QdrantServer

        if not storage.qdrant_url:
            raise SettingsError("the index in Qdrant needs storage.qdrant_url (QDRANT_URL): http://127.0.0.1:6333")
        key = storage.qdrant_key.get_secret_value() if storage.qdrant_key else None
        return QdrantServer(storage.qdrant_url, key, storage.tenant)
    return ChromaServer(storage.data_dir, storage.chroma_url, storage.tenant) if storage.chroma_url else None


def clear(storage: Storage) -> None:
    """Remove all that a tenant has on the server of the index. Raises RetryableError."""
    server = server_of(storage)
    if server is not None:
        try:
            server.clear()
        finally:
            server.close()


def in_folder(folder: Path) -> Server:
    """What one Chroma in a folder holds, as all had theirs once."""
    return ChromaServer(folder)
