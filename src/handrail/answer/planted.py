"""Sentences of articles that talk to the assistant instead of their reader: they were planted, and go no further."""

from __future__ import annotations

import re

from handrail.text.guard import suspicious
from handrail.text.markdown import MARKS, plain, sentences

_MODEL = r"(?:a\.?i\.?(?: assistants?| models?)?|(?:large )?language models?|llms?|chat ?bots?)"
TO_AN_ASSISTANT = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        r"^(?:say (?:the|that|this|only|exactly|in)|output (?:the|this|these|only|exactly|nothing))\b",
        r"(?:^|[,;:] |\b(?:must|should|please) )(?:reply|respond|answer) (?:only|just|exactly) (?:with|that)\b",
        r"\b(?:reply|respond|answer) with the (?:word|sentence|phrase|text)s?\b",
        rf"\b(?:if you(?: are|'re|’re)|as) an? {_MODEL}\b",
        rf"\b(?:note|notice|message|instructions?|attention|hint) (?:to|for) (?:all |any |the )?{_MODEL}\b",
        r"^\W{0,3}(?:note|notice|message|instructions?|attention) (?:to|for) (?:all |any |the )?assistants?:",
        rf"\b(?:{_MODEL}|assistants?|bots?|models?)\b[^.]{{0,20}} (?:reading|processing|(?:who|that) reads?) this\b",
        r"^\W{0,3}(?:system|developer|admin) (?:override|prompt|note|instructions?|command|message) ?[\]:]",
        r"\brepeat (?:this|these|the following) (?:sentence|text|word|phrase)s?\b",
        r"^(?:please )?(?:tell|inform|instruct|advise|greet) the (?:reader|visitor)\b",
        r"\b(?:ignorier\w*|missacht\w*|vergiss|vergesst)\b.{0,40}\b(?:regeln|anweisungen|vorgaben)\b",
        r"\b(?:ignore[zr]|oublie[zr]?)\b.{0,40}\b(?:instructions|règles|consignes)\b",
        r"\b(?:ignor[aeiou]\w*|olvida|dimentica|esqueça)\b.{0,40}"
        r"\b(?:instrucciones|reglas|istruzioni|regole|instruções|regras)\b",
        r"\b(?:negeer|vergeet)\b.{0,40}\b(?:regels|instructies)\b",
        r"\b(?:z?ignoruj|zapomnij)\b.{0,40}\b(?:instrukcje|instrukcji|zasady|zasad)\b",
        r"\b(?:игнорируй|проигнорируй|забудь)\w*\b.{0,40}\b(?:инструкции|правила|указания)\b",
        r"^(?:antworte nur|réponds (?:uniquement|seulement)|responde (?:solo|sólo|apenas)|rispondi solo"
        r"|antwoord alleen|odpowiadaj tylko|отвечай только)\b",
    )
)


def planted(text: str) -> bool:
    """Whether a sentence of an article's Markdown gives the assistant orders."""
    lines = (line for line in MARKS.sub("", plain(text)).splitlines() if line.strip())
    return any(suspicious(one) or _orders(one) for line in lines for one in (line.strip(), *sentences(line)))


def _orders(text: str) -> bool:
    return any(pattern.search(text) for pattern in TO_AN_ASSISTANT)
