"""What a model may not say on its own account: money, actions, people's doings, feelings. One sieve a language.

Strict on purpose: what it stops is replaced by fixed words, so being wrong costs only style.
"""

from __future__ import annotations

import re

EVERYWHERE = re.compile(r"[€$£¥₽%﷼] | \b(?:eur|usd|gbp|brl|rub)\b | \d", re.IGNORECASE | re.VERBOSE)

ENGLISH = r"""
    \b(?:refund(?:ed|ing)|reimburse\w*|compensat\w*|credit(?:ed|ing)|waive\w*|for\ free)\b
    | \b(?:guarantee\w*|promise\w*|discount\w*)\b
    | (?:\b(?:will|shall|can|going\ to|gladly)|['’]ll)\s+(?:\w+\s+){0,3}
      (?:refund|credit|cancel|delete|restore|reverse|pay)\b
    | \b(?:has|have|had|been|is|are|was|'ve|’ve)\s+(?:been\s+)?(?:cancell?ed|deleted|restored|reversed|processed)\b
    | \b(?:person|human|colleague|someone|somebody|agent|team|we|i)
      (?:\s+(?:will|shall)|['’]ll|\s+(?:is|are|am)\s+going\s+to)\b
    | \b(?:frustrat\w+|sorry|apologi[sz]e\w*|apologies|sincere\w*)
    | \b(?:i|we)\s+(?:truly\s+|fully\s+|completely\s+)?understand
    | \bhow\s+you\s+feel | \b(?:i|we)(?:'re|’re|\s+are|\s+am)?\s+(?:value|sad|upset|disappointed|concerned)\b
"""

OTHERS = {
    "de": r"""
    erstatt(?!ung) | gutschreib | gutgeschrieben | entschädig | kostenlos | gratis | rabatt | nachlass | garant
    | verspr[eio] | zusag | zusicher | \b(?:werde|werden|wird|wirst|werdet)\b
    | \b(?:gekündigt|storniert|gelöscht|bearbeitet|wiederhergestellt|erledigt|veranlasst|rückgängig)\b
    | \bleid\b | entschuldig | bedauer | versteh | verständnis | frustrier | ärger | traurig | enttäusch | aufrichtig
    """,
    "fr": r"""
    rembours(?!ement) | dédommag | indemnis | crédit | gratuit | offert | offrons | remise | rabais | réduction
    | garanti | prome[ts] | promis | engage | \b\w+(?:rai|ras|ra|rons|rez|ront)\b
    | \b(?:vais|va|allons|allez|vont)\s+(?:\w+\s+)?\w+(?:er|ir|re)\b | \b(?:annulé|supprimé|résilié|traité|rétabli)
    | désol | excus | regret | compren | frustr | sincère | navré | déçu | triste | inqui
    """,
    "es": r"""
    reembols(?!o\b) | devol[vu] | compens | indemniz | abon(?:a|e) | gratis | gratuit | descuento | rebaja | garant
    | promet | asegur | \b\w+(?:ré|rás|rá|remos|réis|rán)\b | \b(?:voy|vamos|va|van)\s+a\b
    | \b(?:cancelad|eliminad|anulad|procesad|restaurad)
    | siento | sentimos | lament | disculp | perd[oó]n
    | entend | entiend | comprend | frustr | sincer | triste | preocup
    """,
    "pt": r"""
    reembols(?!o\b) | devol[v] | compens | indeniz | indemniz | credit | grátis | gratuit | desconto | abatimento
    | garant | promet | assegur | \b\w+(?:rei|rás|rá|remos|reis|rão)\b | \b(?:vou|vamos|vai|vão)\s+\w+r\b
    | \b(?:cancelad|eliminad|apagad|anulad|processad|restaurad)
    | lament | desculp | sinto | sentimos | entend | compreend | frustr | sincer | triste | preocup | decepcion
    """,
    "ru": r"""
    верн[её][мт] | верну | возмест | возмещ | компенс | зачисл | бесплатн | скидк | гарант | обеща | обязательно
    | \b(?:буд(?:у|ем|ет|ут|ете)|сможе[тм]|смогут)\b
    | \b(?:отмен|удал|восстанов|реш|исправ|ответ|провер)(?:им|ю|лю|ят|ат|ит|у)\b | свяж[еу] | перезвон | помож
    | отмен[её]н | удал[её]н | восстановлен | обработан | отменил | удалил
    | жаль | извин | \bпростите | сожале | понима | искренн | расстро | огорч | сочувств | ценим
    """,
    "ar": r"""
    \bو?س[أنيت]\w+ | \bسوف\b | \b(?:تم|لقد|قمنا|قمت)\b | نضمن | أضمن | ضمان | نعد | أعد | وعد | خصم
    | مجان | تعويض | نعوض | آسف | أسف | عتذر | عذر | تفهم | [أن]فهم | محبط | حزين | بصدق
    """,
}
SIEVES = {
    "en": re.compile(ENGLISH, re.IGNORECASE | re.VERBOSE),
    **{lang: re.compile(f"{stops} | {ENGLISH}", re.IGNORECASE | re.VERBOSE) for lang, stops in OTHERS.items()},
}
"""English words are stopped everywhere: models fall back to it."""

QUOTED = re.compile(r"“[^”]*”|„[^“]*“|«[^»]*»|\"[^\"]*\"|\*\*[^*]*\*\*|`[^`]*`")
ME = {
    "en": r"\bI(?:['’](?:ll|ve|m|d))?\b",
    "de": r"\bich\b",
    "fr": r"\b(?:je|j['’])",
    "es": r"\b(?:yo|he|voy)\b|\b\w+(?:aré|eré|iré)\b",
    "pt": r"\b(?:eu|vou)\b|\b\w+(?:arei|erei|irei)\b",
    "ru": r"\bя\b",
    "ar": r"\bأنا\b|\bسأ\w+|\bقمت\b|\bلقد\b",
}
DOING = {
    "en": r"\b(?:refund|cancel|credit|delet|restor|revers|process|issu|waiv|reimburs|escalat|forward|contact)\w*",
    "de": r"erstatt|kündig|stornier|gutschreib|gutgeschr|lösch|wiederherst|bearbeit|weiterleit|weitergeleit|veranlass",
    "fr": r"rembours|annul|résili|crédit|supprim|rétabl|trait|transm|contact",
    "es": r"reembols|cancel|anul|devol|elimin|restaur|proces|abon|transfer|contact",
    "pt": r"reembols|cancel|anul|devol|elimin|apag|restaur|process|credit|encaminh|contact",
    "ru": r"верн|отмен|возмещ|возмест|удал|восстанов|обработ|зачисл|переда|свяж",
    "ar": r"لغ|عيد|استرد|رد|حذف|معالج|تواصل|تحويل",
}
CLAIMS = {lang: (re.compile(me, 0 if lang == "en" else re.IGNORECASE), re.compile(DOING[lang], re.IGNORECASE))
          for lang, me in ME.items()}  # fmt: skip


def promising(text: str, lang: str) -> bool:
    """Whether free words in `lang` may promise something, report an action or pretend feelings.

    True for languages there is no sieve for.
    """
    sieve = SIEVES.get(lang)
    return sieve is None or bool(EVERYWHERE.search(text) or sieve.search(text))


def claims_to_act(text: str, lang: str) -> bool:
    """Whether the assistant speaks of its own doing, in `lang` or in English; words quoted from a page do not count."""
    own = QUOTED.sub(" ", text)
    return any(me.search(own) and doing.search(own) for me, doing in (CLAIMS["en"], CLAIMS.get(lang, CLAIMS["en"])))
