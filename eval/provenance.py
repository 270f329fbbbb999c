"""Everything about a run that could change its numbers."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from pydantic import BaseModel, SecretStr

import handrail
from handrail.settings import Settings
from handrail.stores.chroma import ChromaStore, connect

SET = "set"
GIT_TIMEOUT_S = 10


def provenance(settings: Settings, root: Path) -> dict[str, Any]:
    """Versions, revision, settings, models and index. Raises KnowledgeError when there is no index."""
    return {
        "handrail": handrail.__version__,
        "git": revision(root),
        "python": platform.python_version(),
        "machine": {"system": platform.platform(), "cpus": os.cpu_count()},
        "kb": index(settings),
        "models": models(settings),
        "fitted": fitted(settings),
        "settings": without_secrets(settings),
    }


def index(settings: Settings) -> dict[str, Any]:
    """Which generation of which knowledge base is measured."""
    client = connect(settings.storage.data_dir, settings.storage.chroma_url)
    store = ChromaStore(client, settings.knowledge.kb, settings.models.embedder)
    store.open()
    return {"name": store.kb, "generation": store.generation, "passages": store.count()}


def models(settings: Settings) -> dict[str, str | None]:
    llm = settings.llm
    return {
        "embedder": settings.models.embedder,
        "reranker": settings.models.reranker,
        "llm": llm.model if llm.configured else None,
        "small_llm": (llm.small_model or llm.model) if llm.configured else None,
    }


def fitted(settings: Settings) -> dict[str, str]:
    """sha256 of the classifier head and the gates in use, by file name."""
    package = Path(handrail.__file__).parent
    paths = [
        settings.classify.head or package / "classify" / "head.npz",
        settings.gates.calibration or package / "fitted" / "relevance.json",
        package / "fitted" / "critique.json",
    ]
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in paths if path.is_file()}


def revision(root: Path) -> dict[str, Any]:
    """`revision` and `dirty` (changed or untracked files); both None outside a git checkout."""
    head = _git(root, "rev-parse", "HEAD")
    status = _git(root, "status", "--porcelain") if head else None
    return {"revision": head or None, "dirty": None if status is None else bool(status)}


def without_secrets(model: BaseModel) -> dict[str, Any]:
    """The tree as JSON values: keys only say that they are set, addresses lose user, password and query."""
    return {name: _shown(name, getattr(model, name)) for name in type(model).model_fields}


def _shown(name: str, value: Any) -> Any:
    if isinstance(value, BaseModel):
        return without_secrets(value)
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
