"""Where the files that are not Python live: beside the code in a clone, inside the package once installed."""

from __future__ import annotations

from pathlib import Path

SAMPLE_KB = "sample"
"""The knowledge base of the sample help centre."""

PACKAGE = Path(__file__).resolve().parents[1]
CLONE = {
    "widget": "frontend/widget/dist",
    "desk": "frontend/desk/dist",
    "demo": "frontend/demo",
    "prompts": "prompts",
}
"""Each part of the site and its folder in a clone; in a wheel it is `handrail/_site/<part>`."""


def site_dir(part: str, package: Path = PACKAGE) -> Path | None:
    """The folder of `widget`, `desk`, `demo` or `prompts`; None when it has not been built.

    `package` is handrail's own.
    """
    folder = CLONE[part]
    root = package.parents[1]
    candidates = [package / "_site" / part]
    if (root / "pyproject.toml").is_file():
        candidates.insert(0, root / folder)
    return next((path for path in candidates if path.is_dir()), None)
