"""Everything about a run that could change its numbers."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from pydantic import BaseModel, SecretStr

import handrail
from eval.metrics.bootstrap import SEED
from handrail.assembly import current_index, kb_folder
from handrail.knowledge.ingest import corpus
from handrail.llm.prompts import LocalPrompts
from handrail.models.manifest import manifest
from handrail.settings import Settings
from handrail.settings.paths import site_dir

HERE = Path(__file__).parent
SET = "set"
GIT_TIMEOUT_S = 10
LIBRARIES = (
    "bm25s", "chromadb", "ir-measures", "numpy", "onnxruntime", "pydantic-ai-slim", "pystemmer", "scikit-learn",
    "scipy", "sentence-transformers", "sentencex", "tokenizers", "torch",
)  # fmt: skip
"""Those that a figure can depend on; `requirements.lock` pins the rest."""
SOURCES = {".py", ".j2", ".toml", ".txt"}
NO_CODE = {"_site", "hub", "runs", "training"}
WEIGHTS = {".npz", ".npy", ".json", ".gz", ".onnx", ".bin"}


def provenance(settings: Settings, root: Path, url: str | None = None) -> dict[str, Any]:
    """Versions, revision, settings, models and index. Raises KnowledgeError when there is no index.

    Of a server at `url` nothing is known but its address; the rest is of whoever asked it.
    """
    return {
        "handrail": handrail.__version__,
        "git": revision(root),
        "code": code(),
        "python": platform.python_version(),
        "libraries": libraries(),
        "machine": {"system": platform.platform(), "processor": processor(), "cpus": os.cpu_count()},
        "seed": SEED,
        "kb": index(settings) if url is None else {"name": _bare(url)},
        "models": models(settings),
        "weights": weights(settings),
        "fitted": fitted(settings),
        "prompts": prompts(settings),
        "settings": without_secrets(settings),
    }


def index(settings: Settings) -> dict[str, Any]:
    """Which generation of which knowledge base is measured, and a hash of its articles.

    `corpus` is that of the articles alone: it stays when they are cut or embedded in another way.
    """
    with current_index(settings) as store:
        stamps = store.stamps()
        return {
            "name": store.kb,
            "generation": store.generation,
            "corpus": corpus(stamps),
            "articles": len(stamps),
            "passages": store.count(),
        }


def code() -> str:
    """One sha256 over the sources that can change a number; unlike the revision it knows of uncommitted changes.

    The same in a clone and where its wheel is installed.
    """
    folders = {"eval": HERE, "handrail": Path(handrail.__file__).parent}
    templates = site_dir("prompts")
    if templates is not None:
        folders["prompts"] = templates
    held = hashlib.sha256()
    for name, folder in folders.items():
        for path in sorted(folder.rglob("*")):
            place = path.relative_to(folder)
            if path.suffix in SOURCES and NO_CODE.isdisjoint(place.parts):
                held.update(f"{name}/{place.as_posix()}\0".encode() + path.read_bytes())
    return held.hexdigest()


def libraries() -> dict[str, str]:
    found = {}
    for name in LIBRARIES:
        with suppress(metadata.PackageNotFoundError):
            found[name] = metadata.version(name)
    return found


def processor() -> str:
    """Its model where the system tells: others round int8 models in another way."""
    with suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
        named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
        return next(named, platform.machine())
    return platform.processor() or platform.machine()


def models(settings: Settings) -> dict[str, str | None]:
    llm = settings.llm
    return {
        "embedder": settings.models.embedder,
        "reranker": settings.models.reranker,
        "late": settings.models.late,
        "foreign": settings.models.foreign,
        "llm": llm.model if llm.configured else None,
        "small_llm": (llm.small_model or llm.model) if llm.configured else None,
    }


def weights(settings: Settings) -> dict[str, dict[str, str]]:
    """sha256 of every file of the local models, which loading has checked; nothing is known of `st:` models."""
    held = settings.models
    names = (held.embedder, held.reranker, held.late, held.foreign)
    known = manifest()
    return {n: {file: of.sha256 for file, of in known[n].files.items()} for n in names if n in known}


def fitted(settings: Settings) -> dict[str, str]:
    """sha256 of fitted files by name: those that ship, those the settings name, and those of the knowledge base."""
    package = Path(handrail.__file__).parent
    shipped = [p for p in sorted(package.rglob("*")) if p.suffix in WEIGHTS and "_site" not in p.parts]
    chosen = [settings.gates.calibration]
    own = kb_folder(settings, settings.knowledge.kb) / "fitted"
    files = {path.name: path for path in [*shipped, *(path for path in chosen if path is not None)]}
    files |= {f"{settings.knowledge.kb}/{path.name}": path for path in sorted(own.glob("*"))}
    return {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files.items() if path.is_file()}


def prompts(settings: Settings) -> dict[str, str]:
    """sha256 of every local template."""
    source = LocalPrompts(own=settings.prompts.folder)
    return {name: hashlib.sha256(source.text(name).text.encode()).hexdigest() for name in source.names()}


def revision(root: Path) -> dict[str, Any]:
    """`revision` and `dirty` (changed or untracked files); both None where `root` is not the top of a checkout."""
    top = _git(root, "rev-parse", "--show-toplevel")
    head = _git(root, "rev-parse", "HEAD") if top and Path(top).resolve() == root.resolve() else None
    status = _git(root, "status", "--porcelain") if head else None
    return {"revision": head or None, "dirty": None if status is None else bool(status)}


def without_secrets(model: BaseModel) -> dict[str, Any]:
    """The tree as JSON values: keys only say that they are set, addresses lose user, password and query."""
    return {name: _shown(name, getattr(model, name)) for name in type(model).model_fields}


def _shown(name: str, value: Any) -> Any:
    if isinstance(value, BaseModel):
        return without_secrets(value)
    if isinstance(value, list):
        return [_shown(name, item) for item in value]
    if isinstance(value, SecretStr) or (name.endswith("_key") and value):
        return SET
    if isinstance(value, str) and "://" in value:
        return _bare(value)
    return str(value) if isinstance(value, Path) else value


def _bare(address: str) -> str:
    parts = urlsplit(address)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, "", ""))


def _git(root: Path, *arguments: str) -> str | None:
    program = shutil.which("git")
    if program is None:
        return None
    try:
        ran = subprocess.run(  # noqa: S603
            [program, "--no-optional-locks", *arguments],
            cwd=root,
            capture_output=True,
            text=True,
            timeout=GIT_TIMEOUT_S,
            check=True,
        )
    except (subprocess.SubprocessError, OSError):
        return None
    return ran.stdout.strip()
