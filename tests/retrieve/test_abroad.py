"""Search across languages: what the encoder finds, and what becomes of filters, codes, audiences and long texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from handrail.assembly.models import build_multilingual
from handrail.errors import SettingsError
from handrail.models import Embedder
from handrail.models.batching import Batcher
from handrail.retrieve.abroad import AbroadSearch, LanguageBias, in_another_language, load_bias
from handrail.retrieve.hybrid import HybridRetriever
from handrail.retrieve.signals import Seen, measure
from handrail.settings import Retrieval, load_settings
from handrail.stores import snapshot as snapshots
from handrail.stores.audience import Audience
from handrail.stores.sections import Sections
from handrail.stores.snapshot import Snapshot
from handrail.types import Evidence, Hit, Passage, Vectors
from handrail.types.filters import Filters
from tests.knowledge.articles import HashedWords
from tests.retrieve.section_reader import WordOverlap, reader

pytestmark = pytest.mark.anyio

TEXTS = {
    "Renting a bike": "Book a bike in the app and unlock it by scanning the code on the handlebar.",
    "Flat tyres": "If a tyre loses air, lock the bike at the nearest station and report the damage.",
    "Your deposit": "We hold 50 euros while you ride and release them within three working days.",
    "Lost helmets": "Helmets left behind are kept at the depot for a month. Bring proof of identity.",
    "Riding with children": "Child seats are free of charge and fit children from nine months to five years.",
    "Messages on the display": "E-12: the battery is empty. E-13: the lock is jammed. E-14: the motor is too hot.",
}
ASKED = {
    "Flat tyres": (
        "Mir ist unterwegs der Reifen geplatzt, was nun?",
        "на середине пути спустило колесо",
        "骑到一半轮胎没气了怎么办",
        "lastik patladı ne yapmalıyım",
    ),
    "Your deposit": (
        "¿Cuándo me devuelven la fianza?",
        "kiedy odblokujecie moją kaucję",
        "متى أسترد مبلغ التأمين",
        "quando mi restituite la cauzione di 50 euro?",
    ),
    "Lost helmets": (
        "j'ai oublié mon casque hier, vous l'avez retrouvé ?",
        "mistede min hjelm i går, hvor kan jeg hente den",
        "मेरा हेलमेट वहीं छूट गया, कहाँ मिलेगा",
    ),
    "Riding with children": (
        "posso levar a minha filha de dois anos?",
        "kan jag ha med mig min treåring på cykeln?",
        "tôi có thể chở con nhỏ đi cùng không",
    ),
}


def passages(texts: Mapping[str, str]) -> list[Passage]:
    return [
        Passage(f"{title}/0", title, 0, title, (), text, "", len(text.split()), {"part": title.split()[0]})
        for title, text in texts.items()
    ]


@pytest.fixture(scope="module")
def encoder() -> Embedder:
    made = build_multilingual(load_settings())
    assert made is not None
    return made


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as held:
        yield held


def searching(stack: ExitStack, encoder: Embedder, held: Snapshot, *, unread: bool = False) -> AbroadSearch:
    ask: Batcher[str, Vectors] = Batcher("abroad", encoder.embed_queries, 8, 64)
    stack.callback(ask.close)
    vectors = encoder.embed_passages([passage.embedding_text for passage in held.passages])
    return AbroadSearch(held, ask, vectors, load_bias(), unread=unread)


def bikes(texts: Mapping[str, str] = TEXTS, lang: str = "en") -> Snapshot:
    rows = passages(texts)
    return snapshots.build(rows, HashedWords()([row.embedding_text for row in rows]), lang)


@pytest.mark.models
@pytest.mark.parametrize(("title", "text"), [(title, text) for title, texts in ASKED.items() for text in texts])
async def test_a_question_finds_the_article_in_another_language(
    stack: ExitStack, encoder: Embedder, title: str, text: str
) -> None:
    found = await searching(stack, encoder, bikes()).search(text, 2, {}, Audience.PUBLIC)

    assert f"{title}/0" in dict(found)
    assert found[0][1] > found[1][1]


@pytest.mark.models
async def test_long_messages_and_passages_are_read_as_far_as_the_encoder_reads(
    stack: ExitStack, encoder: Embedder
) -> None:
    held = bikes({**TEXTS, "A long page": "The weather was fine that day. " * 2000})

    found = await searching(stack, encoder, held).search(
        "Wo bekomme ich meine Kaution zurück? " + "Das Wetter war schön. " * 2000, 7, {}, Audience.PUBLIC
    )

    assert len(found) == 7
    assert all(np.isfinite(cosine) for _, cosine in found)


@pytest.mark.models
async def test_filters_hold_and_only_so_many_are_found(stack: ExitStack, encoder: Embedder) -> None:
    search = searching(stack, encoder, bikes())

    assert [i for i, _ in await search.search("Reifen kaputt", 5, {"part": "Your"}, Audience.PUBLIC)] == [
        "Your deposit/0"
    ]
    assert len(await search.search("Reifen kaputt unterwegs", 2, {}, Audience.PUBLIC)) == 2


@pytest.mark.models
async def test_what_is_for_agents_is_found_by_agents_alone(stack: ExitStack, encoder: Embedder) -> None:
    rows = passages(TEXTS)
    rows[1] = replace(rows[1], facets={"audience": "agents"})
    held = snapshots.build(rows, HashedWords()([row.embedding_text for row in rows]), "en", Audience.AGENTS)
    search, asked = searching(stack, encoder, held), "Mein Reifen hat ein Loch, was soll ich machen?"

    assert (await search.search(asked, 1, {}, Audience.AGENTS))[0][0] == "Flat tyres/0"
    assert "Flat tyres/0" not in dict(await search.search(asked, 9, {}, Audience.PUBLIC))


@pytest.mark.models
async def test_a_code_is_found_by_its_spelling_in_any_language(stack: ExitStack, encoder: Embedder) -> None:
    held = bikes({f"Display {code}": f"{code}: {what}." for code, what in CODES.items()})
    search = searching(stack, encoder, held)

    hits = await search.hits("Was bedeutet E-13 auf der Anzeige?", 5, {}, lambda words: bm25(held, words))

    assert hits[0].passage.id == "Display E-13/0"
    assert hits[0].keyword > 0


CODES = {"E-12": "the battery is empty", "E-13": "the lock is jammed", "E-14": "the motor is too hot"}


def bm25(held: Snapshot, words: str) -> Mapping[str, float]:
    scores = held.keyword_scores(words)
    return {held.passages[row].id: float(score) for row, score in enumerate(scores) if score > 0}


@pytest.mark.models
async def test_the_retriever_goes_abroad_for_what_its_embedder_does_not_read(
    stack: ExitStack, encoder: Embedder
) -> None:
    retriever, asked = retrieving(stack, encoder, bikes())

    german = await retriever.retrieve("Ab welchem Alter dürfen Kinder mitfahren?", {})
    english = await retriever.retrieve("from what age may children ride", {})

    assert german.hits[0].passage.article_id == "Riding with children"
    assert german.signals["reading"] == 0.0
    assert english.signals["reading"] != 0.0
    assert {query for query, _ in asked} == {"from what age may children ride"}


@pytest.mark.models
@pytest.mark.parametrize("text", ["Was heißt E-99 auf dem Display?", "что значит E-99 на экране"])
async def test_a_code_that_no_article_has_is_named(stack: ExitStack, encoder: Embedder, text: str) -> None:
    retriever, _ = retrieving(stack, encoder, bikes())

    assert (await retriever.retrieve(text, {})).unlisted == ("E-99",)


@pytest.mark.models
async def test_articles_that_the_embedder_does_not_read_are_found_by_words_and_cosines(
    stack: ExitStack, encoder: Embedder
) -> None:
    held = bikes(
        {
            "Прокат": "Забронируйте велосипед в приложении и отсканируйте код на руле.",
            "Залог": "Мы удерживаем 50 евро и возвращаем их за три рабочих дня.",
            "Коды": "E-12: батарея разряжена. E-13: замок заклинило. E-14: мотор перегрелся.",
        },
        "ru",
    )
    retriever, _ = retrieving(stack, encoder, held, unread=True)

    words = await retriever.retrieve("когда возвращаем залог", {})
    sense = await retriever.retrieve("через сколько разморозят деньги на карте", {})
    english = await retriever.retrieve("when do I get my deposit back", {})
    unlisted = await retriever.retrieve("ошибка E-77", {})

    assert [found.hits[0].passage.article_id for found in (words, sense, english)] == ["Залог"] * 3
    assert words.hits[0].keyword > 0
    assert words.signals["dense_lift"] > 0
    assert unlisted.unlisted == ("E-77",)


@pytest.mark.models
async def test_no_passages_are_no_hits(stack: ExitStack, encoder: Embedder) -> None:
    retriever, _ = retrieving(stack, encoder, snapshots.build([], np.zeros((0, 384), np.float32)))

    found: Evidence = await retriever.retrieve("Wie leihe ich ein Fahrrad aus?", {})

    assert list(found.hits) == []


def retrieving(
    stack: ExitStack, encoder: Embedder, held: Snapshot, *, unread: bool = False
) -> tuple[HybridRetriever, list[tuple[str, str]]]:
    """A retriever, and the pairs that its cross-encoder was given."""
    model, asked = WordOverlap(), list[tuple[str, str]]()

    def score(pairs: list[tuple[str, str]]) -> Sequence[float]:
        asked.extend(pairs)
        return model(pairs)

    embed, read = Batcher("embed", HashedWords(), 8, 64), Batcher("read", score, 8, 64)
    stack.callback(embed.close)
    stack.callback(read.close)

    def dense(vector: Vectors, k: int, filters: Filters, audience: Audience) -> list[tuple[str, float]]:
        cosines = held.cosines(vector)
        return [(held.passages[row].id, float(cosines[row])) for row in np.argsort(-cosines)[:k]]

    abroad = searching(stack, encoder, held, unread=unread)
    reads = reader(held, read)
    return HybridRetriever(held, dense, embed, reads, Retrieval(), None, abroad=abroad), asked


@pytest.mark.parametrize(
    "text", ["Rechnung ändern", "annuler", "zwrot", "Wo ist mein Rad?", "где", "什么", "iade istiyorum"]
)
def test_other_languages_are_told_from_the_articles(text: str) -> None:
    assert in_another_language(text, "en", bikes())


@pytest.mark.parametrize(
    "text", ["deposit", "child seats", "E-13", "12", "?!", "my helmet is gone", "battery is empty"]
)
def test_the_articles_own_language_is_not_another(text: str) -> None:
    assert not in_another_language(text, "en", bikes())


def test_the_language_bias_comes_back_from_its_file(tmp_path: Path) -> None:
    shipped = load_bias()
    shipped.saved(tmp_path / "bias.npz")

    back = load_bias(tmp_path / "bias.npz")

    assert back.model == shipped.model == load_settings().models.foreign
    assert np.array_equal(back.mean, shipped.mean)
    assert np.array_equal(back.directions, shipped.directions)
    assert shipped.directions @ shipped.directions.T == pytest.approx(np.eye(len(shipped.directions)), abs=1e-2)


def test_nothing_of_the_bias_is_left() -> None:
    bias = LanguageBias("any", np.asarray([0.5, 0, 0], np.float32), np.asarray([[0, 1, 0]], np.float32), "")

    found = bias.without(np.asarray([[0.5, 0.8, 0.3]], np.float32), bias.mean)

    assert found.tolist() == [pytest.approx([0, 0, 1])]


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 broken", b"{}"])
def test_a_file_that_holds_no_bias_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "bias.npz").write_bytes(content)

    with pytest.raises(SettingsError, match=r"bias\.npz: "):
        load_bias(tmp_path / "bias.npz")


def test_signals_are_told_by_the_floor_that_is_given() -> None:
    held = bikes()
    cosines = np.linspace(0.1, 0.9, len(held.passages), dtype=np.float32)
    last = held.passages[-1]
    seen = [Seen(Sections(held).of(last)[0], Hit(last), 0.0, None)]

    low, high = (measure(seen, held, cosines, floor)[0]["dense_lift"] for floor in (0.0, 0.5))

    assert low == pytest.approx(0.9)
    assert high == pytest.approx(0.8)
