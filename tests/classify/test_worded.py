"""Messages read by their words alone, where no head reads the encoder: in Russian and German."""

from __future__ import annotations

import numpy as np
import pytest

from handrail.classify.known import KnownMessages
from handrail.classify.worded import ByWords
from handrail.types import Classification, Label, Probe
from tests.stages import ask

pytestmark = pytest.mark.anyio

RUSSIAN = """
Как подключить термостат к домашней сети?
Где найти серийный номер?
Сколько стоит доставка?
Как изменить адрес электронной почты?
Не приходит письмо с подтверждением
Как отменить подписку?
Можно ли вернуть товар в течение 14 дней?
Какие способы оплаты вы принимаете?
Как удалить аккаунт?
Не могу войти в личный кабинет
Хочу вернуть термостат, он мне не подошёл
Как посмотреть список моих заказов
Покажите список моих устройств
Нужен счёт на оплату для бухгалтерии
Приложение не видит датчик
Как получить чек за покупку?
Подскажите, пожалуйста, как сменить пароль
Есть ли скидка для студентов?
Ошибка E-101, что делать?
Как оставить отзыв о товаре?
Хочу оставить отзыв
Где моя посылка?
Когда придёт мой заказ?
Чем отличаются тарифы?
Хочу перейти на другой тариф
Как вернуть заводские настройки?
Хочу вернуть старые настройки
Как закрыть доступ гостю?
Можно ли удалить сотрудника из аккаунта?
Почему не работает кнопка?
Как назначить руководителя проекта?
Мне нужен акт за прошлый месяц
У меня не открывается приложение
Сколько длится пробный период?
Как работает возврат денег?
Как защитить аккаунт от взлома?
Я хочу добавить второй термостат
Как связаться с поддержкой?
Можно ли поставить тариф на паузу?
Экран не загорается после замены батареек
"""
GERMAN = """
Wie verbinde ich mein Thermostat mit dem WLAN?
Wo finde ich meine Rechnungen?
Was kostet der Versand?
Wie kann ich mein Abo kündigen?
Ich habe mein Passwort vergessen
Ich brauche eine Rechnung für März
Kann ich mein Konto löschen?
Wie lange dauert eine Rückerstattung?
Welche Zahlungsarten gibt es?
Die App stürzt beim Start ab
Wie ändere ich meine Adresse?
Ich habe einen Termin gebucht und möchte ihn verschieben
Wie storniere ich eine Buchung?
Ich kann mein Konto nicht löschen
Wie gebe ich eine Bewertung ab?
Ich möchte eine Bewertung schreiben
Wann kommt mein Paket?
Wie lade ich meinen Kollegen ein?
Gibt es einen Rabatt für Vereine?
Was bedeutet Fehler E-204?
Ich möchte auf einen anderen Tarif wechseln
Wie schütze ich mein Konto vor Betrug?
Mein Kunde möchte sein Geld zurück, wie erstatte ich ihm?
Wie lösche ich einen Benutzer?
Ist das datenschutzkonform?
Wo sehe ich meine Bestellungen?
Ich möchte eine neue Domain verbinden
Kann ich den Vertrag pausieren?
Warum wird mein Bild nicht angezeigt?
Wie viele Mitarbeiter kann ich hinzufügen?
Die Batterie ist leer
Ich finde die Einstellung nicht
Muss ich die Mehrwertsteuer angeben?
Wie stelle ich die Sprache um?
Unterstützt ihr Apple Pay?
Wie exportiere ich meine Daten?
Mein Newsletter kommt nicht an
Wie funktioniert der Testzeitraum?
Ich möchte die Öffnungszeiten ändern
Können Gäste ihren Termin selbst absagen?
"""
SERIOUS = """
Хочу вернуть деньги и закрыть аккаунт
Верните мне деньги!
С меня дважды списали деньги
Я требую возврата средств
Мой аккаунт взломали
Отмените подписку
Mitgliedschaft kündigen
Подам на вас в суд
Буду жаловаться в Роспотребнадзор
Я хочу расторгнуть договор
Отмените мою подписку немедленно
Вы меня обманули, это мошенничество
Где мои деньги?!
Соедините меня с вашим начальником, это безобразие
Ich will mein Geld zurück
Kündigen Sie bitte mein Abo
Mir wurde doppelt abgebucht
Mein Konto wurde gehackt
Mein Anwalt wird sich bei Ihnen melden
Das ist eine Unverschämtheit!
Ich kündige meinen Vertrag zum Monatsende
Löschen Sie alle meine persönlichen Daten
Ich habe mich an Ihrem Gerät verletzt
Ich möchte Ihren Chef sprechen
Ich gehe zur Polizei
Ich verlange eine Erstattung
"""


async def classify(text: str, known: float = 0.0) -> Classification:
    probe = Probe(np.zeros(3, dtype=np.float32), {"known": known})
    return await KnownMessages(ByWords(), [], []).classify(ask(text), probe)


@pytest.mark.parametrize("text", [*RUSSIAN.strip().splitlines(), *GERMAN.strip().splitlines()])
async def test_a_question_stays_a_question(text: str) -> None:
    assert (await classify(text)).label is not Label.HIGH_STAKES


@pytest.mark.parametrize("text", SERIOUS.strip().splitlines())
async def test_what_says_so_is_for_a_person(text: str) -> None:
    assert (await classify(text)).label is Label.HIGH_STAKES


@pytest.mark.parametrize("text", ["фывапролдж", "asdfgh", "йцукен ывапро", "ааааааа", "...", "12", "qwertz asdf"])
async def test_what_is_in_no_words_is_nonsense(text: str) -> None:
    assert (await classify(text)).label is Label.NONSENSE


@pytest.mark.parametrize("text", ["НДФЛ", "SMTP", "HTTPS", "вайфай", "wi-fi", "E-101", "Kühlschrank", "взгляд"])
async def test_short_words_and_abbreviations_are_not(text: str) -> None:
    assert (await classify(text)).label is Label.ANSWERABLE


async def test_a_number_that_the_articles_use_is_asked_about() -> None:
    assert (await classify("2004", known=1.0)).label is Label.ANSWERABLE


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Здравствуйте!", "greeting"),
        ("Добрый вечер", "greeting"),
        ("Доброго дня", "greeting"),
        ("Приветствую", "greeting"),
        ("Grüß Gott", "greeting"),
        ("Спасибо большое", "thanks"),
        ("Благодарю вас", "thanks"),
        ("спс", "thanks"),
        ("Всё получилось, спасибо!", "thanks"),
        ("Danke dir, hat geklappt", "thanks"),
        ("Хорошо, спасибо за помощь", "thanks"),
    ],
)
async def test_greetings_and_thanks_are_known_without_a_head(text: str, rule: str) -> None:
    assert (await classify(text)).rule == rule
