"""Where a knowledge base's vectors lie on disk."""

from __future__ import annotations

from pathlib import Path

from handrail.assembly import index_folder
from handrail.settings import Settings
from handrail.stores.chroma import ChromaStore, connect


def test_each_has_a_folder_of_its_own_but_for_those_of_an_older_index(tmp_path: Path) -> None:
    settings = Settings.model_validate({"storage": {"data_dir": tmp_path}})
    assert index_folder(settings, "acme") == tmp_path / "kb" / "acme"

    ChromaStore(connect(tmp_path, None), "acme", "hashed-words").create()
    ChromaStore(connect(tmp_path, None), "acme-2-more", "hashed-words").create()

    assert index_folder(settings, "acme") == tmp_path
    assert index_folder(settings, "acme-2") == tmp_path / "kb" / "acme-2"
    ChromaStore(connect(tmp_path / "kb" / "acme", None), "acme", "hashed-words").create()
    assert index_folder(settings, "acme") == tmp_path / "kb" / "acme"
