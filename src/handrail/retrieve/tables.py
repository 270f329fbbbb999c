"""Tables in the words a cross-encoder understands: pipes and rulers cost the right passage several logits."""

from __future__ import annotations

import re

RULER = re.compile(r"^\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?$")


def tables_as_text(text: str) -> str:
    """`text` with each row of a Markdown table as `Plan: Solo; Price: EUR 14.` on a line of its own."""
    lines = text.splitlines()
    out: list[str] = []
    names: list[str] = []
    for line, below in zip(lines, [*lines, ""][1:], strict=True):
        if not line.lstrip().startswith("|"):
            names = []
            out.append(line)
        elif RULER.match(below.strip()):
            names = _cells(line)
        elif not RULER.match(line.strip()):
            out.append(_row(names, _cells(line)))
    return "\n".join(out)


def _row(names: list[str], values: list[str]) -> str:
    names = names + [""] * (len(values) - len(names))
    return "; ".join(f"{name}: {value}" if name else value for name, value in zip(names, values, strict=False)) + "."


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]
