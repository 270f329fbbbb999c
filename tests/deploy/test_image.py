"""The image is small, runs as nobody in particular, and holds what the locks say."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from tests.deploy.tools import DEPLOY, run

ROOT = DEPLOY.parent
DOCKERFILE = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
STAGES = re.split(r"^FROM ", DOCKERFILE, flags=re.M)[1:]
PINNED = re.compile(r"^([a-z0-9.-]+)(?:\[[a-z,-]+\])?==(\S+)", re.M)


def pins(path: Path) -> dict[str, str]:
    return dict(PINNED.findall(path.read_text(encoding="utf-8")))


def test_the_last_stage_runs_as_a_user_of_its_own_and_says_how_it_is() -> None:
    last = STAGES[-1]

    assert re.search(r"^USER (?!0|root)\d+:\d+$", last, re.M)
    assert re.search(r"^HEALTHCHECK .*\n\s+CMD .*/health", last, re.M)
    assert 'ENTRYPOINT ["handrail"]' in last
    assert not re.search(r"pip install|apt-get", last)


def test_everything_that_is_fetched_has_a_hash() -> None:
    installs = [line for line in DOCKERFILE.splitlines() if "pip install" in line]

    assert len(installs) == 3
    assert all("--require-hashes" in line or "--no-index" in line for line in installs)
    for lock in ("requirements.lock", "requirements-build.lock"):
        text = (DEPLOY / lock).read_text(encoding="utf-8")
        assert len(re.findall(r"^\S+==", text, re.M)) <= text.count("--hash=sha256:")
        assert "http" not in re.sub(r"^[a-z0-9-]+==", "", text, flags=re.M).replace("httpx", "")


def test_the_image_has_the_versions_that_are_tested_and_the_extras_it_needs() -> None:
    image = pins(DEPLOY / "requirements.lock")

    assert pins(ROOT / "requirements.lock").items() <= image.items()
    assert {"asyncpg", "authlib", "qdrant-client", "pdfplumber"} <= image.keys()


def test_what_is_copied_exists_and_is_let_into_the_build() -> None:
    sources = [
        source for line in re.findall(r"^COPY (?!--from)(.+)$", DOCKERFILE, re.M) for source in line.split()[:-1]
    ]
    allowed = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()

    assert allowed[1] == "*"
    assert all((ROOT / source).exists() and f"!{source}" in allowed for source in sources)
    packaged = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]["targets"]
    needed = {*packaged["wheel"]["packages"], *packaged["wheel"]["force-include"]}
    assert all(any(path == source or path.startswith(f"{source}/") for source in sources) for path in needed)


def test_a_linter_finds_nothing() -> None:
    run("hadolint", str(DEPLOY / "Dockerfile"))
