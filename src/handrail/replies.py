"""Messages that only greet, thank, or say yes or no: never a question."""

from __future__ import annotations

import re

YES = re.compile(
    r"(?:yes|yep|yeah|yup|ya|sure|correct|exactly|right|ok(?:ay)?|please do|that's (?:it|right|the one)|that one|"
    r"ja|oui|s[ií]|sim|да)(?: (?:please|it is|exactly|that's it|that one|it does|thanks))?"
)
NO = re.compile(
    r"(?:no|nope|nah|not really|not quite|no it isn't|neither|none(?: of (?:them|these|those))?|nein|non|não|нет)"
    r"(?: (?:thanks|thank you|sorry|not really|it isn't|neither))?"
)

GREETING = re.compile(
    r"(hi+|hello+|hey+|hiya|good (morning|afternoon|evening)|hallo|guten (tag|morgen|abend)|moin|bonjour|salut|hola|"
    r"buen[oa]s( d[ií]as| tardes)?|ol[áa]|ciao|привет|здравствуйте)( there| you| all| everyone)?"
)
THANKS = re.compile(
    r"(many )?(thanks?|thank you|thx|ty|cheers|great|perfect|merci|danke( sch[öo]n)?|gracias|obrigad[oa]|grazie|"
    r"спасибо)"
    r"( (so|very) much| a lot| again)?( (that helped|that's all|bye))?"
)


def bare(text: str) -> str:
    """Lower case, without punctuation around words."""
    return " ".join(re.findall(r"[\w'’-]+", text.casefold())).replace("’", "'")


def says_yes(text: str) -> bool:
    return YES.fullmatch(bare(text)) is not None


def says_no(text: str) -> bool:
    return NO.fullmatch(bare(text)) is not None


def greets_or_thanks(text: str) -> bool:
    said = bare(text)
    return bool(GREETING.fullmatch(said) or THANKS.fullmatch(said))
