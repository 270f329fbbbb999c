"""Encoders that ship are taught further questions: low-rank changes (LoRA); needs the torch extra."""
