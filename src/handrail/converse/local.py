"""Follow-ups read without a language model: is the past needed, and what of it is carried over."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from importlib.resources import files
from itertools import takewhile

from handrail.converse import cues
from handrail.converse.complaints import complaint_removed
from handrail.converse.dependence import content_words, features, probability, self_contained, stands_alone
from handrail.reach import asks_how_to_reach
from handrail.replies import asks_for_person, bare, greets_or_thanks, only_asks_for_help, says_no, says_yes
from handrail.types import PERSON_FROM, Exchange, Probe, Question, Reading, Routing

Look = Callable[[str], Awaitable[Probe]]
"""The retriever's probe: an embedding and how near the articles are, no search."""

FRESH_BELOW = 0.35
"""Probability of needing the past under which a message is left exactly as it is."""
SURE_FROM = 0.65
"""Between the two, the message alone weighs as much in the search as the message with its past."""
SURE_AFTER_SWITCH = 0.93
"""What it takes to carry the past over where the visitor announced a change of topic."""
ALONE = 0.3
ALONE_CORRECTED = 0.6
TITLE = 0.3
SAID_BY_PERSON = 0.6
"""Weight of a person's last words in front of a message: they often name what it is about."""
SLOTTED = 0.4
LONGEST_FRAGMENT = 3
MOST_PLACES = 8
LONGEST_PAST = 36
"""Words of the past put in front of a message; an encoder reads about 64 tokens of a query."""

FEWEST_OF_TOPIC = 2
"""Content words from which a message to a person names a topic: much of what is said to people is small talk."""
ORDINALS = {"1st": 0, "first": 0, "former": 0, "2nd": 1, "second": 1, "3rd": 2, "third": 2, "last": -1, "latter": -1}
PIECE = re.compile(r"[^.?!;\n]+[.?!;]*")


class LocalReader:
    """A Reader made of patterns, one embedding and a logistic regression fitted on conversations."""

    def __init__(self, look: Look, interpret: Callable[[str], str] | None = None) -> None:
        """`interpret` reads other languages in English, whose small words tell a follow-up."""
        self._look = look
        self._interpret = interpret if interpret is not None else str

    async def read(self, question: Question, probe: Probe) -> Reading:
        """Two embeddings at most; none for a message without history."""
        reading, _ = await self.judge(question, probe)
        return reading

    async def judge(self, question: Question, probe: Probe) -> tuple[Reading, float]:
        """The reading, and the probability that the message needs the past."""
        last = asked_last(question.history)
        if last is None or question.suspicious:
            return Reading(question.text), 0.0
        chosen = _choice(question.text, last)
        if chosen is not None:
            return Reading(chosen, "choice"), 1.0
        asks_for_people = probe.understood is not None and probe.understood.person >= PERSON_FROM
        if asks_for_people or is_reply(question.text) or asked_before(question.text, question.history):
            return Reading(question.text), 0.0
        rest, complains = complaint_removed(question.text)
        if complains and not rest:
            return Reading(last.standalone, "complaint"), 1.0
        text, switched = _without_announcement(rest)
        if text != question.text:
            probe = await self._look(text)
        before = await self._look(last.standalone)
        likeness = float(probe.embedding @ before.embedding)
        values = features(self._interpret(text), self._interpret(last.standalone), probe.topic, likeness)
        alone = 0.0 if stands_alone(values) else probability(_weights(), values)
        needs = 1.0 if complains else alone
        if needs < (SURE_AFTER_SWITCH if switched else FRESH_BELOW):
            return Reading(text, "fresh" if text == question.text else "switch"), needs
        reading = carried(text, last, grounded_last(question.history), sure=needs >= SURE_FROM)
        said = last_of_person(question.history)
        if said and reading.kind == "follow_up":
            reading = replace(reading, beside={**reading.beside, f"{_shortened(said)} {text}": SAID_BY_PERSON})
        slotted = await self._slotted(text, last.standalone)
        if slotted is not None and reading.kind == "follow_up":
            reading = replace(reading, beside={**reading.beside, slotted: SLOTTED})
        return reading, needs

    async def _slotted(self, text: str, past: str) -> str | None:
        """The last question with one of its words replaced by a fragment such as "and yearly?", as articles have it.

        Of all places the fragment could take, the one whose wording the articles are nearest to.
        """
        fragment = " ".join(content_words(text))
        if not fragment or len(fragment.split()) > LONGEST_FRAGMENT:
            return None
        last = PIECE.findall(past)[-1].strip() if PIECE.findall(past) else past
        places = [word for word in dict.fromkeys(content_words(last)) if word not in fragment.split()][:MOST_PLACES]
        wordings = [
            re.sub(rf"(?<!\w){re.escape(place)}(?!\w)", fragment, last, count=1, flags=re.IGNORECASE)
            for place in places
        ]
        probes = await asyncio.gather(*(self._look(wording) for wording in wordings))
        ranked = sorted(zip(wordings, probes, strict=True), key=lambda pair: -pair[1].topic.get("passage_top", 0.0))
        return ranked[0][0] if ranked else None


def carried(text: str, last: Exchange, grounded: Exchange | None, *, sure: bool) -> Reading:
    """`text` with what it needs of the question before it."""
    if cues.CORRECTION.search(text):
        return _corrected(text, last)
    beside = {}
    if content_words(text):
        beside[text] = ALONE if sure else 1.0
    if grounded is not None and grounded.titles:
        beside[f"{grounded.titles[0]}: {text}"] = TITLE
    favoured = grounded.article_ids[:2] if grounded is not None else ()
    return Reading(f"{_shortened(last.standalone)} {text}", "follow_up", beside, tuple(favoured))


def is_reply(text: str) -> bool:
    """A bare yes, no, greeting, thanks or wish for a person, a number or help: answered as such, alone."""
    known = says_yes(text) or says_no(text) or greets_or_thanks(text) or _wants_people(text)
    return known or only_asks_for_help(text) or not cues.LEAD.sub("", bare(text)).strip()


def asked_before(text: str, history: Sequence[Exchange]) -> bool:
    """A whole question asked once more, in the same words or nearly so: it is what it was the first time."""
    asked = set(content_words(text))
    return bool(asked) and self_contained(text) and any(asked == set(content_words(e.standalone)) for e in history)


def asked_last(history: Sequence[Exchange]) -> Exchange | None:
    """The latest turn in which something was asked; one that was off topic only where there is no other."""
    asked = [past for past in history if _asks(past)]
    on_topic = [past for past in asked if past.routing is not Routing.IRRELEVANT]
    return next(reversed(on_topic or asked), None)


def _asks(past: Exchange) -> bool:
    """Whether a later message could carry on from it."""
    if past.with_person:
        names_topic = len(content_words(past.question)) >= FEWEST_OF_TOPIC
        return names_topic and not is_reply(past.question)
    pleads = _wants_people(past.question) or only_asks_for_help(past.question)
    return past.routing is not Routing.NONSENSE and not pleads


def _wants_people(text: str) -> bool:
    return asks_for_person(text) or asks_how_to_reach(text)


def last_of_person(history: Sequence[Exchange]) -> str:
    """What a person wrote last, where nothing was said to the assistant since; empty otherwise."""
    with_person = takewhile(lambda past: past.with_person, reversed(history))
    return next((past.answer for past in with_person if past.by_person), "")


def grounded_last(history: Sequence[Exchange]) -> Exchange | None:
    """The latest turn that was answered from articles, if it is the latest or the one before."""
    return next((past for past in reversed(history[-2:]) if past.answer and past.article_ids), None)


def _corrected(text: str, last: Exchange) -> Reading:
    """The last question without what is taken back, then what was meant instead."""
    taken_back = {word for found in cues.TAKEN_BACK.findall(text) for word in content_words(found)}
    meant = cues.CORRECTION_WORDS.sub(" ", cues.TAKEN_BACK.sub(" ", text))
    meant = " ".join(meant.split()).strip(" ,.;:") or text
    put_right = _in_its_place(meant, last.standalone, taken_back)
    if put_right is not None:
        return Reading(put_right, "correction", {meant: ALONE_CORRECTED})
    past = " ".join(word for word in last.standalone.split() if not taken_back & set(content_words(word)))
    return Reading(
        f"{_shortened(past)} {meant}", "correction", {meant: ALONE_CORRECTED} if content_words(meant) else {}
    )


def _in_its_place(meant: str, past: str, taken_back: set[str]) -> str | None:
    """`past` with a few words for the one that was taken back: "the amount, not the day" of "change the day".

    None where it stands there more than once, or not at all, or more is meant than a name.
    """
    words, meant = past.split(), cues.WANTED_INSTEAD.sub("", meant)
    places = [place for place, word in enumerate(words) if taken_back & set(content_words(word))]
    if len(places) != 1 or not 1 <= len(content_words(meant)) <= LONGEST_FRAGMENT or self_contained(meant):
        return None
    (place,) = places
    named = cues.DETERMINER.sub("", meant)
    first = place - 1 if place and named != meant and cues.DETERMINER.fullmatch(f"{words[place - 1]} ") else place
    instead = (named if first == place else meant).split()
    after = place + 2 if words[place + 1 : place + 2] == instead[-1:] else place + 1
    return " ".join((*words[:first], *instead, *words[after:]))


def _choice(text: str, last: Exchange) -> str | None:
    """The title a visitor picks from those a clarifying question offered."""
    if last.routing is not Routing.FOLLOWUP or not last.titles:
        return None
    ordinal = cues.ORDINAL.match(text.strip())
    if ordinal:
        place = ORDINALS[ordinal["which"].casefold()]
        return last.titles[place] if place < len(last.titles) else None
    if says_yes(text):
        return last.titles[0] if len(last.titles) == 1 else None
    return None


def _without_announcement(text: str) -> tuple[str, bool]:
    """Without an acknowledgement in front and an announced change of topic; and whether there was one."""
    rest = cues.lead_removed(text)
    found = cues.SWITCH.match(rest)
    after = rest[found.end() :].strip() if found else rest
    return (after, True) if found and content_words(after) else (rest, False)


def _shortened(past: str) -> str:
    """The first piece, which names the topic, and the latest, which narrows it; ends like a sentence.

    What was asked in between has been answered, and would only blur what is searched for.
    """
    pieces = [piece.strip() for piece in PIECE.findall(past)] or [past]
    kept: list[str] = []
    room = LONGEST_PAST - len(pieces[0].split())
    for piece in pieces[1:][-1:]:
        room -= len(piece.split())
        if room >= 0:
            kept.append(piece)
    text = " ".join([" ".join(pieces[0].split()[:LONGEST_PAST]), *kept])
    return text if text[-1:] in ".?!;:" else f"{text}."


@lru_cache(maxsize=1)
def _weights() -> Mapping[str, float]:
    source = files("handrail") / "fitted" / "follow_up.json"
    weights: Mapping[str, float] = json.loads(source.read_text(encoding="utf-8"))["weights"]
    return weights
