"""docs/security.md names tests that exist, for every risk of the list; and what it says of packages holds."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from handrail.settings.show import sections

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
NAMED = re.findall(r"`([\w/.]+\.py(?:::\w+)+)`", PAGE)


def names_in(path: Path) -> set[str]:
    """Names of the tests in a file, those in classes with the class before them."""
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        inside = node.body if isinstance(node, ast.ClassDef) else [node]
        prefix = f"{node.name}::" if isinstance(node, ast.ClassDef) else ""
        names = [one.name for one in inside if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)]
        found |= {prefix + name for name in names if name.startswith("test_")}
    return found


def test_every_test_that_is_named_exists() -> None:
    missing = []
    for named in NAMED:
        file, _, name = named.partition("::")
        path = ROOT / "tests" / file
        if not path.is_file() or name not in names_in(path):
            missing.append(named)

    assert len(NAMED) > 80
    assert missing == []


def test_every_row_about_a_promise_or_a_risk_names_a_test() -> None:
    about = PAGE.partition("## Promises and their tests")[2].partition("## How much can be used up")[0]
    rows = [row for row in re.findall(r"^\|.*\|$", about, re.M) if not re.match(r"\|(---|\s*(promise|risk)\s*\|)", row)]

    assert len(rows) > 50
    assert [row for row in rows if "::test_" not in row.rsplit(" | ", 1)[-1]] == []
    assert re.findall(r"^\| (LLM\d\d) ", about, re.M) == [f"LLM{n:02}" for n in range(1, 11)]


def test_every_setting_that_is_named_exists() -> None:
    there = {f"{section}.{key}" for section, model in sections() for key in model.model_fields}
    named = set(re.findall(r"\b((?:limits|llm|desk|alerts|server)\.[a-z][a-z_]+)", PAGE)) - {
        "alerts.visitor_mails_per_"
    }

    assert len(named) > 10
    assert named - there == set()


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-dev.lock"])
def test_every_package_is_pinned_with_its_hash(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8").replace("\\\n", " ")
    packages = [line for line in text.splitlines() if line.strip() and not line.startswith(("#", "--"))]

    assert len(packages) > 20
    assert [line for line in packages if not re.match(r"[\w.\[\]-]+==\S+.*--hash=sha256:[0-9a-f]{64}", line)] == []
