"""Headings and titles as a visitor would ask them, in the articles' language."""

from __future__ import annotations

import re
from collections.abc import Mapping

LONGEST = 90
"""Characters of a chip."""
FEWEST_WORDS = 3
VERB_WORDS = """
    accept add allow apply arrange assign attach automate block build buy cancel change choose collect compare configure
    connect convert create customise customize delete deploy disable disconnect download duplicate edit embed
    enable export find fix generate get give hide import install integrate invite keep make manage mark merge
    migrate move offer organise organize pause prevent protect publish receive recover refund remove renew reorder
    replace reschedule reset restore resume run save schedule secure see sell send set share show sign split stop
    store submit subscribe switch sync take test track transfer translate turn uninstall unlock unpublish update upgrade
    upload use verify view withdraw write
"""
VERBS = frozenset(VERB_WORDS.split())
DONE_WORDS = (
    "begin charge claim close deal end finish leave open order pay read report return solve start understand work"
)
DOINGS = VERBS | frozenset(DONE_WORDS.split())
"""What "Ending a contract" may be made of; in front of a noun some of them are no verbs (return policy)."""
DETERMINER_WORDS = "a an the your my our one two several more all to from for with in on up off out it"
DETERMINERS = frozenset(DETERMINER_WORDS.split())
SENTENCE = re.compile(r"\b(is|are|was|does|do|did|has|have|cannot|can't|not)\b", re.I)
POINTS_BACK = re.compile(r"\b(it|its|this|that|these|those|they|them|then|above|below|here)\b", re.I)
QUESTION_WORDS = re.compile(
    r"^(how|what|when|where|which|who|why|can|could|do|does|did|is|are|may|must|should|will|am|i|my)\b", re.I
)
TROUBLE = re.compile(r"^(your|my)\b|^\w+ed\b|\b(errors?|problems?|fail\w*|outages?|hold|at a glance)\b", re.I)
"""Titles that "How does … work?" makes no sense of."""
PREPOSITION = re.compile(r"\b(?:for|from|by|with|at|of|in|on|to)\b")
CODE = re.compile(r"\b([A-Z]{2,6}-\d{2,6})\b")
HOW_IT_WORKS = re.compile(r"^How (?P<what>.+?) works?$", re.I)
HOW_TO = re.compile(r"^How to (?P<rest>.+)$", re.I)
YOURS = (
    (r"\byours\b", "mine"),
    (r"\byourself\b", "myself"),
    (r"\byour\b", "my"),
    (r"\byou are\b", "I am"),
    (r"\byou\b", "I"),
    (r"\b(?-i:us)\b", "you"),
)
INFINITIVES: Mapping[str, tuple[re.Pattern[str], str]] = {
    "de": (re.compile(r"^(?P<rest>[A-ZÄÖÜ].* [a-zäöüß]+(?:en|ern|eln))$"), "Wie kann ich {rest}?"),
    "fr": (re.compile(r"^(?P<verb>\w+(?:er|ir|re)) (?P<rest>.+)$"), "Comment {verb} {rest} ?"),
    "es": (re.compile(r"^(?P<verb>\w+[aei]r) (?P<rest>.+)$"), "¿Cómo {verb} {rest}?"),
    "pt": (re.compile(r"^(?P<verb>\w+[aei]r) (?P<rest>.+)$"), "Como {verb} {rest}?"),
    "it": (re.compile(r"^(?P<verb>\w+[aei]re) (?P<rest>.+)$"), "Come {verb} {rest}?"),
    "ru": (re.compile(r"^(?P<verb>\w+(?:ть|ться|ти)) (?P<rest>.+)$"), "Как {verb} {rest}?"),
}
"""Titles that name an action by its infinitive, and the question made of one."""


def asked(text: str, lang: str, *, title: bool = False) -> str | None:
    """A question, or None where the words make none that stands alone.

    A heading must be a question or name an action; a title may also be a noun or say what is wrong.
    """
    text = " ".join(text.split()).strip(" .:")
    if not any(letter.isalpha() for letter in text):
        return None
    if text.endswith(("?", "؟")):
        found: str | None = text if _stands_alone(text, lang) else None
    elif lang == "en":
        found = _english(text, title)
    else:
        found = _infinitive(text, lang)
    return found if found is not None and len(found) <= LONGEST else None


def _stands_alone(text: str, lang: str) -> bool:
    if len(text.split()) < FEWEST_WORDS:
        return False
    return lang != "en" or (bool(QUESTION_WORDS.match(text)) and not POINTS_BACK.search(text))


def _english(text: str, title: bool) -> str | None:
    words = text.split()
    first = words[0].casefold() if words else ""
    second = words[1].casefold() if len(words) > 1 else ""
    code = CODE.search(text)
    if title and code:
        return f"What does {code.group(1)} mean?"
    how_to = HOW_TO.match(text)
    if how_to:
        return f"How do I {_mine(how_to['rest'])}?"
    if first in VERBS and len(words) >= FEWEST_WORDS - (second not in DETERMINERS) and not POINTS_BACK.search(text):
        return f"How do I {_mine(_lowered(text))}?"
    if not title:
        return None
    doing = _verb_of(first) if second in DETERMINERS or second == "us" else None
    if doing:
        return f"How do I {_mine(' '.join((doing, *words[1:])))}?"
    works = HOW_IT_WORKS.match(text)
    if works:
        return f"How {_do(works['what'])} {_mine(works['what'])} work?"
    if SENTENCE.search(text):
        return f"What can I do when {_mine(_lowered(text))}?"
    if TROUBLE.search(text):
        return None
    return f"How {_do(text)} {_mine(_the(_lowered(text)))} work?"


def _infinitive(text: str, lang: str) -> str | None:
    pattern, question = INFINITIVES.get(lang, (None, ""))
    match = pattern.match(text) if pattern else None
    return question.format(**{**match.groupdict(), **_verb(match)}) if match else None


def _verb(match: re.Match[str]) -> dict[str, str]:
    verb = match.groupdict().get("verb")
    return {"verb": verb.lower()} if verb else {}


def _do(subject: str) -> str:
    words = PREPOSITION.split(subject)[0].split()
    plural = "and" in words or (words[-1].endswith("s") and not words[-1].endswith(("ss", "us", "is")))
    return "do" if plural else "does"


def _the(subject: str) -> str:
    """An article before a single thing; names, plurals and doings ("moving house") need none."""
    single = subject[:1].islower() and _do(subject) == "does"
    return f"the {subject}" if single and not subject.partition(" ")[0].endswith("ing") else subject


def _verb_of(doing: str) -> str | None:
    """`move` for "moving", where it is one of those that titles are made of."""
    stem = doing.removesuffix("ing")
    if stem == doing:
        return None
    return next((verb for verb in (stem, f"{stem}e", stem[:-1]) if verb in DOINGS), None)


def _lowered(text: str) -> str:
    """The first letter small, unless the word is a name or an abbreviation."""
    first, _, rest = text.partition(" ")
    kept = any(letter.isupper() or letter.isdigit() for letter in first[1:])
    named = rest[:1].isupper() and first.casefold() not in VERBS
    return text if kept or named else text[:1].lower() + text[1:]


def _mine(text: str) -> str:
    for pattern, instead in YOURS:
        text = re.sub(pattern, instead, text, flags=re.IGNORECASE)
    return text
