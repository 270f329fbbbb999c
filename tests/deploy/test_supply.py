"""What is installed may be, and what isn't known is said rather than taken for good."""

from __future__ import annotations

import json
import subprocess
import sys
from email.message import Message
from pathlib import Path
from typing import Any

import pytest

from deploy import supply


class Package:
    def __init__(self, **said: str | list[str]) -> None:
        self.metadata = Message()
        for key, value in said.items():
            for one in value if isinstance(value, list) else [value]:
                self.metadata[key.replace("_", "-")] = one


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ({"License_Expression": "MPL-2.0 AND (Apache-2.0 OR MIT)"}, ["MPL-2.0", "Apache-2.0", "MIT"]),
        ({"Classifier": ["License :: OSI Approved", "License :: OSI Approved :: BSD License"]}, ["BSD-3-Clause"]),
        ({"License": "MIT License\n\nCopyright"}, ["MIT"]),
        ({"License": "Apache License, Version 2.0", "Classifier": "Programming Language :: Python"}, ["Apache-2.0"]),
        ({}, []),
    ],
)
def test_licences_are_found_wherever_a_package_says_them(said: dict[str, Any], found: list[str]) -> None:
    assert supply.licences(Package(**said)) == found  # type: ignore[arg-type]


def test_every_installed_package_of_the_lock_is_permissive_or_was_looked_at() -> None:
    assert supply.doubtful() == {}
    assert supply.LOOKED_AT.keys() <= supply.locked()


def test_one_that_says_nothing_or_something_else_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    packages = [Package(Name="Fast_API"), Package(Name="httpx", License_Expression="GPL-3.0-only"),
                Package(Name="numpy", License_Expression="MIT"), Package(Name="elsewhere", License="GPL")]  # fmt: skip
    monkeypatch.setattr(supply, "distributions", lambda: packages)
    monkeypatch.setattr(supply, "locked", lambda: {"fast-api", "httpx", "numpy"})

    assert supply.doubtful() == {"fast-api": [], "httpx": ["GPL-3.0-only"]}


def package(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "version": "1", "vulns": [], **more}


BUG = {"id": "CVE-1", "fix_versions": ["2"]}


@pytest.mark.parametrize(
    ("packages", "code", "says"),
    [
        ([package("a"), package("b")], 0, "2 of 2 packages looked up, 0 known"),
        ([package("a", vulns=[BUG]), package("b", skip_reason="unknown")], 1, "a 1: CVE-1, fixed in 2"),
        ([package("a", skip_reason="unknown")], 0, "not looked up"),
    ],
)
def test_a_vulnerability_fails_and_what_was_not_looked_up_is_said(
    packages: list[dict[str, Any]], code: int, says: str
) -> None:
    found = supply.judge(json.dumps({"dependencies": packages}))

    assert found[0] == code
    assert says in found[1]


@pytest.mark.parametrize("report", ["", "Traceback", "{}"])
def test_a_network_that_is_away_is_a_line_and_no_failure(report: str) -> None:
    assert supply.judge(report) == (0, supply.UNHEARD)


def test_tools_for_developers_are_not_in_the_bill_and_nothing_leads_to_them() -> None:
    parts = [{"name": "FastAPI", "bom-ref": "f"}, {"name": "ruff", "bom-ref": "r"}]
    edges = [{"ref": "root", "dependsOn": ["f", "r"]}, {"ref": "r"}, {"ref": "f", "dependsOn": []}]
    bom = {"metadata": {"component": {"bom-ref": "root"}}, "components": parts, "dependencies": edges}

    kept = supply.pruned(bom, {"fastapi"})

    assert kept["components"] == parts[:1]
    assert kept["dependencies"] == [{"ref": "root", "dependsOn": ["f"]}, {"ref": "f", "dependsOn": []}]


TOOL = supply.ROOT / ".venv" / "sbom" / "bin" / "python"


@pytest.mark.slow
@pytest.mark.skipif(not TOOL.exists(), reason="`make sbom` installs the tool apart, and was not called")
def test_the_bill_names_what_is_installed(tmp_path: Path) -> None:
    target = tmp_path / "dist" / "sbom.json"

    subprocess.run([TOOL, supply.__file__, "sbom", target, sys.executable], check=True)

    bom = json.loads(target.read_text())
    names = {supply.named(part["name"]) for part in bom["components"]}
    assert bom["bomFormat"] == "CycloneDX"
    assert {"fastapi", "numpy", "pydantic"} <= names <= supply.locked()
    assert bom["metadata"]["component"]["name"] == "handrail"
