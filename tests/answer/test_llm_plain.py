"""The sieve for uncited words: it stops promises and lets plain acknowledgements through."""

from __future__ import annotations

import pytest

from handrail.answer.llm import CitedClaim, claims_of
from handrail.answer.plain import without_links, without_promises


@pytest.mark.parametrize(
    "text",
    [
        "You would like to cancel your plan. A person can handle that with you.",
        "You are asking for a refund of your yearly plan. A person can look at it.",
        "You say your card was charged twice. A person should check this with you.",
        "You report that somebody else is using your account.",
        "Choose “Talk to a person”, who will see this conversation.",
    ],
)
def test_plain_words_pass(text: str) -> None:
    assert without_promises(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "You will be refunded soon.",
        "We'll gladly credit your account.",
        "A person can refund you.",
        "Your plan has been cancelled.",
        "We guarantee a reply.",
        "You get a discount.",
        "It takes 14 days.",
        "Sorry to hear that.",
        "We truly understand.",
        "Write to boss@acme.example.",
        "Visit www.acme.example.",
    ],
)
def test_promises_pretence_and_addresses_do_not(text: str) -> None:
    assert without_promises(text) is None


def test_a_language_the_sieve_cannot_read_does_not_pass() -> None:
    assert without_promises("Chcesz zrezygnować z planu.", "pl") is None
    assert without_promises("You would like to cancel your plan, you say.", "de") is None
    assert without_promises("Thank you for telling us.", "en-GB") == "Thank you for telling us."


PLAIN = {
    "de": "Sie möchten Ihren Vertrag kündigen. Darum kann sich eine Person kümmern.",
    "fr": "Vous souhaitez résilier votre abonnement. Une personne peut s’en occuper avec vous.",
    "es": "Usted quiere cancelar su plan y pide un reembolso. Una persona puede verlo con usted.",
    "pt": "Você quer cancelar o seu plano e pede um reembolso. Uma pessoa pode ver isso consigo.",
    "ru": "Вы хотите отменить подписку. Этим может заняться человек из поддержки.",
    "ar": "تريد إلغاء اشتراكك. يمكن لشخص من الفريق أن ينظر في الأمر معك.",
}
PROMISES = {
    "de": [
        "Wir erstatten Ihnen alles.",
        "Ihr Geld wird zurückgezahlt.",
        "Ein Kollege wird sich bei Ihnen melden.",
        "Ihr Vertrag ist gekündigt.",
        "Das garantieren wir Ihnen gern.",
        "Sie erhalten einen Rabatt auf Ihren Plan.",
        "Das tut uns wirklich sehr leid.",
    ],
    "fr": [
        "Nous vous remboursons tout de suite.",
        "Votre argent vous sera rendu.",
        "Un collègue va vous rappeler aujourd’hui.",
        "Votre abonnement est annulé.",
        "Nous sommes vraiment désolés.",
    ],
    "es": [
        "Le devolveremos su dinero muy pronto.",
        "Su plan ha quedado cancelado.",
        "Un compañero le llamará hoy mismo.",
        "Le garantizamos una respuesta rápida.",
        "Lamentamos mucho lo ocurrido con su cuenta.",
    ],
    "pt": [
        "Vamos devolver o seu dinheiro.",
        "O seu plano foi cancelado hoje.",
        "Um colega vai ligar para você hoje.",
        "Garantimos uma resposta muito rápida.",
        "Lamentamos muito o que aconteceu.",
    ],
    "ru": [
        "Мы вернём вам деньги.",
        "Ваша подписка отменена.",
        "Наш сотрудник свяжется с вами сегодня.",
        "Мы обещаем вам скидку.",
        "Нам очень жаль, что так вышло.",
    ],
    "ar": [
        "سنعيد لك أموالك قريبا.",
        "تم إلغاء اشتراكك اليوم.",
        "سيتصل بك أحد الزملاء اليوم.",
        "نضمن لك الرد السريع.",
        "نعتذر لك كثيرا عما حدث.",
    ],
}


@pytest.mark.parametrize("lang", PLAIN)
def test_plain_words_pass_in_every_language(lang: str) -> None:
    assert without_promises(PLAIN[lang], lang) == PLAIN[lang]


@pytest.mark.parametrize(("lang", "text"), [(lang, text) for lang, texts in PROMISES.items() for text in texts])
def test_promises_pretence_and_amounts_do_not_pass_in_any(lang: str, text: str) -> None:
    assert without_promises(text, lang) is None
    assert without_promises(f"{PLAIN[lang]} {text}", lang) is None
    assert without_promises(f"{PLAIN[lang]} 20 €", lang) is None


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("en", "I have cancelled your plan."),
        ("en", "I’ll refund the last payment for you."),
        ("de", "Ich habe Ihren Vertrag gekündigt."),
        ("de", "I will cancel it."),
        ("fr", "J’ai annulé votre abonnement."),
        ("es", "He cancelado su plan."),
        ("pt", "Eu vou cancelar o seu plano."),
        ("ru", "Я отменил вашу подписку."),
        ("ar", "لقد تم إلغاء اشتراكك."),
    ],
)
def test_the_assistants_own_doings_are_no_claims(lang: str, text: str) -> None:
    cited = [CitedClaim(text=text, passage_ids=["a/1"]), CitedClaim(text="Open Settings.", passage_ids=["a/1"])]

    assert [claim.text for claim in claims_of(cited, [], lang)] == ["Open Settings."]


@pytest.mark.parametrize(
    "text",
    [
        "Tick **I want to cancel** and confirm.",
        "Choose “I was charged twice” to get a refund.",
        "Refunds are paid within 14 days.",
        "You can cancel in Settings.",
    ],
)
def test_what_articles_say_of_cancelling_stays(text: str) -> None:
    assert [claim.text for claim in claims_of([CitedClaim(text=text, passage_ids=["a/1"])], [])] == [text]


@pytest.mark.parametrize(
    ("markdown", "plain"),
    [
        ('Open [Settings](https://x.example "t").', "Open Settings."),
        ("See [the guide][1].\n\n[1]: https://x.example", "See the guide.\n"),
        ("Go <javascript:alert(1)>now", "Go now"),
        ("![pixel](https://x.example/p.png?q=1)Done", "Done"),
        ("Press **Save** and wait.", "Press **Save** and wait."),
    ],
)
def test_links_lose_their_targets_and_keep_their_words(markdown: str, plain: str) -> None:
    assert without_links(markdown) == plain
