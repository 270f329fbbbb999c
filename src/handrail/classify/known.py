"""Messages that need no model: greetings, thanks, yes or no, the wish for a person, a number or help, the own chips.

And those of which no label may judge: whoever speaks of ending their life is put through to a person, by phrases that
are known or by what is heard, and so is whoever asks for one in words that no list has.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from handrail.classify import Classifier
from handrail.courtesies import only_greets
from handrail.despair import CRISIS, in_crisis, speaks_of_dying
from handrail.reach import asks_how_to_reach, says_how_to_reach
from handrail.replies import (
    GREETING,
    THANKS,
    acknowledges,
    asks_for_person,
    only_asks_for_help,
    only_says_it_fails,
    says_no,
    says_yes,
)
from handrail.types import PERSON_FROM, Classification, Label, Probe, Question

SURE = 0.99


class KnownMessages:
    """Decides what a rule can and leaves the rest to `classifier`."""

    def __init__(self, classifier: Classifier, topics: Collection[str], titles: Collection[str]) -> None:
        self._classifier = classifier
        self._topics = {_bare(topic) for topic in topics}
        self._titles = {_bare(title) for title in titles}
        self._says_how_to_reach = any(says_how_to_reach(title) for title in titles)

    async def classify(self, question: Question, probe: Probe) -> Classification:
        if speaks_of_dying(question.text):
            return Classification(Label.HIGH_STAKES, SURE, "rule", rule=CRISIS)
        text = _bare(question.text)
        if GREETING.fullmatch(text) or only_greets(question.text):
            return Classification(Label.NONSENSE, SURE, "rule", rule="greeting")
        if THANKS.fullmatch(text):
            return Classification(Label.NONSENSE, SURE, "rule", rule="thanks")
        if says_yes(question.text) or says_no(question.text):
            return Classification(Label.NONSENSE, SURE, "rule", rule="yes" if says_yes(question.text) else "no")
        if acknowledges(question.text):
            return Classification(Label.NONSENSE, SURE, "rule", rule="thanks")
        if asks_for_person(question.text):
            return Classification(Label.OUT_OF_SCOPE, SURE, "rule", rule="person")
        if text in self._topics:
            return Classification(Label.ANSWERABLE, SURE, "rule", rule="topic")
        if text in self._titles:
            return Classification(Label.ANSWERABLE, SURE, "rule", rule="title")
        if (likely := in_crisis(probe)) is not None:
            return Classification(Label.HIGH_STAKES, likely, "local", rule=CRISIS)
        if only_asks_for_help(question.text) or only_says_it_fails(question.text):
            return Classification(Label.ANSWERABLE, SURE, "rule", rule="help")
        if asks_how_to_reach(question.text):
            if self._says_how_to_reach:
                return Classification(Label.ANSWERABLE, SURE, "rule", rule="title")
            return Classification(Label.OUT_OF_SCOPE, SURE, "rule", rule="person")
        found = await self._classifier.classify(question, probe)
        understood = probe.understood
        if understood is None or understood.person < PERSON_FROM or found.label is Label.HIGH_STAKES:
            return found
        return Classification(Label.OUT_OF_SCOPE, understood.person, "local", rule="person")


def _bare(text: str) -> str:
    """Case, punctuation and space at the ends do not matter."""
    return re.sub(r"[^\w\s'-]+", "", text).strip().casefold()
