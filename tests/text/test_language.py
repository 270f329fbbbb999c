"""Which language to reply in."""

from __future__ import annotations

import pytest

from handrail.text import language


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("How do I connect my own domain?", "en"),
        ("wie kann ich meine Domain verbinden?", "de"),
        ("Wo finde ich meine Rechnungen?", "de"),
        ("comment rembourser un client", "fr"),
        ("como faço para cancelar meu plano", "pt"),
        ("как подключить домен", "ru"),
        ("ошибка TW-3004 при оплате", "ru"),
        ("كيف أربط نطاقي", "ar"),
        ("MY SITE IS DOWN AND NOBODY ANSWERS", "en"),
        ("¿Cómo conecto mi propio dominio?", "es"),
        ("cancelar uma reserva", "pt"),
        ("não consigo entrar", "pt"),
        ("Combien coûte Studio ?", "fr"),
        ("l’appli ne s’ouvre plus", "fr"),
    ],
)
def test_a_clear_message_is_answered_in_its_own_language_whatever_the_page_says(text: str, lang: str) -> None:
    assert language.of_message(text, "en") == lang
    assert language.of_message(text, "fr") == lang


@pytest.mark.parametrize("text", ["refund", "TW-3004", "Zoom", "?!", "", "👍"])
def test_a_message_too_short_to_tell_is_in_the_language_of_the_page(text: str) -> None:
    assert language.of_message(text, "de") == "de"
    assert language.of_message(text, None) == "en"


@pytest.mark.parametrize(("tag", "lang"), [("pt-BR", "pt"), ("DE-at", "de"), ("xx", "en"), (None, "en"), ("", "en")])
def test_a_language_tag_is_taken_by_its_first_part(tag: str | None, lang: str) -> None:
    assert language.base(tag) == lang


def test_a_language_without_replies_falls_back_to_the_page() -> None:
    assert language.of_message("perché non funziona la mia prenotazione", "es") == "es"


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("posso pagare con PayPal?", "it"),
        ("jak zmienić pin", "pl"),
        ("hoe verwijder ik een gebruiker", "nl"),
        ("hur ändrar jag mitt lösenord", "sv"),
        ("hvordan ændrer jeg min adgangskode", "da"),
        ("jak si mám změnit svoje heslo", "cs"),
        ("如何更改我的密码", "zh"),
        ("πώς αλλάζω τον κωδικό μου", "el"),
        ("ฉันจะเปลี่ยนรหัสผ่านได้อย่างไร", "th"),
        ("パスワードを忘れました", "ja"),
        ("비밀번호를 잊어버렸어요", "ko"),
        ("मैं अपना पासवर्ड कैसे बदलूँ?", "hi"),
        ("איך אני משנה סיסמה?", "he"),
        ("ችግር አለብኝ እርዱኝ", "und"),
        ("Làm thế nào để đổi mật khẩu?", "vi"),
        ("Ninawezaje kubadilisha nenosiri langu?", "sw"),
        ("Bagaimana cara mengubah kata sandi saya?", "id"),
        ("Şifremi nasıl değiştirebilirim?", "tr"),
        ("Cum îmi schimb parola contului?", "ro"),
        ("як змінити мій пароль", "uk"),
        ("چطور رمز عبورم را عوض کنم", "fa"),
        ("میں اپنا پاس ورڈ کیسے بدلوں؟", "ur"),
        ("返金", "zh"),
        ("hoàn tiền", "vi"),
        ("ช่วย reset password ให้หน่อย", "th"),
        ("मुझे refund चाहिए", "hi"),
        ("my order 注文番号がわかりません 1234", "ja"),
    ],
)
def test_a_whole_message_in_a_language_without_replies_is_known_for_one(text: str, lang: str) -> None:
    assert language.unspoken(text) == lang


@pytest.mark.parametrize(
    "text",
    [
        "pagamento",
        "rachunki",
        "Zoom wifi",
        "how do i pause my plan",
        "reset router",
        "how do i offer pickup",
        "Wie ändere ich meine PIN?",
        "как сменить пароль",
        "TW-3004",
        "👍",
        "My shop 花屋 is down",
        "Is Phở Hà on your list of examples?",
        "كيف أغير كلمة المرور",
    ],
)
def test_nouns_and_messages_in_languages_with_replies_are_not(text: str) -> None:
    assert language.unspoken(text) is None


def test_a_name_in_another_language_is_no_other_language() -> None:
    assert language.of_message("Café d'Azur booking page", "en") == "en"


def test_articles_are_in_the_language_of_most_of_them() -> None:
    german = ["So verbinden Sie Ihre eigene Domain mit der Website."] * 5
    russian = ["Чтобы подключить домен, откройте настройки."] * 3

    assert language.of_articles([*german, *russian, "12", ""]) == "de"
    assert language.of_articles([]) == "en"


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("Danke!", "de"),
        ("merci", "fr"),
        ("Muchas gracias", "es"),
        ("olá", "pt"),
        ("Thanks", "en"),
        ("Merci beaucoup !", "fr"),
        ("Hola, buenas tardes", "es"),
        ("oi, tudo bem?", "pt"),
        ("Guten Morgen", "de"),
        ("Tschüss", "de"),
    ],
)
def test_a_word_of_one_language_tells_it(text: str, lang: str) -> None:
    assert language.of_message(text) == lang


@pytest.mark.parametrize(
    "text",
    ["Wie kann ich meinen Vertrag kündigen?", "Ako zruším svoje predplatné?", "как подключить домен", "如何取消订阅"],
)
def test_a_message_in_another_language_is_foreign_whether_replies_speak_it_or_not(text: str) -> None:
    assert language.foreign(text)


@pytest.mark.parametrize("text", ["How do I cancel my plan?", "refund", "", "?!", "asdf jkl", "Wie bitte"])
def test_english_and_what_says_too_little_is_not(text: str) -> None:
    assert not language.foreign(text)
