"""Refusal: which questions the articles do not answer."""

from pydantic import field_validator

from eval.datasets import SAMPLE, Case, Dataset


class RefusalCase(Case):
    question: str
    should_refuse: bool | None = None
    expected_doc: str | None = None
    """The article an answer should cite."""
    alt_docs: tuple[str, ...] = ()
    """Others that are as good."""
    bucket: str | None = None

    @field_validator("alt_docs", mode="before")
    @classmethod
    def _absent(cls, value: object) -> object:
        return () if value is None else value

    @property
    def documents(self) -> tuple[str, ...]:
        """Articles an answer may rest on; empty where the row names none."""
        return (self.expected_doc, *self.alt_docs) if self.expected_doc else self.alt_docs


REFUSAL = Dataset("refusal", RefusalCase, SAMPLE / "refusal.jsonl", "should_refuse")
