"""The settings alone name the server that holds the index, and what is missing for it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from handrail.assembly.servers import server_of
from handrail.errors import HandrailError, MissingExtra, RetryableError, SettingsError
from handrail.settings import load_settings
from handrail.settings.serving import Storage


def storage(tmp_path: Path, **values: str) -> Storage:
    named = {f"HANDRAIL__STORAGE__{key.upper()}": value for key, value in values.items()}
    return load_settings(environ={"HANDRAIL__STORAGE__DATA_DIR": str(tmp_path), **named}).storage


def test_without_a_setting_there_is_none_and_the_index_is_on_disk(tmp_path: Path) -> None:
    assert server_of(storage(tmp_path)) is None
    assert not storage(tmp_path).served_index


def test_faiss_is_on_disk_in_the_data_folder(tmp_path: Path) -> None:
    held = storage(tmp_path, index="faiss")
    server = server_of(held)
    assert server is not None and not held.served_index

    server.store("acme", "st:org/model").create()

    assert [one.name for one in server.collections()] == ["kb-acme-st-org-model"]
    assert (tmp_path / "index").is_dir()


@pytest.mark.parametrize(
    ("values", "error", "says"),
    [
        ({"chroma_url": "http://127.0.0.1:9"}, RetryableError, "no Chroma server responds"),
        ({"index": "qdrant", "qdrant_url": "http://127.0.0.1:9"}, RetryableError, "Qdrant doesn't respond"),
        ({"index": "qdrant", "qdrant_url": "127.0.0.1:9"}, SettingsError, "not an http"),
        ({"index": "qdrant"}, SettingsError, r"storage\.qdrant_url"),
        ({"index": "postgres"}, SettingsError, r"storage\.postgres_url"),
        ({"index": "postgres", "database_url": "postgresql://u@127.0.0.1:9/x"}, RetryableError, "PostgreSQL doesn't"),
    ],
)
def test_each_is_chosen_by_its_setting_and_says_what_is_wrong(
    tmp_path: Path, values: dict[str, str], error: type[HandrailError], says: str
) -> None:
    with pytest.raises(error, match=says):
        server_of(storage(tmp_path, **values))
    assert storage(tmp_path, **values).served_index


@pytest.mark.parametrize(
    ("module", "values"),
    [
        ("qdrant_client", {"index": "qdrant", "qdrant_url": "http://127.0.0.1:9"}),
        ("faiss", {"index": "faiss"}),
        ("asyncpg", {"index": "postgres", "postgres_url": "postgresql://u@127.0.0.1:9/x"}),
    ],
)
def test_an_extra_that_is_missing_is_one_line_that_says_what_to_install(
    tmp_path: Path, module: str, values: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for store in ("faiss", "inverted", "qdrant"):
        monkeypatch.delitem(sys.modules, f"handrail.stores.{store}", raising=False)
    for loaded in [name for name in sys.modules if name.partition(".")[0] == module]:
        monkeypatch.delitem(sys.modules, loaded)
    monkeypatch.setitem(sys.modules, module, None)

    with pytest.raises(MissingExtra, match=rf"pip install .*\[{values['index']}\]"):
        server_of(storage(tmp_path, **values))


def test_an_index_of_its_own_is_never_on_the_server_of_the_settings(tmp_path: Path) -> None:
    asked = storage(tmp_path, index="qdrant", qdrant_url="http://127.0.0.1:9", chroma_url="http://127.0.0.1:9")

    assert server_of(asked.apart(tmp_path)) is None
