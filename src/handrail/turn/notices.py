"""What a visitor is told beside an answer who writes in another language than the articles, or than any reply."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files

from handrail.text.language import unspoken
from handrail.turn import outcome
from handrail.turn.wording import Wording
from handrail.types import Classification, Label, Outcome, Question, Routing

LOOKED_UP = frozenset({Routing.FOLLOWUP, Routing.CANNOT_ANSWER})


def written_in(question: Question) -> str:
    """The language of the message, whatever the reply's is."""
    return question.unspoken or question.lang


def noticed(
    result: Outcome,
    question: Question,
    classification: Classification,
    wording: Wording,
    articles_lang: str,
    *,
    written: bool,
) -> Outcome:
    """`result` with what is to be said about languages; `question` is the message as it was written.

    `written`: a model writes answers, in any language.
    """
    quoted = bool(result.pieces or result.closest)
    foreign = written_in(question) != articles_lang
    lost = foreign and not written and result.routing in LOOKED_UP
    named = wording.language(articles_lang)
    if foreign and quoted and result.citations:
        result = replace(result, notice=wording.say("other_language", language=named))
    elif lost:
        result = outcome.not_understood(result, wording.say("only_language", language=named))
    if not _first_unspoken(question, classification) or (quoted and result.citations and not foreign):
        return result
    own = own_words().get(written_in(question), {}) if foreign else {}
    person = own.get("person") if wording.people.reachable else None
    said = [own.get("other"), person, wording.say("unspoken_language"), result.notice]
    return outcome.not_understood(result, " ".join(line for line in said if line))


@cache
def own_words() -> Mapping[str, Mapping[str, str]]:
    """`other` and `person` in languages that no reply is in, by their codes."""
    return tomllib.loads((files("handrail.turn") / "unspoken.toml").read_text(encoding="utf-8"))


def _first_unspoken(question: Question, classification: Classification) -> bool:
    """Whether the language is not spoken and this was not said before in the conversation; mash is in no language."""
    mash = classification.label is Label.NONSENSE and classification.rule is None
    return not (question.unspoken is None or mash or any(unspoken(past.question) for past in question.history))
