"""Messages in other languages are classified in their own words: paraphrases that nothing was taught with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from handrail.assembly import Parts, build_parts
from handrail.retrieve.hybrid import HybridRetriever
from handrail.settings import Settings
from handrail.types import Classification, Label
from handrail.understand.classify import Classifier
from handrail.understand.classify.encoder import EncoderClassifier
from tests.sample import sample_settings
from tests.stages import ask

pytestmark = [pytest.mark.models, pytest.mark.anyio]

ANSWERABLE, SERIOUS, ELSEWHERE = Label.ANSWERABLE, Label.HIGH_STAKES, Label.IRRELEVANT


@pytest.fixture(scope="module")
def settings(sample_index: Path) -> Settings:
    return sample_settings(sample_index, MODELS__RERANKER="none", MODELS__LATE="none")


@pytest.fixture(scope="module")
def parts(settings: Settings) -> Iterator[Parts]:
    built = build_parts(settings)
    yield built
    built.close()


@pytest.fixture(scope="module")
def retriever(parts: Parts, settings: Settings) -> HybridRetriever:
    return parts.retriever(settings)


@pytest.fixture(scope="module")
def classifier(settings: Settings) -> Classifier:
    return EncoderClassifier(settings.classify.static_above)


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Wo trage ich die Umsatzsteuernummer für meine Belege ein?", ANSWERABLE),
        ("Sie haben mir zweimal denselben Betrag abgebucht, das will ich wiederhaben", SERIOUS),
        ("Wie lange muss ein Gulasch schmoren?", ELSEWHERE),
        ("comment mettre mon logo en haut de la boutique ?", ANSWERABLE),
        ("quelqu'un s'est connecté à mon compte et a changé l'adresse", SERIOUS),
        ("¿puedo tener dos idiomas en mi página?", ANSWERABLE),
        ("me habéis cobrado un mes que no he usado, devolvédmelo", SERIOUS),
        ("come faccio ad aggiungere un collaboratore", ANSWERABLE),
        ("chi ha vinto il giro d'Italia l'anno scorso?", ELSEWHERE),
        ("jak podłączyć domenę kupioną gdzie indziej?", ANSWERABLE),
        ("żądam zwrotu pieniędzy za ostatni miesiąc", SERIOUS),
        ("как добавить способ оплаты в магазин?", ANSWERABLE),
        ("с моей карты списали деньги без моего согласия", SERIOUS),
        ("hoe verander ik de volgorde van mijn pagina's", ANSWERABLE),
        ("hur byter jag färg på knapparna?", ANSWERABLE),
        ("网站怎么绑定自己的域名?", ANSWERABLE),
        ("你们重复扣了我的钱,请马上退给我", SERIOUS),
        ("hesabıma başkası girmiş, parolam değişmiş", SERIOUS),
    ],
)
async def test_a_paraphrase_gets_its_label(
    retriever: HybridRetriever, classifier: Classifier, text: str, label: Label
) -> None:
    found = await classify(retriever, classifier, text)

    assert found.label is label
    assert sum(found.probabilities.values()) == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize("text", ["Rechnung", "annuler abonnement", "cambiar contraseña", "domena"])
async def test_a_word_or_two_is_a_question_or_a_serious_matter(
    retriever: HybridRetriever, classifier: Classifier, text: str
) -> None:
    assert (await classify(retriever, classifier, text)).label in {ANSWERABLE, SERIOUS}


@pytest.mark.parametrize("text", ["invoice", "change domain", "How do I add a second language to my site?"])
async def test_english_is_left_to_those_that_know_it(retriever: HybridRetriever, text: str) -> None:
    assert not (await retriever.probe(text)).abroad


async def classify(retriever: HybridRetriever, classifier: Classifier, text: str) -> Classification:
    return await classifier.classify(ask(text), await retriever.probe(text))
