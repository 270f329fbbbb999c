"""One file for a folder: what was written is read again, and nothing else is ever taken for an archive."""

from __future__ import annotations

import io
import json
import stat
import tarfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from handrail.assembly.archive import FORMAT, MANIFEST, BadArchive, pack, read

FILES = {"a.txt": b"one", "deep/er/b.bin": bytes(range(256)) * 900}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "folder"
    for name, content in FILES.items():
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        (made / name).write_bytes(content)
    return made


def test_a_folder_comes_back_as_it_was_for_its_owner_alone(folder: Path, tmp_path: Path) -> None:
    archive, out = tmp_path / "a.tar.gz", tmp_path / "out"

    written = pack(folder, archive, {"handrail": "1"})

    assert read(archive, out) == written
    assert {path.relative_to(out).as_posix(): path.read_bytes() for path in out.rglob("*") if path.is_file()} == FILES
    assert stat.S_IMODE(archive.stat().st_mode) == 0o600
    assert {stat.S_IMODE(path.stat().st_mode) for path in out.rglob("*")} == {0o600, 0o700}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.tar.gz", "folder", "out"]


def test_a_file_that_is_there_stays_as_it_is(folder: Path, tmp_path: Path) -> None:
    archive = tmp_path / "a.tar.gz"
    archive.write_text("mine")

    with pytest.raises(FileExistsError):
        pack(folder, archive, {})

    assert archive.read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.tar.gz", "folder"]


@pytest.mark.parametrize("where", [0.02, 0.3, 0.6, 0.97])
def test_a_flipped_byte_or_a_missing_end_is_noticed(folder: Path, tmp_path: Path, where: float) -> None:
    archive = tmp_path / "a.tar.gz"
    pack(folder, archive, {})
    whole = archive.read_bytes()
    at = int(len(whole) * where)

    archive.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
    with pytest.raises(BadArchive):
        read(archive)
    archive.write_bytes(whole[:at])
    with pytest.raises(BadArchive):
        read(archive)


def test_a_file_that_is_no_archive_is_one_line(tmp_path: Path) -> None:
    for content in (b"", b"not an archive", b"\x1f\x8b"):
        (tmp_path / "x").write_bytes(content)
        with pytest.raises(BadArchive, match="damaged, or no backup") as raised:
            read(tmp_path / "x")
        assert "\n" not in str(raised.value)
    with pytest.raises(BadArchive, match="can't be read"):
        read(tmp_path / "absent")


Member = tuple[tarfile.TarInfo, bytes]


def member(name: str, kind: bytes = tarfile.REGTYPE, content: bytes = b"x", **more: Any) -> Member:
    info = tarfile.TarInfo(name)
    info.type = kind
    info.size = len(content) if kind == tarfile.REGTYPE else 0
    for key, value in more.items():
        setattr(info, key, value)
    return info, content


def manifest(*names: str, format: int = FORMAT) -> Member:
    files = {name: {"bytes": 1, "sha256": sha256(b"x").hexdigest()} for name in names}
    return member(MANIFEST, content=json.dumps({"format": format, "handrail": "9.9", "files": files}).encode())


HOSTILE: dict[str, Callable[[Path], list[Member]]] = {
    "parent": lambda _: [member("../out"), manifest("../out")],
    "inner parent": lambda _: [member("a/../../out"), manifest("a/../../out")],
    "absolute": lambda out: [member(str(out)), manifest(str(out))],
    "symbolic link": lambda out: [member("a", tarfile.SYMTYPE, linkname=str(out)), manifest()],
    "through a link": lambda out: [member("a", tarfile.SYMTYPE, linkname=str(out.parent)), member("a/out"), manifest()],
    "hard link": lambda out: [member("a", tarfile.LNKTYPE, linkname=str(out)), manifest()],
    "device": lambda _: [member("a", tarfile.CHRTYPE, devmajor=1, devminor=3), manifest()],
    "pipe": lambda _: [member("a", tarfile.FIFOTYPE), manifest()],
    "folder": lambda _: [member("a", tarfile.DIRTYPE), manifest()],
    "twice": lambda _: [member("a"), member("a"), manifest("a")],
    "after the manifest": lambda _: [member("a"), manifest("a"), member("b")],
    "not in the manifest": lambda _: [member("a"), member("b"), manifest("a")],
    "missing": lambda _: [member("a"), manifest("a", "b")],
    "no manifest": lambda _: [member("a")],
    "newer": lambda _: [member("a"), manifest("a", format=FORMAT + 1)],
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_no_backup_holds_is_refused_and_writes_nothing_outside(tmp_path: Path, name: str) -> None:
    archive, into, out = tmp_path / "h.tar.gz", tmp_path / "into", tmp_path / "out"
    with tarfile.open(archive, "w:gz") as tar:
        for info, content in HOSTILE[name](out):
            tar.addfile(info, io.BytesIO(content) if info.size else None)

    with pytest.raises(BadArchive):
        read(archive, into)

    assert not out.exists()
    assert not any(path.is_symlink() for path in tmp_path.rglob("*"))
