"""What is left without a head for the embedder where no LLM classifies: a message's own words, in nine languages.

A question, unless it says in so many words that it is for a person, or is not in words at all.
"""

from __future__ import annotations

import re

from handrail.classify.cues import MASHED, WORD, read_word
from handrail.courtesies import without_courtesies
from handrail.types import Classification, Label, Probe, Question

LIKELY = 0.9
"""Probability given to what a rule says; 0.5 to a question, which none denies."""
CLAUSE = re.compile(
    r"(?<=[.!?…;\n])\s+|,\s+(?:но|aber|but|mais|pero|mas)\s+|"
    r",\s+(?=(?:как|где|когда|почему|how|where|when|why|wie|wo|wann|warum|comment|où|quand|cómo|dónde|como|onde)\s)"
)
ASKING = frozenset({"§how", "§where", "§when", "§what", "§why"})
OPENS = 2
"""Words at the beginning of a clause among which a question word asks; later ones join clauses."""
LEAVING = re.compile(
    r"kündig|kuendig|gekündigt|résili|resili|расторг|расторж|opzeg|wypow|disd|rescind|unsubscrib|désabonn"
)
"""Words that only contracts are ended with."""
INVOICE = re.compile(r"rechnung|fa[ck]?t|счет|счёт|bill|fakt|списо|списк|gebucht")
"""Among the words for a charge, those for a bill, a list or a booking."""
RETURNED = re.compile(r"верн|restit|devol|devuel")
"""Among the words for a refund, those for giving back anything."""
BACK = re.compile(r"zurück|назад|обратно|back|indietro|terug|retour")
DATA = re.compile(r"daten|данн|datos|données|dados|dati$|dane")
MISTREATED = re.compile(
    r"обман|развод(?:ите|илово)|роспотреб|прокурат|безобраз|издева|ожог|обожг|пожар|загорел|возгоран|"
    r"betrog|abzock|verbraucherschutz|staatsanwalt|zumutung|sauerei|brand(?:gefahr|schaden)|gebrannt"
)
"""Said of no question about a product: fraud, authorities, outrage, fire."""
CURT = 3
"""Words up to which "cancel plan" is a wish, with nobody named."""
LETTERS = re.compile(r"[^\W\d_]+")
ABBREVIATION = 6
"""Letters of capitals up to which a word without vowels is an abbreviation."""


class ByWords:
    """Reads cues, no vectors."""

    async def classify(self, question: Question, probe: Probe) -> Classification:
        text = without_courtesies(question.text)
        known = probe.topic.get("known", 0.0)
        if in_no_words(text) and not known:
            return Classification(Label.NONSENSE, LIKELY, "rule")
        if serious(text):
            return Classification(Label.HIGH_STAKES, LIKELY, "rule")
        return Classification(Label.ANSWERABLE, 0.5, "rule")


def in_no_words(text: str) -> bool:
    """Whether no word of it was meant as one; what stands in capitals may be an abbreviation."""
    words = LETTERS.findall(text)
    short = [word for word in words if word.isupper() and len(word) <= ABBREVIATION]
    return not short and all(read_word(word.casefold()) == MASHED for word in words)


def serious(text: str) -> bool:
    """Whether a clause of it says that money, a contract, the law, a crime or an injury is at stake, or is angry.

    What is asked in general is a question: how to cancel, where the refund policy is.
    """
    clauses = [clause for clause in CLAUSE.split(text.casefold()) if clause]
    return any(_serious(WORD.findall(clause)) for clause in clauses)


def _serious(words: list[str]) -> bool:
    read = [(word, read_word(word.replace("’", "'"))) for word in words]
    cues = {cue for _, cue in read}
    asks = any(cue in ASKING for _, cue in read[:OPENS]) or (bool(read) and read[0][1] == "§can")
    first_person = bool(cues & {"§me", "§own"})
    wished = bool(cues & {"§want", "§please", "§own", "§me"}) or len(words) <= CURT

    def says(cue: str, but: re.Pattern[str] | None = None) -> bool:
        return any(of == f"§{cue}" and not (but and but.match(word)) for word, of in read)

    charged = says("charge", but=INVOICE)
    refunded = says("refund") or (says("money") and any(BACK.match(word) for word in words))
    if any(MISTREATED.match(word) for word in words):
        return not (asks and not first_person)
    if says("crime") and (first_person or says("money") or says("account")):
        return not (asks and "§how" in cues)
    if charged and (says("twice") or says("negated") or says("money")) and not (asks and "§how" in cues):
        return first_person or not asks
    if "§third" in cues and "§me" not in cues:
        return False
    if says("money") and (refunded or says("own")) and cues & {"§where", "§when", "§why"}:
        return True
    if says("accident", but=re.compile("lost")) and first_person:
        return "§how" not in cues
    if asks:
        return False
    ends = says("cancel") or says("close") or says("delete")
    return (
        (refunded and (says("money") or charged or says("plan") or says("account")))
        or (says("refund", but=RETURNED) and wished)
        or (ends and (says("plan") or says("account")) and wished and not _cannot(cues))
        or (any(LEAVING.match(word) for word in words) and wished and not _cannot(cues))
        or (says("delete") and (says("privacy") or any(DATA.match(word) for word in words)) and says("own"))
        or says("legal")
        or (says("threat") and (first_person or says("you")) and not says("want"))
        or (says("complain") and wished)
        or says("angry", but=re.compile(r"done|enough|fed|joke"))
        or (says("boss") and (says("talk") or says("want")))
    )


def _cannot(cues: set[str]) -> bool:
    """ "I cannot cancel my plan" is a question of how."""
    return "§negated" in cues and "§can" in cues
