"""Which signals each gate reads: few, since many that describe one base do not travel (experiments 40 and 57)."""

from __future__ import annotations

EVIDENCE = (
    "rerank_top",
    "rerank_sure",
    "dense_z",
    "dense_lift",
    "names_missing",
    "names_found",
    "reader_top",
    "reader_first",
)
"""Known before anything is generated."""

ANSWER = (*EVIDENCE, "unit_top", "unit_lead")
"""Known once an answer is there."""
