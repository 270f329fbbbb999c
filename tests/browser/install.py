"""`python -m tests.browser.install`: a Chromium for the browser tests, from Debian's packages where this may."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

KNOWN = ("chromium", "chromium-browser", "google-chrome")
PACKAGES = ("chromium", "fonts-liberation", "fonts-noto-color-emoji")
ADVICE = (
    f"The browser tests need Chromium. Install it (Debian, Ubuntu: apt-get install {' '.join(PACKAGES)}) and run again."
)


def main() -> None:
    if any(shutil.which(name) for name in KNOWN) or _playwright_has_one():
        return
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        sys.exit(ADVICE)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    sys.stderr.write("installing Chromium for the browser tests\n")
    for command in (["apt-get", "update", "-qq"], ["apt-get", "install", "-y", "-qq", *PACKAGES]):
        if subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=False).returncode:
            sys.exit(f"{' '.join(command)} failed. {ADVICE}")


def _playwright_has_one() -> bool:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        return Path(playwright.chromium.executable_path).exists()


if __name__ == "__main__":
    main()
