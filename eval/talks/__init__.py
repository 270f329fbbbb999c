"""Whole conversations measured by what the visitor reads: what is shown, the verdict on it, and who is asked."""
