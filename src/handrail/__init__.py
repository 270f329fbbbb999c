"""Handrail: a customer-support assistant that answers from help articles and shows its evidence."""

__version__ = "0.1.0"
