"""Vectors for other languages beside an index: made at ingest, only of what is new, and never half served."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from handrail.assembly import build_parts
from handrail.cli.ingest import run
from handrail.knowledge.folder import Folder
from handrail.models.onnx import OnnxEmbedder
from handrail.settings import Settings
from handrail.stores import states
from handrail.types import Vectors
from tests.sample import sample_settings

pytestmark = [pytest.mark.models, pytest.mark.anyio]

QUESTION = "Bis wann bekomme ich mein Geld zurück?"
PAGES = {
    "refunds": "# Refunds\n\nA refund is possible for 90 days after the payment.\n",
    "opening": "# Opening hours\n\nThe shop opens at seven in the morning.\n",
    "parking": "# Parking\n\nThere is room for two cars behind the house.\n",
}
Read = Callable[[OnnxEmbedder, Sequence[str]], Vectors]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "articles"
    made.mkdir()
    for name, text in PAGES.items():
        (made / f"{name}.md").write_text(text)
    return made


@pytest.fixture
def shop(tmp_path: Path) -> Settings:
    return sample_settings(tmp_path / "data", KNOWLEDGE__KB="shop", MODELS__RERANKER="none", MODELS__LATE="none")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Passages that the encoder for other languages was given."""
    given: list[str] = []
    embed: Read = OnnxEmbedder.embed_passages

    def spied(self: OnnxEmbedder, texts: Sequence[str]) -> Vectors:
        if "e5" in self.name:
            given.extend(texts)
        return embed(self, texts)

    monkeypatch.setattr(OnnxEmbedder, "embed_passages", spied)
    return given


def ingest(settings: Settings, folder: Path) -> None:
    run(settings, [Folder(folder, settings.knowledge.url_base, settings.knowledge.max_article_bytes)])


def vectors(settings: Settings) -> Path:
    return settings.storage.data_dir / "kb" / "shop" / "multilingual.npz"


async def best(settings: Settings) -> str:
    parts = build_parts(settings)
    try:
        evidence = await parts.retriever(settings).retrieve(QUESTION, {})
    finally:
        parts.close()
    return evidence.hits[0].passage.article_id


async def test_ingest_leaves_them_and_a_question_in_another_language_finds_its_article(
    shop: Settings, folder: Path, asked: list[str]
) -> None:
    ingest(shop, folder)

    assert vectors(shop).is_file()
    assert len(asked) == 3
    assert await best(shop) == "refunds"
    assert len(asked) == 3


async def test_only_what_changed_is_read_again(shop: Settings, folder: Path, asked: list[str]) -> None:
    ingest(shop, folder)
    asked.clear()
    (folder / "opening.md").write_text(PAGES["opening"].replace("seven", "eight"))
    (folder / "parking.md").unlink()

    ingest(shop, folder)

    assert [text.endswith("opens at eight in the morning.") for text in asked] == [True]
    assert await best(shop) == "refunds"


async def test_an_interrupted_ingest_goes_on_where_it_stopped(
    shop: Settings, folder: Path, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(states, "BATCH", 1)
    monkeypatch.setattr(states, "SAVE_EVERY", 1)
    embed: Read = OnnxEmbedder.embed_passages

    def breaking(self: OnnxEmbedder, texts: Sequence[str]) -> Vectors:
        if "e5" in self.name and len(asked) == 2:
            raise KeyboardInterrupt
        return embed(self, texts)

    with monkeypatch.context() as broken, pytest.raises(KeyboardInterrupt):
        broken.setattr(OnnxEmbedder, "embed_passages", breaking)
        ingest(shop, folder)
    ingest(shop, folder)
    parts = build_parts(shop)
    held = parts.multilingual
    parts.close()

    assert held is not None
    assert held.vectors.shape == (3, 384)
    assert np.linalg.norm(held.vectors.astype(np.float32), axis=1) == pytest.approx(np.ones(3), abs=1e-2)
    assert len(asked) == len(set(asked)) == 3


async def test_an_index_of_an_earlier_version_gets_them_at_the_start(
    shop: Settings, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    ingest(shop, folder)
    vectors(shop).unlink()

    with caplog.at_level("INFO", "handrail.assembly.parts"):
        assert await best(shop) == "refunds"

    assert vectors(shop).is_file()
    assert any("3 passages" in record.getMessage() for record in caplog.records)


async def test_turned_off_nothing_is_made(shop: Settings, folder: Path) -> None:
    tree = shop.model_dump()
    tree["models"] |= {"foreign": "none"}
    silent = Settings.model_validate(tree)

    ingest(silent, folder)
    parts = build_parts(silent)
    parts.close()

    assert parts.multilingual is None
    assert parts.retriever(silent) is not None
    assert not vectors(silent).exists()


def test_the_index_s_own_encoder_needs_no_second_file(tmp_path: Path, folder: Path, asked: list[str]) -> None:
    own = sample_settings(
        tmp_path / "own",
        KNOWLEDGE__KB="shop",
        MODELS__EMBEDDER="multilingual-e5-small-q4",
        MODELS__RERANKER="none",
        MODELS__LATE="none",
    )
    ingest(own, folder)
    parts = build_parts(own)
    parts.close()

    assert parts.multilingual is not None
    assert parts.multilingual.vectors is parts.snapshot.vectors
    assert not vectors(own).exists()
