"""Refusal: which questions the articles do not answer."""

from pydantic import BaseModel, ConfigDict, field_validator

from eval.datasets import SAMPLE, Articles, Case, Dataset


class Before(BaseModel):
    """What was said before the question."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    question: str
    answer: str = ""


class RefusalCase(Case):
    question: str
    should_refuse: bool | None = None
    expected_doc: str | None = None
    """The article an answer should cite."""
    alt_docs: Articles = ()
    """Others that are as good."""
    bucket: str | None = None
    before: tuple[Before, ...] = ()
    """Earlier turns of the conversation, oldest first."""

    @field_validator("expected_doc", mode="before")
    @classmethod
    def _first(cls, value: object) -> object:
        """Some files name a list of one."""
        return value[0] if isinstance(value, list) and len(value) == 1 else value or None

    @property
    def documents(self) -> tuple[str, ...]:
        """Articles an answer may rest on; empty where the row names none."""
        return (self.expected_doc, *self.alt_docs) if self.expected_doc else self.alt_docs


REFUSAL = Dataset("refusal", RefusalCase, SAMPLE / "refusal.jsonl", "should_refuse")
