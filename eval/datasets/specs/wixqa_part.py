"""A part of WixQA: cut articles, distractor passages and a share of the questions. Its figures are not WixQA's."""

from __future__ import annotations

from eval.datasets.lines import BadRow, Line
from eval.datasets.spec import Corpus, Rows, Source, Spec, numbered, of_copy
from eval.datasets.specs.wixqa import digest, loader, mapped

CORPUS = "2f77b2cc17685daccafbf156cf4080c8958270a047fcffbfa4751b7ad877bf5e"
CAVEAT = "relative figures only: from a part of WixQA with cut articles, this is not a WixQA result"


def part(name: str, questions: Rows, commands: tuple[str, ...]) -> Spec:
    return Spec(
        name=name,
        title="173 cut articles and 302 distractor passages of WixQA",
        licence="MIT",
        source="huggingface.co/datasets/Wix/WixQA, in part",
        kb="eval-wixqa-part",
        rows=dict.fromkeys(commands, questions),
        corpus=Corpus(loader, digest, n=475, sha256=CORPUS),
        caveat=CAVEAT,
        needs_data=True,
    )


def both(source: Source) -> list[Line | BadRow]:
    """The questions of both files, numbered on."""
    halves = [of_copy(f"expertwritten.{half}.jsonl")(source) for half in ("dev", "second")]
    return numbered([item.value for rows in halves for item in rows if isinstance(item, Line)])


EXPERT = Rows(
    of_copy("expertwritten.dev.jsonl"), mapped, 100, "8ed6baf1b4644ca12aaa695a4a2cb425aab76cd25eaf734ee5630a9eccd93ca8"
)
ALL_EXPERT = Rows(both, mapped, 200, "6e6dbc715a9985c35da8e8e614342351c97d93da355965f3114982613f82d977")
SIMULATED = Rows(
    of_copy("simulated.jsonl"), mapped, 200, "cf6b3f1e6c01fba8fee64d9d82fdfe7b1f316c9a3b2a338b33e9c8dbfcb0792d"
)

SPECS = (
    part("wixqa-part-expertwritten", EXPERT, ("retrieval", "answers")),
    part("wixqa-part-expertwritten-all", ALL_EXPERT, ("retrieval", "answers")),
    part("wixqa-part-simulated", SIMULATED, ("answers",)),
)
