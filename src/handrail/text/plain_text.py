"""An answer's Markdown as a person would type it: what an agent sends is shown as it was written."""

from __future__ import annotations

import re

from handrail.text.markdown import plain

ROW = re.compile(r"^\s*\|(?P<cells>.*)\|\s*$")
RULE = re.compile(r"^\s*\|?[\s:|-]*-{3,}[\s:|-]*$")
CELL = re.compile(r"(?<!\\)\|")
MARKS = re.compile(r"^\s*(?:\[\d+\])+\s*$")
SPREAD = re.compile(r"\n{3,}")
HEADING = re.compile(r"^\s*#{1,6}\s+")
QUOTE = re.compile(r"^\s*>\s?")
FENCE = re.compile(r"^\s*(?:`{3,}|~{3,})")


def plain_text(markdown: str) -> str:
    """Without marks of emphasis, code and headings; blocks of code as they stand, and a table's rows as list items that
    name what each value is.
    """
    lines: list[str] = []
    header: list[str] | None = None
    code = False
    for line in markdown.splitlines():
        if FENCE.match(line):
            code = not code
            continue
        if code:
            lines.append(line)
            continue
        cells = _cells(line)
        if cells is None:
            header = None
            _add(lines, QUOTE.sub("", HEADING.sub("", line)))
        elif header is None:
            header = cells
        elif not RULE.match(line):
            lines.append(_item(header, cells))
    return SPREAD.sub("\n\n", "\n".join(lines)).strip()


def _add(lines: list[str], line: str) -> None:
    """A line of nothing but `[1]` belongs to the table or list that it stands under."""
    if MARKS.match(line) and any(lines):
        while not lines[-1]:
            lines.pop()
        lines[-1] += f" {line.strip()}"
        return
    indent = len(line) - len(line.lstrip())
    lines.append(" " * indent + plain(line))


def _cells(line: str) -> list[str] | None:
    found = ROW.match(line)
    return [plain(cell.replace("\\|", "|")) for cell in CELL.split(found["cells"])] if found else None


def _item(header: list[str], cells: list[str]) -> str:
    subject, *values = cells
    if len(values) == 1:
        return f"- {subject}: {values[0]}" if subject else f"- {values[0]}"
    named = [f"{name}: {value}" if name else value for name, value in zip(header[1:], values, strict=False) if value]
    return f"- {subject}: {'; '.join(named)}" if subject else f"- {'; '.join(named)}"
