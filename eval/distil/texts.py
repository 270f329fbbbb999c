"""Open text to distil on: the descriptions of installed packages, as Markdown files that `handrail ingest` reads."""

from __future__ import annotations

import re
from importlib.metadata import Distribution, distributions
from pathlib import Path

PERMISSIVE = re.compile(r"\b(MIT|BSD|Apache|ISC|PSF)\b", re.I)
COPYLEFT = re.compile(r"\b(GPL|LGPL|AGPL|MPL|Mozilla)\b", re.I)
MIN_CHARS, MAX_CHARS = 1500, 12_000


def write_descriptions(folder: Path) -> list[str]:
    """One file per package under a permissive licence that describes itself; their names, sorted."""
    folder.mkdir(parents=True, exist_ok=True)
    names = []
    for package in distributions():
        text = package.metadata.get_payload() if package.metadata else ""  # type: ignore[attr-defined]
        name = package.name
        if isinstance(text, str) and len(text) >= MIN_CHARS and permissive(package) and name not in names:
            (folder / f"{name}.md").write_text(f"# {name}\n\n{text[:MAX_CHARS]}\n", encoding="utf-8")
            names.append(name)
    return sorted(names)


def permissive(package: Distribution) -> bool:
    stated = [_said(package, "License-Expression"), _said(package, "License")[:60]]
    stated += [line for line in package.metadata.get_all("Classifier") or [] if line.startswith("License")]
    said = " ".join(stated)
    return bool(PERMISSIVE.search(said)) and not COPYLEFT.search(said)


def _said(package: Distribution, field: str) -> str:
    return package.metadata[field] if field in package.metadata else ""  # noqa: SIM401
