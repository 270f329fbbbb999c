"""Messages that only greet, thank, or say yes or no: never a question."""

from __future__ import annotations

import re

from handrail.courtesies import SAID

YES = re.compile(
    r"(?:yes|yep|yeah|yup|ya|sure|correct|exactly|right|ok(?:ay)?|please do|that's (?:it|right|the one)|that one|"
    r"ja|oui|s[ií]|sim|да)(?: (?:please|it is|exactly|that's it|that one|it does|thanks))?"
)
NO = re.compile(
    r"(?:no|nope|nah|not really|not quite|no it isn't|neither|none(?: of (?:them|these|those))?|"
    r"never ?mind|forget (?:it|that|about it)|nein|non|não|нет)"
    r"(?: (?:thanks|thank you|sorry|not really|it isn't|neither))?"
)

_HELLO = (
    r"(?:hi+|hello+|hey+|hiya|good (?:morning|afternoon|evening)|hallo|guten (?:tag|morgen|abend)|moin|servus|"
    r"bonjour|bonsoir|salut|hola|buen[oa]s(?: d[ií]as| tardes| noches)?|ol[áa]|oi|bom dia|boa (?:tarde|noite)|"
    r"tudo bem|ciao|привет|здравствуйте|добрый (?:день|вечер)|доброе утро|مرحبا|مرحبًا|أهلا|أهلا وسهلا|"
    r"صباح الخير|مساء الخير|السلام عليكم)"
)
GREETING = re.compile(rf"{_HELLO}(?: {_HELLO})?(?: (?:there|you|all|everyone|zusammen|à tous|a todos))?")
THANKS = re.compile(
    r"((ok(ay)?|great|perfect|cool|super|alles klar|gut|d'accord|vale|хорошо|nice|got it|alright) )?"
    r"(many |vielen |herzlichen |merci |muchas |mil |muito |большое |огромное )?"
    r"(thanks?|thank you|thx|ty|cheers|great|perfect|merci|danke( sch[öo]n| sehr)?|gracias|obrigad[oa]|grazie|dank|"
    r"спасибо|спс|благодарю|شكرا|شكرًا|(?:good)?bye(?: bye)?|tschüss|auf wiedersehen|au revoir|adi[óo]s|hasta luego|"
    r"tchau|adeus|до свидания|пока|مع السلامة)"
    r"( (so|very) much| a lot| again| beaucoup| bien| infiniment| à vous| por todo| por tudo| большое| вам| вас"
    r"| جزيلا| لك)?"
    r"( (that helped|that's all|bye))?"
)
ACKNOWLEDGED = re.compile(
    rf"(?:{SAID['acknowledged_with']}[ ])*{SAID['acknowledged']}"
    rf"(?:[ ](?:{SAID['acknowledged']}|{SAID['acknowledged_with']}))*",
    re.VERBOSE,
)
"""Thanks and more: "that helped", "got it", "I'll try that", "that's all, bye"."""

_SOMEBODY = (
    r"(?:an?|some|the|your|real|live|actual|human|customer|support|another) )*"
    r"(?:person|human(?: being)?|agent|advisor|operator|representative|rep|someone|somebody|people|team|colleague)"
)
PERSON = re.compile(
    rf"(?:(?:please|ok(?:ay)?|hi|hello) )*(?:"
    rf"(?:(?:can|could|may) i |(?:i (?:want|need|would like|wish)|i'd like|let me) (?:to )?)?"
    rf"(?:please )?(?:talk|speak|chat) (?:to|with) (?:{_SOMEBODY}|"
    rf"(?:i (?:want|need|would like)|i'd like|get me|give me) (?:{_SOMEBODY}|"
    rf"(?:connect|transfer|put) me (?:through )?(?:to|with) (?:{_SOMEBODY}|"
    r"(?:human|agent|operator|real person|live agent|live chat)|"
    r"(?:(?:can|could|will|would) )?(?:(?:you|someone|somebody|anyone|anybody|a person|an agent) )?(?:please )?"
    r"(?:call|phone|ring) me(?: back)?|"
    r"(?:is|are) there (?:someone|somebody|anyone|anybody|a (?:real )?(?:person|human)|people)"
    r"(?: (?:i can|to|who can) (?:(?:talk|speak|chat) (?:to|with)|help(?: me)?|reach))?|"
    r"(?:can|could) (?:someone|somebody|anyone|anybody|a person|a human) (?:please )?help me|"
    r"(?:ich (?:möchte|will|muss) |(?:kann|könnte|darf) ich )?(?:bitte )?mit (?:einem|einer|dem|jemandem)(?: echten)?"
    r"(?: (?:menschen|mitarbeiter|mitarbeiterin|person|kundendienst|support))? (?:sprechen|reden)|"
    r"(?:kann|könnte) mich (?:bitte )?jemand (?:anrufen|zurückrufen)|"
    r"(?:je (?:veux|voudrais|peux) |est-ce que je peux |puis-je |pourrais-je )?parler (?:à|avec) "
    r"(?:quelqu'un|une personne|une vraie personne|un humain|un conseiller|un agent)|"
    r"(?:quiero |quisiera |puedo |podría )?hablar con (?:una persona|alguien|un agente|un humano)|"
    r"(?:quero |gostaria de |posso |poderia )?falar com (?:uma pessoa|alguém|um atendente|um humano)|"
    r"(?:хочу |можно |могу я )?(?:поговорить с|соедините с|позовите) "
    r"(?:человеком|оператором|оператора|человека|сотрудником)|"
    r"أريد (?:التحدث|الكلام) (?:مع|إلى) (?:شخص|موظف|إنسان)"
    r")(?: please| now| bitte| s'il vous plaît| por favor| пожалуйста| من فضلك| instead)*"
)
"""Nothing but the wish for a person."""
HELP = re.compile(
    r"(?:(?:please|pls|ok(?:ay)?|so|hi|hello|hey|well|um+) )*(?:"
    r"(?:(?:i|we) )?(?:(?:really|just|urgently|still) )?(?:need|want|could use|am looking for|would like|'?d like) "
    r"(?:(?:some|a bit of|a little|your|urgent|any) )?(?:help|assistance|support|advice)|"
    r"(?:(?:can|could|will|would) (?:you|u) )?(?:please )?(?:help|assist)(?: (?:me|us))?(?: out)?(?: with something)?|"
    r"(?:(?:i|we)(?:'ve| have)?(?: got)? )?(?:an? |another |some )?(?:(?:quick|short|small|big|urgent|few) )*"
    r"(?:questions?|problems?|issues?|query)|(?:can|may|could) i ask (?:you )?(?:something|a question)|"
    r"(?:(?:i'm|i am|im) )?(?:so )?(?:stuck|lost|confused)|"
    r"(?:(?:sorry|but|no) )*i (?:still )?(?:don't|dont|do not|didn't|didnt|did not) (?:understand|get (?:it|that|this))"
    r"(?: (?:it|that|this|anything|(?:your|the|this|that) answer))?|"
    r"(?:what|how) can (?:you|u) (?:do|help)(?: (?:me|us))?(?: with)?|"
    r"what (?:can|do) (?:i ask(?: you)?|you know)(?: about)?|"
    r"(?:ich (?:brauche|benötige) (?:dringend |etwas |bitte )?)?hilfe|(?:können|könnten) sie mir (?:bitte )?helfen|"
    r"(?:kannst|könntest) du mir (?:bitte )?helfen|ich habe (?:eine frage|fragen|ein problem|probleme)|"
    r"(?:j'ai besoin )?d'aide|aide|aidez-moi|pouvez-vous m'aider|j'ai (?:une question|un problème|besoin d'aide)|"
    r"(?:necesito )?ayuda|(?:me )?(?:puedes?|podrías?|pueden) (?:ayudarme|ayudar)|"
    r"tengo (?:una pregunta|una duda|un problema)|"
    r"(?:preciso de )?ajuda|(?:você )?(?:pode|poderia) me ajudar|tenho (?:uma (?:pergunta|dúvida)|um problema)|"
    r"(?:мне )?нужна (?:ваша )?помощь|помогите(?: мне)?|(?:вы )?можете (?:мне )?помочь|"
    r"у меня (?:есть )?(?:вопрос|проблема)|"
    r"(?:أحتاج (?:إلى )?)?مساعدة|ساعدني|هل يمكنك مساعدتي|(?:لدي|عندي) (?:سؤال|مشكلة)"
    r")(?: (?:please|pls|now|asap|urgently|here|today|bitte|s'il vous plaît|por favor|пожалуйста|من فضلك))*"
)
"""Nothing but the wish for help: with what is not said."""
FAILS = re.compile(
    r"(?:(?:please|pls|hi|hello|hey|ok(?:ay)?|so|but|sorry|help|why) )*(?:"
    r"nothing(?: (?:here|at all|ever|still))? (?:works|is working|happens)|"
    r"(?:(?:it|this|that|everything) )?(?:(?:still|just|really) )?"
    r"(?:doesn'?t|does not|isn'?t|is not|won'?t|will not|not|never|stopped) work(?:s|ing)?|"
    r"(?:(?:it|this|that|everything|something)(?:'s| is| seems) )?(?:(?:still|all|totally|completely) )?"
    r"(?:broken|wrong|down)|"
    r"(?:es|das) (?:funktioniert|geht|klappt) (?:(?:immer noch|gar|einfach) )?nicht|(?:geht|funktioniert) nicht|"
    r"(?:gar )?nichts (?:funktioniert|geht|klappt)|es (?:funktioniert|geht|klappt) (?:gar )?nichts|"
    r"(?:ça|cela) ne (?:marche|fonctionne)(?: toujours)? (?:pas|plus)|rien ne (?:marche|fonctionne)|"
    r"(?:esto |todavía )?no funciona(?: nada)?|nada funciona|(?:isto |ainda )?não funciona(?: nada)?|"
    r"(?:ничего |все |всё |опять )?(?:ещё |еще )?не работает|لا (?:شيء )?يعمل(?: شيء)?"
    r")(?: (?:anymore|any more|at all|again|still|for me|here|today|now|please|either|mehr))*"
)
"""Nothing but that something does not work: what, is not said."""
SPOKEN = {
    "de": "danke dank vielen herzlichen schön sehr hallo moin servus guten tag morgen abend nein ja bitte hilfe "
    "tschüss auf wiedersehen",
    "fr": "merci beaucoup bien infiniment à vous bonjour bonsoir salut oui non aidez-moi aide au revoir",
    "es": "gracias hola buenas buenos días dias tardes noches muchas mil por todo sí ayuda adiós hasta luego",
    "pt": "obrigado obrigada muito olá oi tudo bem bom dia boa tarde noite sim não ajuda por tchau adeus",
}
"""Words by which a message too short to tell its language tells it after all."""


def bare(text: str) -> str:
    """Lower case, without punctuation around words."""
    return " ".join(re.findall(r"[\w'’-]+", text.casefold())).replace("’", "'")


def says_yes(text: str) -> bool:
    return YES.fullmatch(bare(text)) is not None


def says_no(text: str) -> bool:
    return NO.fullmatch(bare(text)) is not None


def greets_or_thanks(text: str) -> bool:
    return bool(GREETING.fullmatch(bare(text))) or acknowledges(text)


def acknowledges(text: str) -> bool:
    """Thanks, a word that an answer was understood or has helped, or a farewell, and nothing else."""
    said = bare(text)
    return bool(THANKS.fullmatch(said) or ACKNOWLEDGED.fullmatch(said))


def only_asks_for_help(text: str) -> bool:
    return HELP.fullmatch(bare(text)) is not None


def only_says_it_fails(text: str) -> bool:
    return FAILS.fullmatch(bare(text)) is not None


def asks_for_person(text: str) -> bool:
    return PERSON.fullmatch(bare(text)) is not None


def spoken_in(text: str) -> str | None:
    """The language of a greeting, thanks, yes or no in Latin letters, where the words are of one only."""
    said = bare(text).split()
    return next((lang for lang, known in SPOKEN.items() if said and set(said) <= set(known.split())), None)
