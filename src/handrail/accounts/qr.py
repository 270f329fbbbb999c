"""A QR code as one path of an SVG, which a page draws without markup from a server and without an image."""

from __future__ import annotations

import segno

QUIET = 4
"""Modules of margin, as ISO/IEC 18004 asks for."""


def drawn(text: str) -> tuple[int, str]:
    """The side in modules, margin included, and the path of the dark ones."""
    rows = [bytes(row) for row in segno.make(text, error="m", micro=False).matrix_iter(border=QUIET)]
    dark = (f"M{x} {y}h1v1h-1z" for y, row in enumerate(rows) for x, module in enumerate(row) if module)
    return len(rows), "".join(dark)
