"""Encoders that are at hand are taught other questions: low-rank changes (LoRA); needs the torch extra."""
