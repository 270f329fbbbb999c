"""Chroma's own clients: of an index on disk, or of a server, where no call waits for ever."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import chromadb
import httpx
from chromadb.api import AdminAPI, ClientAPI
from chromadb.api.client import Client
from chromadb.config import DEFAULT_DATABASE, Settings
from chromadb.errors import NotFoundError, UniqueConstraintError

from handrail.errors import RetryableError, SettingsError
from handrail.settings.tenants import OWN
from handrail.stores.store import SEARCH_S, WAITS_S

_SHARED = threading.Lock()
"""Clients of one folder share what Chroma keeps of it, which must not be made and let go of at once."""
CHROMA, DATABASE = "chroma", "chroma.sqlite3"
CONNECT_S = 10.0


def on_disk(folder: Path) -> bool:
    """Whether `connect` has been used with this folder before."""
    return (folder / CHROMA / DATABASE).is_file()


def holds(folder: Path, kb: str) -> bool:
    """Whether the index on disk in `folder` has the knowledge base; asked of its database, without its lock."""
    if not on_disk(folder):
        return False
    address = f"{(folder / CHROMA / DATABASE).resolve().as_uri()}?mode=ro"
    try:
        with closing(sqlite3.connect(address, uri=True)) as database:
            asked = "SELECT 1 FROM collection_metadata WHERE key = 'kb' AND str_value = ?"
            return database.execute(asked, (kb,)).fetchone() is not None
    except sqlite3.Error:
        return False


def connect(folder: Path, url: str | None, tenant: str = OWN) -> ClientAPI:
    """A client for the index on disk in `folder`, or for the server at `url`, where each tenant has its own database.

    Raises RetryableError when it is away.
    """
    if url is None:
        settings = Settings(anonymized_telemetry=False)
        place = (folder / CHROMA).resolve()
        place.mkdir(parents=True, exist_ok=True)
        with _SHARED:
            return chromadb.PersistentClient(path=str(place), settings=settings)
    host, port, ssl = _place(url)
    database = DEFAULT_DATABASE if tenant == OWN else _database(url, tenant)
    settings = Settings(anonymized_telemetry=False)
    _beats(url)
    try:
        client = chromadb.HttpClient(host=host, port=port, ssl=ssl, settings=settings, database=database)
    except Exception as error:
        raise RetryableError(f"no Chroma server responds at {_address(url)}: {error}") from error
    _impatient(client)
    return client


def _beats(url: str) -> None:
    """Chroma's client waits for ever, so it is made only once the server has responded. Raises RetryableError."""
    try:
        httpx.get(f"{_address(url)}/api/v2/heartbeat", timeout=CONNECT_S)
    except httpx.HTTPError as error:
        raise RetryableError(f"no Chroma server responds at {_address(url)}: {error}") from error


def _impatient(client: ClientAPI) -> None:
    """Bounds every call: Chroma's own client has no limit, and lets none be set."""
    session: httpx.Client = client._server._session  # type: ignore[attr-defined]

    def limit(request: httpx.Request) -> None:
        quick = request.method == "GET" or request.url.path.endswith("/query")
        request.extensions["timeout"] = httpx.Timeout(SEARCH_S if quick else WAITS_S, connect=SEARCH_S).as_dict()

    session.event_hooks = {"request": [limit]}


def remove_database(url: str, tenant: str) -> None:
    """With all knowledge bases of a tenant, where it has any. Raises RetryableError."""
    try:
        with suppress(NotFoundError):
            _administered(url).delete_database(f"handrail-{tenant}")
    except Exception as error:
        raise RetryableError(f"no Chroma server responds at {_address(url)}: {error}") from error


def _database(url: str, tenant: str) -> str:
    """The name of a tenant's database, which is made where it is not there yet. Raises RetryableError."""
    name = f"handrail-{tenant}"
    _beats(url)
    try:
        with suppress(UniqueConstraintError):  # another process makes it, too
            admin = _administered(url)
            try:
                admin.get_database(name)
            except NotFoundError:
                admin.create_database(name)
    except Exception as error:
        raise RetryableError(f"no Chroma server responds at {_address(url)}: {error}") from error
    return name


def _administered(url: str) -> AdminAPI:
    host, port, ssl = _place(url)
    settings = Settings(
        anonymized_telemetry=False,
        chroma_api_impl="chromadb.api.fastapi.FastAPI",
        chroma_server_host=host,
        chroma_server_http_port=port,
        chroma_server_ssl_enabled=ssl,
    )
    return chromadb.AdminClient(settings)


def _place(url: str) -> tuple[str, int, bool]:
    """Host, port, and whether over TLS. Raises SettingsError."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise SettingsError("storage.chroma_url is not an http(s) address such as http://127.0.0.1:8000")
    ssl = parts.scheme == "https"
    return parts.hostname, parts.port or (443 if ssl else 8000), ssl


def _address(url: str) -> str:
    """Without a password."""
    host, port, ssl = _place(url)
    return f"http{'s' if ssl else ''}://{host}:{port}"


def close(client: ClientAPI) -> None:
    """Let go of files and connections, once nobody else in this process uses the same folder."""
    if isinstance(client, Client):
        with _SHARED:
            client.close()
            both: tuple[Any, Any] = client, client._admin_client
            for part in both:
                session: httpx.Client | None = getattr(part._server, "_session", None)
                if session is not None:
                    session.close()  # which Chroma forgets
