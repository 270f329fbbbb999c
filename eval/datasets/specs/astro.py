"""The English pages of the Astro documentation, with questions in a user's words."""

from pathlib import Path

from eval.datasets.corpus import pages_digest, root_of, unpacked
from eval.datasets.lines import DatasetError
from eval.datasets.spec import Corpus, Rows, Source, Spec, of_file
from handrail.knowledge import Loader
from handrail.knowledge.markdown_folder import MarkdownFolder
from handrail.settings import Settings

ROWS = Path(__file__).parents[1] / "astro"
URL = "https://docs.astro.build/en"


def given(source: Source) -> Path:
    if source is None:
        raise DatasetError("dataset astro: name the folder of its MDX pages, or the archive of them, with --data")
    return source


def loader(source: Source, settings: Settings) -> Loader:
    path = given(source)
    folder = unpacked(path, settings) if path.is_file() else path
    return MarkdownFolder(root_of(folder), URL, settings.knowledge.max_article_bytes)


SPECS = (
    Spec(
        name="astro",
        title="the Astro documentation (420 MDX pages)",
        licence="MIT",
        source="github.com/withastro/docs",
        kb="eval-astro",
        rows={
            kind: Rows(of_file(ROWS / f"{kind}.jsonl"))
            for kind in ("retrieval", "refusal")
            if (ROWS / f"{kind}.jsonl").is_file()
        },
        corpus=Corpus(loader, lambda source, settings: pages_digest(given(source), settings), n=420, sha256=None),
        needs_data=True,
    ),
)
