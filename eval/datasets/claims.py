"""Claims: does this passage state this claim?"""

from typing import Literal

from eval.datasets import SAMPLE, Case, Dataset


class ClaimCase(Case):
    claim: str
    passage: str
    label: Literal["supported", "unsupported"] | None = None
    kind: str | None = None
    """How the claim was made, such as `negation` or `heavy` paraphrase; for figures by kind."""


CLAIMS = Dataset("claims", ClaimCase, SAMPLE / "claims.test.jsonl", "label")
