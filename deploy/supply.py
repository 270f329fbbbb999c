"""What Handrail is made of: a bill of materials, and whether licences and versions may stay. See `make sbom audit`."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.metadata import Distribution, distributions
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "deploy" / "requirements.lock"
PERMISSIVE = {
    "0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "CNRI-Python", "ISC", "MIT",
    "MIT-0", "MIT-CMU", "PSF-2.0", "Python-2.0", "Unlicense", "Zlib",
}  # fmt: skip
SPELT = {
    "Apache Software License": "Apache-2.0", "BSD License": "BSD-3-Clause", "MIT License": "MIT",
    "ISC License (ISCL)": "ISC", "Python Software Foundation License": "PSF-2.0",
    "The Unlicense (Unlicense)": "Unlicense",
    "Public Domain": "CC0-1.0", "Historical Permission Notice and Disclaimer (HPND)": "MIT-CMU",
    "Apache License 2.0": "Apache-2.0", "Apache 2.0": "Apache-2.0", "Apache-2": "Apache-2.0",
    "Apache License, Version 2.0": "Apache-2.0", "3-Clause BSD License": "BSD-3-Clause", "BSD": "BSD-3-Clause",
}  # fmt: skip
"""Licences as trove classifiers and authors write them."""
LOOKED_AT = {
    "certifi": "MPL-2.0, used unmodified",
    "docutils": "public domain and BSD; its Emacs mode, under the GPL, is not used",
    "pypdfium2": "Apache-2.0 or BSD-3-Clause, and those of PDFium, which are permissive",
    "orjson": "MPL-2.0 in part, used unmodified",
    "tqdm": "MPL-2.0 in part, used unmodified",
}
"""Packages whose licences a person has read, because they say more than a permissive one."""
UNHEARD = "not looked up: the vulnerability database can't be reached, or doesn't know these packages"


def named(text: str) -> str:
    return re.sub(r"[-_.]+", "-", text).lower()


def locked(lock: Path = LOCK) -> set[str]:
    """Packages that an installation may hold, on any platform."""
    return {named(name) for name in re.findall(r"^([\w.-]+)(?:\[[\w,-]+\])?==", lock.read_text(encoding="utf-8"), re.M)}


def licences(package: Distribution) -> list[str]:
    """As SPDX names where it gives them, else as its author spells them."""
    held = package.metadata
    for expression in held.get_all("License-Expression", ()):
        return [word for word in re.findall(r"[\w.+-]+", expression) if word not in ("AND", "OR", "WITH")]
    classifiers = [line for line in held.get_all("Classifier", ()) if line.startswith("License ::")]
    said = [line.rpartition(" :: ")[2] for line in classifiers if not line.endswith(":: OSI Approved")]
    said = said or [line for text in held.get_all("License", ()) for line in text.strip().splitlines()[:1]]
    return [SPELT.get(line.strip(), line.strip()) for line in said]


def doubtful() -> dict[str, list[str]]:
    """Installed packages of the lock with a licence that is neither permissive nor looked at."""
    wanted = locked()
    found = {}
    for package in distributions():
        name = named(package.metadata["Name"])
        given = licences(package)
        if name in wanted and name not in LOOKED_AT and not (given and set(given) <= PERMISSIVE):
            found[name] = given
    return found


def pruned(bom: dict[str, Any], wanted: set[str]) -> dict[str, Any]:
    """Without what is installed for developers alone."""
    kept = [part for part in bom["components"] if named(part["name"]) in wanted]
    refs = {part["bom-ref"] for part in kept} | {bom["metadata"].get("component", {}).get("bom-ref")}
    edges = [
        {**edge, "dependsOn": [ref for ref in edge["dependsOn"] if ref in refs]} if "dependsOn" in edge else edge
        for edge in bom.get("dependencies", ())
        if edge["ref"] in refs
    ]
    return {**bom, "components": kept, "dependencies": edges}


def write_sbom(target: Path, python: str) -> int:
    """What is installed for the interpreter `python`, of what the lock names. Needs cyclonedx-bom."""
    command = [sys.executable, "-m", "cyclonedx_py", "environment", "--pyproject", str(ROOT / "pyproject.toml"),
               "--output-reproducible", "--of", "JSON", "-o", "-", python]  # fmt: skip
    made = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    bom = pruned(json.loads(made.stdout), locked())
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(bom, indent=2) + "\n", encoding="utf-8")
    print(f"{target}: {len(bom['components'])} packages")
    return 0


def judge(report: str) -> tuple[int, str]:
    """The exit code, and one line for each vulnerability or for why nothing is known."""
    try:
        told = json.loads(report)["dependencies"]
    except (ValueError, KeyError):
        return 0, UNHEARD
    looked_up = [one for one in told if "skip_reason" not in one]
    if not looked_up:
        return 0, UNHEARD
    bad = [
        f"{one['name']} {one['version']}: {bug['id']}, fixed in {', '.join(bug['fix_versions']) or 'no version yet'}"
        for one in looked_up
        for bug in one["vulns"]
    ]
    counted = f"{len(looked_up)} of {len(told)} packages looked up, {len(bad)} known vulnerabilities"
    return int(bool(bad)), "\n".join([*bad, counted])


def look_up() -> int:
    if find_spec("pip_audit") is None:
        print("not looked up: pip-audit is not installed")
        return 0
    command = [sys.executable, "-m", "pip_audit", "--disable-pip", "--require-hashes", "--requirement", str(LOCK),
               "--format", "json", "--progress-spinner", "off", "--timeout", "15"]  # fmt: skip
    made = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    code, said = judge(made.stdout)
    print(said)
    return code


def main(task: str, *arguments: str) -> int:
    if task == "sbom":
        target, python = arguments
        return write_sbom(Path(target), python)
    wrong = doubtful()
    for name, given in sorted(wrong.items()):
        print(f"{name}: {', '.join(given) or 'says no licence'}")
    print(f"{len(locked())} packages in the lock, {len(wrong)} with a licence to look at")
    return look_up() or int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
