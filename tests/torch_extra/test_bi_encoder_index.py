"""A knowledge base indexed and searched with a sentence-transformers model, as the settings name it."""

from __future__ import annotations

from pathlib import Path

import pytest

from handrail.assembly import build_parts, build_stages
from handrail.cli.ingest import run
from handrail.errors import KnowledgeError
from handrail.knowledge.folder import Folder
from handrail.observe.silent import SilentTracer
from handrail.settings import Settings
from handrail.turn.wording import load_wording
from handrail.types import Label, Question
from tests.sample import sample_settings
from tests.torch_extra.folders import cross_encoder

pytestmark = pytest.mark.torch

ARTICLES = {
    "domain": "Connecting a domain\n\nPoint the name servers of an address bought elsewhere at your site.",
    "refund": "Refunds\n\nA refund reaches the customer's card within five working days.",
    "team": "Inviting colleagues\n\nAdd a member to the workspace and choose a role.",
    "invoice": "Invoices\n\nDownload an invoice as PDF from the billing page.",
    "backup": "Restoring a version\n\nEvery change is kept for thirty days and can be rolled back.",
    "languages": "Translations\n\nOffer the site in several languages with a switcher in the menu.",
}


@pytest.fixture(scope="module")
def settings(bi_encoder: Path, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Of an index that has been made."""
    folder = tmp_path_factory.mktemp("articles")
    for name, text in ARTICLES.items():
        (folder / f"{name}.md").write_text(f"# {text}\n", encoding="utf-8")
    made = sample_settings(
        tmp_path_factory.mktemp("data"), MODELS__EMBEDDER=f"st:{bi_encoder}", MODELS__RERANKER="none"
    )
    report = run(made, [Folder(folder, "", made.knowledge.max_article_bytes)])
    assert (report.articles, report.added) == (6, 6)
    return made


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("question", "article"),
    [
        ("How long does it take to get reimbursed?", "refund"),
        ("use the web domains I already own", "domain"),
        ("Where is my receipt for the monthly bill?", "invoice"),
        ("How do I let coworkers join my team?", "team"),
        ("Is my website multilingual?", "languages"),
    ],
)
async def test_a_question_in_other_words_finds_its_article(settings: Settings, question: str, article: str) -> None:
    parts = build_parts(settings)
    try:
        evidence = await parts.retriever(settings).retrieve(question, {})
    finally:
        parts.close()

    assert evidence.hits[0].passage.article_id == article
    assert 0.45 < evidence.hits[0].dense <= 1


@pytest.mark.anyio
async def test_a_cross_encoder_of_the_same_library_reads_the_sections(
    settings: Settings, bi_encoder: Path, tmp_path: Path
) -> None:
    reranker = cross_encoder(bi_encoder, tmp_path)
    models = settings.models.model_copy(update={"reranker": f"st:{reranker}"})
    reranked = settings.model_copy(update={"models": models})
    parts = build_parts(reranked)
    try:
        evidence = await parts.retriever(reranked).retrieve("How long does it take to get reimbursed?", {})
    finally:
        parts.close()

    read = [section.signals["reading"] for section in evidence.sections]
    assert len(read) > 1
    assert len(set(read)) == len(read), "without a model all readings are alike"


def test_another_model_does_not_see_this_index(settings: Settings) -> None:
    models = settings.models.model_copy(update={"embedder": "bge-small-en-v1.5-int8"})

    with pytest.raises(KnowledgeError, match=r"is not indexed with bge-small-en-v1\.5-int8: run `handrail ingest"):
        build_parts(settings.model_copy(update={"models": models}))


@pytest.mark.anyio
async def test_labels_are_told_without_the_embedder_that_ships(settings: Settings) -> None:
    parts = build_parts(settings)
    try:
        stages = build_stages(settings, parts, load_wording("Acme"), SilentTracer(lambda: "0" * 32))
        probe = await parts.retriever(settings).probe("qsdfgh qsdf")
        found = await stages.classifier.classify(Question("qsdfgh qsdf", "", ""), probe)
    finally:
        parts.close()

    assert probe.label_scores is None and probe.foreign is not None
    assert found.label is Label.NONSENSE
