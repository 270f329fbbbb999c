"""Fitting retrieval to one knowledge base, and the proof that it helps before anything is changed."""
