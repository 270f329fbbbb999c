"""Messages that only ask how to reach the company, and articles that say it."""

from __future__ import annotations

import re

from handrail.replies import bare

_US = (
    r"(?:you|u|your (?:team|company|office|staff)|"
    r"(?:the |your )?(?:customer |technical )?(?:support(?: team)?|service|care|help ?desk))"
)
_WAY = r"(?:(?:tele)?phone|email|e-mail|mail|contact|support|hotline|whatsapp|customer (?:service|support|care))"
_NUMBER = rf"{_WAY}(?: {_WAY})*(?: (?:number|no|address|line|details|info|information|team))?"
_BY = r"(?: (?:by|via|on|over|through|with) (?:the |an? )?(?:(?:tele)?phone|email|e-mail|mail|chat|whatsapp))?"
_SHOW = (
    r"(?:(?:do|have) you (?:guys )?(?:have |got )|what(?: i|'|)s |what are |where(?: i|'|)s |where(?: can|do) i find |"
    r"can i (?:have|get) |(?:please )?(?:give|send|tell) me |i (?:need|want) )"
)
_FOR_CALLS = r"(?: (?:for (?:support|help|customers)|(?:(?:where|that) )?(?:i|we) can (?:call|write to|use)|to call))?"
_ENGLISH = (
    r"(?:how|where) (?:(?:can|do|could|would|should|may) (?:i|we|one)|to) (?:contact|reach|call|phone|ring|e-?mail|"
    rf"message|write to|get hold of|get in (?:touch|contact) with) {_US}{_BY}",
    rf"(?:can|could|may) (?:i|we) (?:just )?(?:contact|reach|call|phone|ring|e-?mail|write to) {_US}{_BY}",
    rf"{_SHOW}?your {_NUMBER}(?: (?:for|of) {_US})?",
    rf"{_SHOW}?(?:an?|the|any) {_NUMBER} (?:for|of|to) (?:call )?{_US}",
    r"(?:(?:do|have) you (?:guys )?(?:have |got )|is there )(?:an? |any )"
    rf"(?:(?:tele)?phone|support|contact|email|e-mail|hotline)(?: (?:number|address|line))?{_FOR_CALLS}",
    rf"is there (?:an? |any ){_NUMBER} (?:for|of) {_US}",
    r"(?:contact|call|reach|e-?mail) (?:us|you|support|customer (?:service|support|care))",
    r"contact(?: (?:details|info|information|number|address))?",
    r"(?:support|customer (?:service|support|care)) "
    r"(?:(?:tele)?phone|e-?mail|number|contact|hotline)(?: (?:number|address))?",
)
_OTHERS = (
    r"wie (?:kann|erreiche|kontaktiere) ich (?:euch|sie|den (?:support|kundendienst|kundenservice))"
    r"(?: (?:erreichen|kontaktieren|anrufen))?",
    r"(?:habt ihr|haben sie|gibt es) eine (?:telefon)?(?:nummer|hotline)",
    r"(?:wie (?:ist|lautet) )?(?:eure|ihre) telefonnummer",
    r"comment (?:(?:puis-je|peut-on|je peux|on peut) )?vous (?:contacter|joindre|appeler)",
    r"(?:quel est )?votre (?:numéro de téléphone|numéro|téléphone|adresse e-?mail)",
    r"avez-vous un (?:numéro(?: de téléphone)?|téléphone)",
    r"(?:cómo|como) (?:(?:puedo|podemos) )?(?:contactar(?:los|les|te|os)?|comunicarme|ponerme en contacto|"
    r"llamar(?:los|les|os)?)(?: con (?:ustedes|vosotros|soporte|el soporte))?",
    r"(?:cuál es )?(?:su|vuestro|tu) (?:número de )?teléfono",
    r"(?:tienen|tenéis) (?:un )?(?:número de )?teléfono",
    r"como (?:(?:posso|podemos) )?(?:entrar em contat?o|contat?ar|falar)(?: (?:com )?(?:vocês|o suporte))?",
    r"(?:qual (?:é )?)?o (?:seu )?(?:número de )?telefone",
    r"(?:vocês )?têm (?:um )?(?:número de )?telefone",
    r"как (?:(?:мне|нам|можно|я могу) )?(?:с вами )?(?:связаться|позвонить)(?: с (?:вами|поддержкой)| вам)?",
    r"есть ли у вас (?:номер )?телефона?",
    r"كيف (?:يمكنني |أستطيع )?(?:التواصل معكم|الاتصال بكم|أتواصل معكم)",
    r"(?:ما هو )?رقم (?:الهاتف|هاتفكم)",
)
"""German, French, Spanish, Portuguese, Russian, Arabic."""
ASKS = re.compile(
    rf"(?:(?:hi|hello|please|ok|so|and) )*(?:{'|'.join((*_ENGLISH, *_OTHERS))})"
    r"(?: (?:please|pls|bitte|s'il vous plaît|por favor|пожалуйста|من فضلك|directly|now|today))*"
)
TITLE = re.compile(
    r"\bcontact (?:us|support|customer|our|the team)\b|^(?:contact|kontakt|contacto|contato|контакты)(?: |$)"
    r"(?:details|information|options)?$|\b(?:get(?:ting)? in touch|reach(?:ing)? (?:us|support)|call us)\b|"
    r"\b(?:customer|our) (?:support|service)\b|\bsupport hours\b|\bways to get help\b|"
    r"\bkontakt (?:zu|zum|mit)\b|\b(?:erreichen sie|erreichst du) uns\b|\bnous (?:contacter|joindre)\b|"
    r"\b(?:contactar|contáctenos|entre em contato)\b|связаться с нами|اتصل بنا|التواصل معنا",
    re.IGNORECASE,
)


def asks_how_to_reach(text: str) -> bool:
    """Nothing but the wish for a number, an address or another way to the people behind the product."""
    return ASKS.fullmatch(bare(text)) is not None


def says_how_to_reach(title: str) -> bool:
    """Whether an article of this title is about it."""
    return TITLE.search(title) is not None
