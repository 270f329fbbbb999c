"""Routing: which of the five labels a message has."""

from eval.datasets import SAMPLE, Case, Dataset
from handrail.types import Label


class RoutingCase(Case):
    text: str
    label: Label | None = None
    company: str | None = None
    """Whose assistant is asked, where a file of companies says what it knows; without one the knowledge base is."""
    lang: str | None = None


ROUTING = Dataset("routing", RoutingCase, SAMPLE / "routing.jsonl", "label")
