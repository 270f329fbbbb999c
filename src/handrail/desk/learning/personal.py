"""Personal data taken out of texts that leave the conversation they were written in."""

from __future__ import annotations

import re

from handrail.text.contacts import without_personal

NUMBERED = re.compile(
    r"\b(?P<what>order|invoice|booking|customer|account|ticket|reference|ref|case|contract|bestellung|rechnung|kunde|"
    r"commande|facture|pedido|factura|заказ|счёт)(?P<between>\s*(?:number|no\.?|nr\.?|id|is|№|#|:|\s)*)"
    r"(?P<value>(?=[A-Z0-9-]*\d)[A-Z0-9][A-Z0-9-]{3,})\b",
    re.IGNORECASE,
)
REFERENCE = re.compile(r"\bHR-[A-Z0-9]{4,}\b")
ADDRESS = re.compile(r"\b(?:\d{1,3}\.){3}\d{1,3}\b")
PRIVATE_LINK = re.compile(r"(https?://[^\s?#]+)[?#]\S+")
INTRODUCED = re.compile(
    r"\b(?P<how>[Mm]y name is|[Tt]his is|I am|I'm|[Ii]ch bin|[Mm]ein Name ist|[Jj]e m'appelle|[Mm]e llamo|"
    r"[Mm]eu nome é|[Mm]i chiamo|[Mm]y name's)\s+(?P<name>[A-ZÀ-ÞА-Я][\w'’-]+(?:\s+[A-ZÀ-ÞА-Я][\w'’-]+){0,2})"
)
GREETED = re.compile(
    r"(?m)^(?P<how>\s*(?:Hi|Hello|Hey|Dear|Hallo|Bonjour|Hola|Olá|Thanks|Thank you|Good (?:morning|evening)),?)"
    r"\s+(?P<name>(?!There\b|All\b|Everyone\b|Team\b)[A-ZÀ-ÞА-Я][\w'’-]+)(?=\s*[,!.:\n]|\s*$)"
)
SIGNED = re.compile(
    r"(?ims)^\s*(?:best|kind|warm)?\s*(?:regards|wishes|best|cheers|sincerely|yours|viele grüße|freundliche grüße|"
    r"cordialement|saludos),?\s*\n?\s*[^\n]{0,60}\s*\Z"
)


def impersonal(text: str, names: tuple[str, ...] = ()) -> str:
    """`text` without secrets, e-mail addresses, phone numbers, numbers of orders and accounts, and names.

    Names are those people introduce or greet each other with, and `names` (such as the visitor's own, or the agents').
    What is left must still be read by a person: no pattern knows every name.
    """
    text = without_personal(text)
    text = PRIVATE_LINK.sub(r"\1", text)
    text = ADDRESS.sub("[address removed]", text)
    text = REFERENCE.sub("[reference removed]", text)
    text = NUMBERED.sub(lambda found: f"{found['what']}{found['between']}[number removed]", text)
    text = INTRODUCED.sub(lambda found: f"{found['how']} [name removed]", text)
    for name in names:
        if len(name.strip()) > 1:
            text = re.sub(rf"\b{re.escape(name.strip())}\b", "[name removed]", text, flags=re.IGNORECASE)
    return text


def without_salutation(text: str) -> str:
    """An agent's words without the greeting by name and the signature below."""
    text = SIGNED.sub("", text)
    return GREETED.sub("", text).strip(" ,!\n")
