"""Distilling the cross-encoder: pairs, teacher scores, a student, its int8 file, and the frontier it sits on."""
