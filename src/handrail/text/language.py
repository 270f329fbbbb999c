"""Which language a message or a knowledge base is written in.

Scripts decide where they can. Latin letters go to py3langid, kept to the languages that help centres here are likely to
meet; support messages are short, so a guess only counts when it is sure or agrees with what the visitor's page said.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

DEFAULT = "en"
LATIN = ("cs", "da", "de", "en", "es", "fr", "it", "nl", "pl", "pt", "sv")
FURTHER = ("fi", "hr", "hu", "id", "no", "ro", "sk", "sw", "tl", "tr", "vi")
"""Languages that no reply is in, and that would only blur the choice of one."""
SURE = 0.8
"""Probability from which the text wins over the visitor's page."""
LIKELY = 0.6
"""Probability from which the text counts where the page says nothing or the same."""
UNSPOKEN = 0.9
"""Probability from which a visitor is told that his language is not spoken; wrong of mash alone in 10,449 messages, and
of four more with `FURTHER`, mash too."""
UNSPOKEN_WORDS = 3
"""Shorter messages are names and nouns, which say little."""
UNSPOKEN_SHARE, UNSPOKEN_LETTERS = 0.3, 3
"""Letters in scripts that no reply is in, from which a message is partly in another language: fewer are a name."""
FOREIGN, MAYBE_FOREIGN = 0.05, 0.2
"""Probability of the articles' language up to which a message is surely in another: so are 0.99 of 3,570 messages in
other languages, and 0.003 of 7,190 in English. Up to the second are all of 28 that have a word or two, and half of 155
English ones."""
FEWEST_WORDS = 2
"""Shorter texts, such as a product's name, say nothing about their writer."""
SAMPLE = 40
TELLING = (
    ("es", re.compile(r"[¿¡ñ]", re.IGNORECASE)),
    ("pt", re.compile(r"[ãõ]", re.IGNORECASE)),
    ("de", re.compile(r"ß")),
    ("fr", re.compile(r"\b(?:[cdjlmnst]|qu)['’](?=[a-zà-ÿ])|[œù]", re.IGNORECASE)),
)
"""What only one of the languages that replies speak is written with; it decides where the words leave a doubt."""
LETTER = re.compile(r"[^\W\d_]")
KNOWN_SCRIPT = re.compile(r"[\u0000-\u024f\u1e00-\u1eff\u0400-\u04ff\u0600-\u06ff\u0750-\u077f]")
"""Letters of Latin, Cyrillic and Arabic."""
UNKNOWN = "und"
SCRIPTS = (("ru", re.compile(r"[\u0400-\u04ff]")), ("ar", re.compile(r"[\u0600-\u06ff\u0750-\u077f]")))
SIGNS = (
    ("uk", re.compile(r"[іїєґ]", re.IGNORECASE)),
    ("ur", re.compile(r"[\u0679\u0688\u0691\u06ba\u06d2]")),
    ("fa", re.compile(r"[\u06a9\u06cc]")),
    ("vi", re.compile(r"[ơư\u1ea0-\u1ef9]", re.IGNORECASE)),
    ("ja", re.compile(r"[\u3040-\u30ff]")),
    ("ko", re.compile(r"[\u1100-\u11ff\uac00-\ud7af]")),
    ("zh", re.compile(r"[\u3400-\u9fff]")),
    ("th", re.compile(r"[\u0e00-\u0e7f]")),
    ("hi", re.compile(r"[\u0900-\u097f]")),
    ("bn", re.compile(r"[\u0980-\u09ff]")),
    ("ta", re.compile(r"[\u0b80-\u0bff]")),
    ("he", re.compile(r"[\u0590-\u05ff]")),
    ("el", re.compile(r"[\u0370-\u03ff\u1f00-\u1fff]")),
)
"""What tells languages without replies that are written in a script of their own, or with letters of their own. The
first that is found counts."""


@cache
def spoken() -> frozenset[str]:
    """Languages that fixed replies are written in."""
    folder = files("handrail.turn") / "languages"
    return frozenset(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml"))


SPOKEN = {
    "de": "danke dank vielen herzlichen schön sehr hallo moin servus guten tag morgen abend nein ja bitte hilfe "
    "tschüss auf wiedersehen",
    "fr": "merci beaucoup bien infiniment à vous bonjour bonsoir salut oui non aidez-moi aide au revoir",
    "es": "gracias hola buenas buenos días dias tardes noches muchas mil por todo sí ayuda adiós hasta luego",
    "pt": "obrigado obrigada muito olá oi tudo bem bom dia boa tarde noite sim não ajuda por tchau adeus",
}
"""Words by which a message too short to tell its language tells it after all."""


def base(tag: str | None) -> str:
    """`pt` of `pt-BR`; English where the fixed replies do not speak it."""
    primary = (tag or "").split("-")[0].lower()
    return primary if primary in spoken() else DEFAULT


def of_message(text: str, page: str | None = None) -> str:
    """The language to reply in: of the message where it is clear, otherwise of the visitor's page."""
    wanted = base(page)
    script = of_script(text)
    if script:
        return script
    said = spoken_in(text)
    if said:
        return said
    if len(re.findall(r"\w+", text)) < FEWEST_WORDS:
        return wanted
    found, sure = _latin(text)
    told = [lang for lang, signs in TELLING if signs.search(text)]
    if len(told) == 1 and (found == told[0] or (sure < SURE and found != wanted)):
        return told[0]
    if found not in spoken():
        return wanted
    return found if sure >= (LIKELY if found == wanted else SURE) else wanted


def unspoken(text: str) -> str | None:
    """The language that a message surely is in, or partly, where fixed replies do not speak it; None of any other one.

    `und` for a script that is not told apart further.
    """
    letters = LETTER.findall(text)
    unknown = sum(KNOWN_SCRIPT.match(letter) is None for letter in letters)
    if 2 * unknown > len(letters) or unknown >= max(UNSPOKEN_LETTERS, UNSPOKEN_SHARE * len(letters)):
        return next((lang for lang, signs in SIGNS if signs.search(text)), UNKNOWN)
    script, short = of_script(text), len(re.findall(r"\w+", text)) < UNSPOKEN_WORDS
    if script or short:
        return next((lang for lang, signs in SIGNS[:4] if signs.search(text)), None)
    for model in reversed(_models()):
        found, sure = model.classify(_unshouted(text))
        if found not in spoken() and sure >= UNSPOKEN:
            return str(found)
    return None


def foreign(text: str, than: str = DEFAULT, most: float = FOREIGN) -> bool:
    """Whether a message is surely in another language than `than`, spoken here or not.

    `most` is the probability of `than` up to which Latin letters are taken to be of another.
    """
    script = of_script(text)
    if script or _in_unknown_script(text):
        return script != than
    if not LETTER.search(text):
        return False
    likely = dict(_model().rank(_unshouted(text)))
    return than not in likely or float(likely[than]) <= most


def _in_unknown_script(text: str) -> bool:
    letters = LETTER.findall(text)
    return 2 * sum(KNOWN_SCRIPT.match(letter) is None for letter in letters) > len(letters)


def of_articles(texts: Sequence[str]) -> str:
    """The language most of a sample of `texts` is in; English for none."""
    step = max(1, len(texts) // SAMPLE)
    votes = Counter(of_script(text) or _latin(text)[0] for text in texts[::step][:SAMPLE] if LETTER.search(text))
    return votes.most_common(1)[0][0] if votes else DEFAULT


def warm_up() -> None:
    """Load the models, which takes about half a second, before the first visitor needs them."""
    unspoken("warm up the models")


def of_script(text: str) -> str | None:
    """The language of a script that most letters are in."""
    letters = len(LETTER.findall(text))
    for name, script in SCRIPTS:
        if letters and 2 * len(script.findall(text)) > letters:
            return name
    return None


def _model() -> Any:
    return _models()[0]


@cache
def _models() -> tuple[Any, Any]:
    """Of `LATIN`, and of `FURTHER` too."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    whole = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)

    def of(languages: Sequence[str]) -> Any:
        whole.set_languages(list(languages))
        # Made anew of what is left, it does not hold on to 30 MB of the other languages.
        return LanguageIdentifier(
            whole.nb_ptc, whole.nb_pc, whole.nb_classes, whole.tk_nextmove, whole.tk_output, norm_probs=True,
            tk_row=whole.tk_row,
        )  # fmt: skip

    return of(LATIN), of((*LATIN, *FURTHER))


def _latin(text: str) -> tuple[str, float]:
    language, probability = _model().classify(_unshouted(text))
    return str(language), float(probability)


def _unshouted(text: str) -> str:
    """Capitals read like another language to the model."""
    return text.lower() if text.isupper() else text


def spoken_in(text: str) -> str | None:
    """The language of a greeting, thanks, yes or no in Latin letters, where the words are of one only."""
    said = [word.replace("’", "'") for word in re.findall(r"[\w'’-]+", text.casefold())]
    return next((lang for lang, known in SPOKEN.items() if said and set(said) <= set(known.split())), None)
