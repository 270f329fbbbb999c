"""Measuring and training: nothing here is imported by the product at run time."""
