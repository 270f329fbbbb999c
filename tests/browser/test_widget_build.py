"""What holds of the built files and their sources without a browser."""

import gzip
import hashlib
import json
import re
from pathlib import Path

import pytest

WIDGET = Path(__file__).parents[2] / "frontend" / "widget"
SOURCES = sorted(path for path in (WIDGET / "src").rglob("*") if path.is_file())
SCRIPTS = [path for path in SOURCES if path.suffix == ".js"]
FORBIDDEN = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|createObjectURL"
    r"|setAttribute\(\s*[\"']style"
)


def test_the_committed_bundle_comes_from_these_sources() -> None:
    names = sorted([path.relative_to(WIDGET).as_posix() for path in SOURCES] + ["build.mjs"])
    digest = hashlib.sha256()
    for name in names:
        text = (WIDGET / name).read_text(encoding="utf-8")
        digest.update(f"{name}\0{text}\0".encode())

    recorded = (WIDGET / "dist" / "sources.sha256").read_text(encoding="ascii").strip()

    assert recorded == digest.hexdigest(), "frontend/widget/dist is stale: run `npm run build` in frontend/"


@pytest.mark.parametrize(
    ("name", "budget"),
    [
        ("widget.js", 5_000),
        ("chat.js", 25_000),
        ("live.js", 4_500),
        ("more.js", 6_000),
        ("pieces.js", 3_300),
        ("page.js", 2_200),
        ("proof.js", 500),
    ],
)
def test_a_bundle_keeps_within_its_gzipped_budget(name: str, budget: int) -> None:
    size = len(gzip.compress((WIDGET / "dist" / name).read_bytes(), 9))

    assert size <= budget


@pytest.mark.parametrize("path", [*SCRIPTS, *(WIDGET / "dist").glob("*.js")], ids=lambda path: path.name)
def test_no_script_can_turn_text_into_markup_or_code(path: Path) -> None:
    assert FORBIDDEN.findall(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("name", ["widget.js", "chat.js", "live.js", "more.js", "pieces.js", "page.js", "proof.js"])
def test_a_bundle_names_no_other_server(name: str) -> None:
    text = (WIDGET / "dist" / name).read_text(encoding="utf-8")

    addresses = set(re.findall(r"https?://[\w.-]+", text))

    assert addresses <= {"http://www.w3.org"}


def test_every_language_has_every_word() -> None:
    words = {
        path.stem: set(json.loads(path.read_text(encoding="utf-8"))) for path in (WIDGET / "src/lang").glob("*.json")
    }
    english = set[str]().union(*(words.pop(part) for part in [name for name in words if name.split(".")[0] == "en"]))

    assert {lang: english ^ keys for lang, keys in words.items() if english != keys} == {}


def test_the_launcher_speaks_every_language_of_the_chat() -> None:
    launcher = json.loads((WIDGET / "src/loader/words.json").read_text(encoding="utf-8"))
    chat = {path.stem for path in (WIDGET / "src/lang").glob("??.json")}

    assert set(launcher) == chat
    assert all(len(words) == 4 and "{name}" in words[2] and "{n}" in words[2] for words in launcher.values())
    assert all(all(words) for words in launcher.values())


def test_every_source_file_is_short() -> None:
    lengths = sorted(len(path.read_text(encoding="utf-8").splitlines()) for path in SCRIPTS)

    assert lengths[-1] <= 200
    assert lengths[len(lengths) // 2] <= 60


def test_the_lock_file_holds_no_registry_addresses() -> None:
    assert '"resolved"' not in (WIDGET.parent / "package-lock.json").read_text(encoding="utf-8")
