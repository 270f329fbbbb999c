"""The help centre that ships with Handrail, and questions written for it."""

from eval.datasets import SAMPLE
from eval.datasets.corpus import pages, pages_digest
from eval.datasets.spec import Corpus, Rows, Spec, of_file
from handrail.cli.ingest import sample_folder

KINDS = ("routing", "retrieval", "refusal", "answers", "injection", "conversation")

SPECS = (
    Spec(
        name="sample",
        title="the sample help centre of Tillwick, a company that does not exist",
        licence="Apache-2.0",
        source="this repository",
        kb="sample",
        rows={kind: Rows(of_file(SAMPLE / f"{kind}.jsonl")) for kind in KINDS if (SAMPLE / f"{kind}.jsonl").is_file()},
        corpus=Corpus(
            loader=lambda _, settings: pages(sample_folder(), settings),
            digest=lambda _, settings: pages_digest(sample_folder(), settings),
            own=False,
        ),
    ),
)
