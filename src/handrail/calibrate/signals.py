"""Which signals each gate reads."""

from __future__ import annotations

EVIDENCE = (
    "rerank_top",
    "rerank_margin",
    "rerank_second",
    "dense_top",
    "dense_third",
    "dense_z",
    "dense_gap",
    "dense_lift",
    "coverage_top",
    "coverage_all",
    "coverage_title",
    "missing_rarest",
    "unknown",
    "names_missing",
    "names_found",
    "agreement",
    "both",
    "reader_top",
    "reader_first",
)
"""Known before anything is generated."""

ANSWER = (
    *EVIDENCE,
    "unit_top",
    "unit_second",
    "unit_lead",
    "unit_first",
    "unit_listed",
    "coverage_answer",
    "coverage_first",
)
"""Known once an answer is there."""
