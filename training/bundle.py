"""Lists the fitted files that ship, with their hashes (`models/bundle/bundle.toml`); run it after any fit.

    python -m training.bundle --version 2026-11-28

Update `CARD.md` beside it by hand: what a file learnt from, how well it does, and where its limits are.
"""

from __future__ import annotations

import argparse

from handrail.models.bundled import LIST, UNLISTED, digest, folder
from training import FITTED

HEAD = """# The fitted files of this version. `python -m training.bundle` writes this; CARD.md says what they are.
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", required=True, help="the day, and a letter where there are two of one day")
    given = parser.parse_args()
    held = sorted((one for one in folder().iterdir() if one.name not in UNLISTED), key=lambda one: one.name)
    lines = [f'"{one.name}" = "{digest(one)}"' for one in held]
    text = f'{HEAD}version = "{given.version}"\n\n[sha256]\n' + "\n".join(lines) + "\n"
    (FITTED / LIST).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
