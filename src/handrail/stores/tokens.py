"""Words as keyword search sees them: stemmed, stop words gone, hyphenated terms kept whole and in parts.

A word in another script than Latin has its own stemmer whatever the articles' language is: a Russian help centre
names products and error codes in Latin letters.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

import Stemmer

WORD = re.compile(r"\w+(?:[-'’.]\w+)*")
JOINED = re.compile(r"[-'’.]")
WORDS_KEPT = 8192
"""Words whose terms are kept: a turn reads the same passages again and again."""
STOP_WORDS = """
    a an and are as at be been but by can could did do does for from had has have he her his how i i'm if in into
    is it it's its just like me my no not of on or our she should so some such than that the their them then there
    these they this to too up us want was we were what when where which who why will with would you your
"""
STOP = frozenset(STOP_WORDS.split())
OTHER_STOP_WORDS = {
    "german": """
        aber als am an auch auf aus bei bin bis da das dass dem den der des die doch du ein eine einem einen einer es
        für habe haben hat ich ihr im in ist ja kann kein keine können man mein meine mich mir mit muss nach nicht noch
        oder sein sich sie sind so über um und uns von vor wann warum was welche wenn wer werden wie wir wird wo zu zum
        zur
    """,
    "french": """
        à au aux avec ce ces cette comment dans de des du elle en est et être fait il ils j'ai je la le les leur ma mais
        me mes mon ne nous on ou où par pas plus pour pourquoi puis-je quand que quel quelle qui sa se ses si son sont
        sur ta te tu un une vos votre vous y
    """,
    "spanish": """
        a al como cómo con cual cuál cuando cuándo de del donde dónde el ella en es esta está este esto ha hay la las le
        lo los me mi mis muy no nos o para pero por porque puedo qué que se si sí sin sobre son su sus también tengo un
        una y ya yo
    """,
    "portuguese": """
        a ao aos as às até com como da das de do dos e é ela ele em eu faço foi há isso já mais mas me meu minha muito
        na não nas no nos o onde os ou para pela pelo por porque posso qual quando que quem se sem seu sua são também
        tem tenho um uma você
    """,
    "italian": """
        a ai al alla anche che chi ci come con cosa da dal dei del della di dove e è gli ha ho i il in io la le lo ma mi
        mio mia nel non o per perché più posso quando questo se si sono su sul un una
    """,
    "dutch": """
        aan als bij dan dat de deze die dit een en er het hoe ik in is kan ik met mijn naar niet nog of om ook op te tot
        uit van voor waar waarom wanneer wat we wel wie wij worden zijn
    """,
    "russian": """
        а без бы был была были в вам вас во вот все вы где да для до его ее её если есть еще ещё же за и из или им их к
        как какая какие какой когда кто ли мне мой моя мы на над не нет но о об он она они от по под почему при с со так
        такое там то тоже только у уже что чтобы это этот эта я
    """,
    "arabic": "أن إلى أو إن في ما من مع هل هذا هذه هو هي و على عن كيف لا لم لي متى أين ماذا لماذا كان يمكن يمكنني",
}
STOPS = {"english": STOP} | {name: frozenset(listed.split()) for name, listed in OTHER_STOP_WORDS.items()}
SCRIPTS = (("russian", re.compile(r"[\u0400-\u04ff]")), ("arabic", re.compile(r"[\u0600-\u06ff]")))
STEMMERS = {
    "ar": "arabic", "de": "german", "en": "english", "es": "spanish", "fr": "french", "it": "italian", "nl": "dutch",
    "pt": "portuguese", "ru": "russian",
}  # fmt: skip
"""Snowball's name for each language that articles may be in."""


@lru_cache(maxsize=16)
def _stemmer(language: str) -> Stemmer.Stemmer:
    return Stemmer.Stemmer(language)


def words(text: str) -> list[str]:
    """Lower-case words; `e-mail` and `TW-3001` stay whole."""
    return WORD.findall(text.lower())


def tokenize(text: str, language: str = "english") -> list[str]:
    """Terms for the keyword index. A joined word gives its parts and closed form too (`e-mail`: `email`, `mail`).

    `language` is a key of `STOPS`: the language of words in Latin letters.
    """
    return [term for word in words(text) for term in _terms(word, language)]


@lru_cache(maxsize=WORDS_KEPT)
def _terms(word: str, language: str) -> tuple[str, ...]:
    spoken = _language_of(word, language)
    stop, stemmer = STOPS[spoken], _stemmer(spoken)
    if word in stop:
        return ()
    parts = JOINED.split(word)
    if len(parts) == 1:
        return (stemmer.stemWord(word),)
    inside = (stemmer.stemWord(part) for part in parts if len(part) > 1 and part not in stop)
    return (word, stemmer.stemWord("".join(parts)), *inside)


def stems(text: str) -> tuple[str, ...]:
    """Every English word's stem in its place, stop words and joined words too."""
    stemmer = _stemmer("english")
    return tuple(stemmer.stemWord(word) for word in words(text))


def coverage(query: str, text: str, weights: Mapping[str, float], unknown: float, language: str = "english") -> float:
    """Share of the query's terms found in `text`, weighted by idf; a term no article has counts `unknown`."""
    terms = set(tokenize(query, language))
    if not terms:
        return 0.0
    present = set(tokenize(text, language))
    total = sum(weights.get(term, unknown) for term in terms)
    return sum(weights.get(term, unknown) for term in terms if term in present) / total if total else 0.0


def _language_of(word: str, latin: str) -> str:
    if word.isascii():
        return latin
    return next((name for name, script in SCRIPTS if script.search(word)), latin)
