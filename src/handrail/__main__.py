"""The command `handrail`, and `python -m handrail`: interrupted while it loads it says so, as it does afterwards."""

from __future__ import annotations

import sys


def main() -> None:
    try:
        from handrail.cli.app import main as run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("stopped\n")
        sys.exit(130)


if __name__ == "__main__":
    main()
