"""Handrail over HTTP."""
