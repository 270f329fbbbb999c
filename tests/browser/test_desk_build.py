"""What holds of the desk's built files and their sources without a browser."""

import gzip
import hashlib
import json
import re
from pathlib import Path

import pytest

FRONTEND = Path(__file__).parents[2] / "frontend"
DESK = FRONTEND / "desk"
FOLDERS = ("desk/src", "widget/src/shared", "widget/src/markdown")
SOURCES = sorted(path for folder in FOLDERS for path in (FRONTEND / folder).rglob("*") if path.is_file())
SCRIPTS = sorted((DESK / "src").rglob("*.js"))
FORBIDDEN = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|createObjectURL"
    r"|setAttribute\(\s*[\"']style"
)
BUDGET = 90_000


def test_the_committed_bundle_comes_from_these_sources() -> None:
    names = sorted([path.relative_to(FRONTEND).as_posix() for path in SOURCES] + ["desk/build.mjs"])
    digest = hashlib.sha256()
    for name in names:
        text = (FRONTEND / name).read_text(encoding="utf-8")
        digest.update(f"{name}\0{text}\0".encode())

    recorded = (DESK / "dist" / "sources.sha256").read_text(encoding="ascii").strip()

    assert recorded == digest.hexdigest(), "frontend/desk/dist is stale: run `npm run build` in frontend/"


def test_the_desk_with_its_charts_keeps_within_its_gzipped_budget() -> None:
    files = [path for path in (DESK / "dist").iterdir() if path.suffix in {".js", ".css", ".html"}]

    assert sum(len(gzip.compress(path.read_bytes(), 9)) for path in files) <= BUDGET


@pytest.mark.parametrize("path", [*SCRIPTS, *(DESK / "dist").glob("*.js")], ids=lambda path: path.name)
def test_no_script_can_turn_text_into_markup_or_code(path: Path) -> None:
    assert FORBIDDEN.findall(path.read_text(encoding="utf-8")) == []


def test_the_desk_names_no_other_server() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in (DESK / "dist").iterdir())

    assert set(re.findall(r"https?://[\w.-]+", text)) <= {"http://www.w3.org"}


def test_every_source_file_is_short() -> None:
    lengths = sorted(len(path.read_text(encoding="utf-8").splitlines()) for path in SCRIPTS)

    assert lengths[-1] <= 200
    assert lengths[len(lengths) // 2] <= 70


def test_every_wording_that_is_asked_for_exists() -> None:
    """A key that nobody worded would show itself to the agent."""
    worded = set(json.loads((DESK / "src" / "strings.json").read_text(encoding="utf-8")))
    asked = {key for path in SCRIPTS for key in re.findall(r"\bt\(\s*\"([a-z_]+)\"", path.read_text(encoding="utf-8"))}

    assert asked - worded == set()
