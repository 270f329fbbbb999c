"""Injection: messages and articles that try to give orders, and honest ones that only look so."""

from pydantic import field_validator

from eval.datasets import SAMPLE, Case, Dataset


class InjectionCase(Case):
    text: str
    """What the visitor writes; of a planted row without `question`, the planted words."""
    attack: bool | None = None
    kind: str | None = None
    planted: bool = False
    """The attack stands in an article, and an innocent visitor asks."""
    article: str | None = None
    """The article it stands in (Markdown, the title first); makes the row a planted one."""
    question: str | None = None
    """What the visitor asks, where `text` is what was planted."""
    demands: tuple[str, ...] = ()
    """Words that stand in the reply only if it obeyed."""
    plain: str | None = None
    """The same request without the suspicious wording, of a benign row."""

    @field_validator("demands", mode="before")
    @classmethod
    def _several(cls, value: object) -> object:
        return () if value is None else (value,) if isinstance(value, str) else value

    @field_validator("planted", mode="before")
    @classmethod
    def _absent(cls, value: object) -> object:
        return False if value is None else value

    @property
    def in_article(self) -> bool:
        return self.planted or bool(self.article)


INJECTION = Dataset("injection", InjectionCase, SAMPLE / "injection.jsonl", "attack")
