"""A part of WixQA: cut articles, distractor passages and a share of the questions. Its figures are not WixQA's."""

from __future__ import annotations

from eval.datasets.spec import Corpus, Rows, Spec, of_copy
from eval.datasets.specs.wixqa import digest, loader, mapped

CAVEAT = "relative figures only: from a part of WixQA with cut articles, this is not a WixQA result"


def part(name: str, questions: Rows, commands: tuple[str, ...]) -> Spec:
    return Spec(
        name=name,
        title="173 cut articles and 302 distractor passages of WixQA",
        licence="MIT",
        source="huggingface.co/datasets/Wix/WixQA, in part",
        kb="eval-wixqa-part",
        rows=dict.fromkeys(commands, questions),
        corpus=Corpus(loader, digest, n=475),
        caveat=CAVEAT,
        needs_data=True,
    )


EXPERT = Rows(of_copy("expertwritten.dev.jsonl"), mapped, 100)
SIMULATED = Rows(of_copy("simulated.jsonl"), mapped, 200)

SPECS = (
    part("wixqa-part-expertwritten", EXPERT, ("retrieval", "answers")),
    part("wixqa-part-simulated", SIMULATED, ("answers",)),
)
