"""A Python of its own: the libraries read their environment, and may be hidden, only at import."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Collection, Mapping

HIDE = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {absent!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Absent())
"""

NO_HUB = {"HF_ENDPOINT": "http://127.0.0.1:9"}
"""Nothing listens on that port."""


def python(
    code: str, *arguments: str, absent: Collection[str] = (), environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run `code` with warnings as errors; the packages named by `absent` cannot be imported."""
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", HIDE.format(absent=set(absent)) + code, *arguments],
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        timeout=60,
    )
