"""Which signals each gate reads: few, since many that describe one base do not travel (experiments 40 to 159)."""

from __future__ import annotations

EVIDENCE = (
    "reader_first",
    "reader_top",
    "reader_sum",
    "rerank_far",
    "rerank_mean",
    "names_missing",
    "coverage_all",
)
"""Known before anything is generated."""

ANSWER = (*EVIDENCE, "unit_top", "unit_lead")
"""Known once an answer is there."""
