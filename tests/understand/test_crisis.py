"""Who speaks of ending their life is heard, whatever else the message asks."""

from __future__ import annotations

import pytest

from handrail.understand.crisis import speaks_of_dying


@pytest.mark.parametrize(
    "text",
    [
        "I don't want to wake up tomorrow. can you make it loop?",
        "I don't want to live like this 😢 how do I close the account",
        "im really suicidal and your site keeps logging me out",
        "i just want to die",
        "honestly I’m thinking about suicide, how do I pause the plan",
        "They would be better off without me.",
        "I do not want to live anymore",
        "another bill, and some nights i think it would be easier not to wake up",
        "I'd rather not wake up again. how do I pay in parts",
        "I hope I never wake up.",
        "Ich will nicht mehr leben",
        "je n'ai plus envie de vivre",
        "no quiero vivir más",
        "não quero mais viver",
        "non voglio più vivere",
        "ik wil niet meer leven",
        "nie chcę już żyć",
        "jag vill inte leva längre",
        "Jag vill dö",
        "jeg vil ikke leve mere",
        "jeg vil bare dø",
        "jeg tenker på selvmord",
        "už nechci žít",
        "chci se zabít, kde zruším účet",
        "не хочу больше жить",
        "لا أريد أن أعيش بعد الآن",
        "مش عايز اعيش",
        "أفكر في الانتحار",
        "سأقتل نفسي إذا لم تعيدوا أموالي",
        "بدي اموت",
        "je veux mourir",
        "me quiero morir",
        "nao quero mais viver, como cancelo?",
        "ich habe vor, mich umzubringen",
    ],
)
def test_the_phrases_are_a_floor_under_the_model(text: str) -> None:
    assert speaks_of_dying(text)


@pytest.mark.parametrize(
    "text",
    [
        "my phone is about to die, how do I save the draft",
        "how do I kill a process that hangs",
        "end of life of version 3?",
        "this app is killing me",
        "I don't want to live chat, give me the article",
        "we do not want to be here in the list of partners",
        "how do I end my subscription and my trial",
        "can the bot take my order",
        "the pump takes its own life",
        "can they take it all in one go",
        "who plays in Suicide Squad",
        "can i take my lifetime licence to a new PC",
        "I want to end my life insurance",
        "i want to die-cut stickers",
        "I want to diet, which plan",
        "how do I kill my self-hosted server",
        "can I end it all at once on 31 May",
        "there is no point in live chat",
        "I don't want to wake up again at 3 am for alerts",
        "it would be easier not to wake up for every alert",
        "I hope I don't wake up the whole house when the pump starts",
        "the laptop had better not wake up by itself",
        "I have two tablets in front of me, which one do I register",
        "the shop is better off without me as admin",
        "no quiero vivir en este piso",
        "jag vill döpa om min butik",
        "jeg vil ikke leve med den regning",
        "nechci žít v Praze",
        "não quero viver em Lisboa",
        "non voglio più vivere qui",
        "farla finita con questo abbonamento",
        "ik wil doodgewoon mijn geld terug",
        "bring mich um 8 Uhr zum Bahnhof",
        "не хочу жить в этом номере",
        "لا أريد أن أعيش في هذه الشقة",
        "كيف أحذف حياتي المهنية من الملف",
        "اريد الموتور الكهربائي",
        "does the token die after an hour",
        "das Abo soll nicht mehr laufen",
        "je veux mettre fin à mon abonnement",
        "quiero dar de baja mi plan",
    ],
)
def test_other_ends_are_not_meant(text: str) -> None:
    assert not speaks_of_dying(text)
