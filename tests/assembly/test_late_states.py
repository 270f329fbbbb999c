"""Vectors of tokens beside an index: made at ingest, made again where they are missing, left out by settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from handrail.assembly import build_parts
from handrail.cli.ingest import run
from handrail.knowledge.folder import Folder
from handrail.settings import Settings
from tests.sample import sample_settings

pytestmark = [pytest.mark.models, pytest.mark.anyio]

QUESTION = "until when do you give money back"


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    folder = tmp_path_factory.mktemp("articles")
    (folder / "refunds.md").write_text("# Refunds\n\nA refund is possible for 90 days after the payment.\n")
    (folder / "opening.md").write_text("# Opening hours\n\nThe shop opens at seven in the morning.\n")
    settings = sample_settings(tmp_path_factory.mktemp("data"), KNOWLEDGE__KB="shop")
    run(settings, [Folder(folder, settings.knowledge.url_base, settings.knowledge.max_article_bytes)])
    return settings


def states(settings: Settings) -> Path:
    return settings.storage.data_dir / "kb" / "shop" / "states" / "states.npz"


async def likenesses(settings: Settings) -> list[float | None]:
    parts = build_parts(settings)
    try:
        evidence = await parts.retriever(settings).retrieve(QUESTION, {})
    finally:
        parts.close()
    assert evidence.hits[0].passage.article_id.endswith("refunds")
    return [hit.late for hit in evidence.hits]


async def test_ingest_leaves_them_and_the_retriever_reads_them(shop: Settings) -> None:
    assert states(shop).is_file()

    found = await likenesses(shop)

    assert found[0] is not None and found[1] is not None
    assert found[0] > found[1]


async def test_an_index_of_an_earlier_version_gets_them_at_the_start(shop: Settings) -> None:
    before = await likenesses(shop)
    states(shop).unlink()

    assert await likenesses(shop) == before
    assert states(shop).is_file()


@pytest.mark.parametrize("off", [{"models": {"late": "none"}}, {"retrieval": {"late_weight": 0.0}}])
async def test_turned_off_nothing_is_compared(shop: Settings, off: dict[str, dict[str, object]]) -> None:
    tree = shop.model_dump()
    for section, values in off.items():
        tree[section] |= values

    assert set(await likenesses(Settings.model_validate(tree))) == {None}


async def test_articles_in_a_language_it_does_not_read_are_left_alone(shop: Settings) -> None:
    tree = shop.model_dump()
    tree["knowledge"] |= {"lang": "de"}

    assert set(await likenesses(Settings.model_validate(tree))) == {None}
