"""The English pages of the Astro documentation, with questions in a user's words."""

from pathlib import Path

from eval.datasets.corpus import pages_digest, root_of, unpacked
from eval.datasets.lines import DatasetError
from eval.datasets.spec import Corpus, Rows, Source, Spec, of_file
from handrail.knowledge import Loader
from handrail.knowledge.folder import Folder
from handrail.settings import Settings

ROWS = Path(__file__).parents[1] / "astro"
URL = "https://docs.astro.build/en"
ARCHIVE = "astro-docs.tar.gz"
SHA256 = "c24841aef06cf5feef171acd3b3f775eeafd70d3f1135b4adf68ade2cc75116d"


def pages(source: Source, settings: Settings) -> Path:
    """The folder of English pages in a checkout, an archive of one, or a folder above both."""
    if source is None:
        raise DatasetError("dataset astro: name the folder of its MDX pages, or the archive of them, with --data")
    archive = source / ARCHIVE
    path = archive if archive.is_file() else source
    folder = unpacked(path, settings) if path.is_file() else path
    english = next((found for found in sorted(folder.rglob("docs/en")) if found.is_dir()), folder)
    return root_of(english)


def loader(source: Source, settings: Settings) -> Loader:
    return Folder(pages(source, settings), URL, settings.knowledge.max_article_bytes)


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
        corpus=Corpus(
            loader, lambda source, settings: pages_digest(pages(source, settings), settings), n=420, sha256=SHA256
        ),
        needs_data=True,
    ),
)
