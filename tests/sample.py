"""Settings as they ship, over an index of the sample help centre that is made once.

`python -m tests.sample` prints the folder of the index, made first where there is none of today's code.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from pathlib import Path

from filelock import FileLock

from handrail.settings import Settings, load_settings

ROOT = Path(__file__).parents[1]
CONFIG = ROOT / "config.toml"
KEPT = ROOT / ".pytest_cache" / "sample"


def sample_settings(data_dir: Path, **overrides: str) -> Settings:
    """`overrides` are named as in the environment, without the prefix: `LIMITS__ENABLED="false"`."""
    laid_over = {f"HANDRAIL__{name}": value for name, value in overrides.items()}
    return load_settings(CONFIG, {**laid_over, "HANDRAIL__STORAGE__DATA_DIR": str(data_dir)})


def kept_index() -> Path:
    """A data folder with the sample indexed by the code as it is now; copy it, others read it too.

    Processes share the work: the first indexes, the others wait. One change in what an index could depend on, and it
    is made anew.
    """
    KEPT.mkdir(parents=True, exist_ok=True)
    made = KEPT / _made_of()
    with FileLock(KEPT / "making.lock"):
        if not made.exists():
            for old in (entry for entry in KEPT.iterdir() if entry.is_dir()):
                shutil.rmtree(old)
            fresh = Path(tempfile.mkdtemp(dir=KEPT, prefix="making-"))
            _index(fresh)
            fresh.rename(made)
    return made


def _made_of() -> str:
    """A digest of the product's files, sample and names of model weights included, and of what they are run with."""
    product = ROOT / "src" / "handrail"
    files = [path for path in product.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    digest = hashlib.sha256()
    for path in sorted([*files, CONFIG, ROOT / "requirements.lock"]):
        digest.update(f"{path.relative_to(ROOT)}\n".encode() + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]


def _index(folder: Path) -> None:
    from handrail.cli.ingest import run, sample_folder
    from handrail.knowledge.folder import Folder

    settings = sample_settings(folder)
    knowledge = settings.knowledge
    run(settings, [Folder(sample_folder(), knowledge.url_base, knowledge.max_article_bytes)])


if __name__ == "__main__":
    print(kept_index())  # noqa: T201
