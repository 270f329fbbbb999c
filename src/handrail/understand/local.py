"""A message understood by the local heads: no language model, a few encoder passes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from handrail.settings import Classify
from handrail.text.notes import NOTE, asides
from handrail.types import (
    ANSWERING,
    Act,
    Classification,
    Label,
    Probe,
    Question,
    Request,
    Routing,
    Sense,
    Understanding,
    Understood,
    Wordings,
)
from handrail.understand import Prober
from handrail.understand.classify import Classifier
from handrail.understand.crisis import speaks_of_dying
from handrail.understand.cut import LEAST_WORDS, joined, pieces
from handrail.understand.history import ALONE, asked_last, carried, under_discussion

ACTS, CRISIS, PERSON = 0.5, 0.3, 0.65
"""Probabilities at which the heads' outputs are acted on. A line about help that nobody needed costs little, and one
that is missing may cost a life; the offer of a person takes the place of an answer."""
ANSWERABLE = 0.8
"""Probability that the articles can answer, from which words about people ask for no person to talk to."""
SURE = 0.5
"""Probability of a speech act below which the message is taken for a request."""
STANDS = 0.6
"""Probability of its label from which a part of a message is a request of its own."""
CLEARLY = 0.15
"""Probability of the less likely way to understand a follow-up below which it is not looked up."""
HIGH_STAKES_ALONE = 0.95
"""Probability of high stakes from which a follow-up is serious whatever it follows."""
MOST = 3
LATELY = 3
"""Exchanges in which a message in despair still counts for what is said now."""
EARLIER = 20
"""Messages that are read for a refusal where the memory of the conversation is lost."""
SOCIAL = frozenset({Act.GREETING, Act.THANKS, Act.YES, Act.NO, Act.CHAT, Act.ABOUT_ASSISTANT})
FOR_NOTHING = (Label.IRRELEVANT, Label.NONSENSE)
"""Labels of what asks for nothing that a company has to do with."""
LEAST = 1e-3
ASKING = (Label.ANSWERABLE, Label.HIGH_STAKES, Label.OUT_OF_SCOPE)
NOT_UNDERSTOOD = Understood({Act.REQUEST: 1.0}, 0.0, 0.0, 0.0)
"""Where no encoder hears messages."""


class LocalUnderstanding:
    """An Understand. `retriever` embeds messages and compares them with the articles; it searches nothing."""

    def __init__(self, retriever: Prober, classifier: Classifier, settings: Classify) -> None:
        self._look = retriever.probe
        self._classifier = classifier
        self._settings = settings

    async def read(self, question: Question) -> Understanding:
        question = replace(question, text=await self._asked(question))
        probe = await self._look(question.text)
        heard = probe.understood or NOT_UNDERSTOOD
        told = await self._label(question, question.text, probe)
        whole = await self._request(question, question.text, probe, told)
        return Understanding(
            requests=await self._requests(question, whole, told),
            whole=whole,
            act=_act(heard, told),
            crisis=_despairs(question.text, heard) or await self._goes_on_despairing(question, told),
            wants_person=_wants_person(heard, told),
            refuses_offer=heard.refuses_offer >= ACTS,
            refused_before=await self._refused_before(question, whole),
            depends=heard.depends,
        )

    async def _asked(self, question: Question) -> str:
        """The message without the notes of what was taken out, and without what only said that.

        Where somebody can be reached changes nothing of what is asked. A sentence that asks for something stays.
        """
        if not NOTE.search(question.text):
            return question.text
        kept = [piece for piece, aside in asides(question.text) if not aside or await self._asks(piece)]
        asked = " ".join("".join(kept).split())
        return asked if len(asked.split()) >= LEAST_WORDS else question.text

    async def _asks(self, piece: str) -> bool:
        heard = (await self._look(piece)).understood or NOT_UNDERSTOOD
        request, person = heard.acts.get(Act.REQUEST, 0.0), heard.acts.get(Act.ASKS_PERSON, 0.0)
        return request >= self._settings.asked_above or person >= self._settings.called_above

    async def _goes_on_despairing(self, question: Question, told: Classification) -> bool:
        """Whether a serious message comes soon after one in despair, so that help is named again."""
        if told.label is not Label.HIGH_STAKES:
            return False
        before = [exchange.standalone for exchange in question.history[-LATELY:] if exchange.standalone]
        probes = await asyncio.gather(*(self._look(text) for text in before))
        return any(
            _despairs(text, probe.understood or NOT_UNDERSTOOD) for text, probe in zip(before, probes, strict=True)
        )

    async def _refused_before(self, question: Question, whole: Request) -> bool:
        """Looked for only where an offer might be made, in what the memory of the conversation has lost."""
        grave = any(sense.classification.label is Label.HIGH_STAKES for sense in whole.senses)
        if not grave or question.declined:
            return False
        probes = await asyncio.gather(*(self._look(past) for past in question.earlier[-EARLIER:]))
        return any(probe.understood is not None and probe.understood.refuses_offer >= ACTS for probe in probes)

    async def _request(self, question: Question, text: str, probe: Probe, label: Classification) -> Request:
        """By itself, and with what was said before as far as that may be meant."""
        alone = Sense(text, label, probe)
        last = asked_last(question.history)
        if question.history:
            alone = replace(alone, wordings=Wordings(favoured=under_discussion(question.history)))
        needs = (probe.understood or NOT_UNDERSTOOD).depends
        if last is None or question.suspicious or needs < CLEARLY:
            return Request(text, (alone,))
        standalone, wordings = carried(text, last, question.history)
        with_past = await self._look(standalone)
        found = await self._label(question, standalone, with_past)
        heard = probe.understood or NOT_UNDERSTOOD
        if heard.refuses_offer >= ACTS:
            grave = await self._look(last.standalone)
            told = await self._label(question, last.standalone, grave)
            if told.label is Label.HIGH_STAKES or last.routing is Routing.HIGH_STAKES:
                favoured = Wordings(favoured=wordings.favoured)
                return Request(text, (Sense(last.standalone, told, grave, 1.0, favoured, carried=True),))
        together = Sense(standalone, _of_follow_up(alone.classification, found, last.routing in ANSWERING),
                         with_past, needs, wordings, carried=True)  # fmt: skip
        senses = [together, replace(alone, prior=1 - needs)]
        likely = [sense for sense in senses if sense.prior >= CLEARLY]
        return Request(text, tuple(sorted(likely, key=lambda sense: -sense.prior)))

    async def _requests(self, question: Question, whole: Request, told: Classification) -> Sequence[Request]:
        """The parts that ask for something of their own; the whole, labelled `told`, where there are not several.

        What asks for nothing belongs to the request before it, at the beginning to the one behind. What is told of a
        serious matter is one request however many sentences it takes.
        """
        parts = pieces(whole.text, question.unspoken or question.lang)
        if len(parts) < 2 or question.suspicious:
            return (whole,)
        probes = await asyncio.gather(*(self._look(part) for part in parts))
        labels = [
            _in_context(await self._label(question, part, probe), told)
            for part, probe in zip(parts, probes, strict=True)
        ]
        groups: list[list[str]] = []
        story: list[str] = []
        cores: list[Sense] = []
        for part, probe, label in zip(parts, probes, labels, strict=True):
            heard = probe.understood or NOT_UNDERSTOOD
            asks = heard.acts.get(Act.REQUEST, 0.0) >= SURE and label.label in ASKING and label.probability >= STANDS
            goes_on = bool(cores) and label.label is cores[-1].classification.label is Label.HIGH_STAKES
            if asks and not goes_on and (groups or heard.depends < ACTS):
                groups.append([*story, part])
                cores.append(Sense(part, label, probe, 0.5))
                story = []
            elif groups:
                groups[-1].append(part)
            else:
                story.append(part)
        if len(groups) == 1 and cores[0].classification.label is not Label.HIGH_STAKES:
            # What stands around a request may help to find what is meant, or be in the way.
            return (Request(whole.text, (*(replace(one, prior=one.prior / 2) for one in whole.senses), *cores)),)
        if not 1 < len(groups) <= MOST:
            return (whole,)
        texts = [joined(group) for group in groups]
        befores = ["", *texts]
        return [await self._part(question, before, text, told) for before, text in zip(befores, texts, strict=False)]

    async def _part(self, question: Question, before: str, text: str, told: Classification) -> Request:
        """By itself, and behind the request before it as far as that may be meant ("and how long does that take")."""
        probe = await self._look(text)
        alone = Sense(text, _in_context(await self._label(question, text, probe), told), probe)
        needs = (probe.understood or NOT_UNDERSTOOD).depends
        if not before or needs < CLEARLY:
            return Request(text, (alone,))
        both = f"{before} {text}"
        with_before = await self._look(both)
        together = Sense(both, alone.classification, with_before, needs, Wordings({text: ALONE}), carried=True)
        return Request(text, (together, replace(alone, prior=1 - needs)))

    async def _label(self, question: Question, text: str, probe: Probe) -> Classification:
        return await self._classifier.classify(replace(question, text=text), probe)


def _despairs(text: str, heard: Understood) -> bool:
    return heard.crisis >= CRISIS or speaks_of_dying(text)


def _act(heard: Understood, told: Classification) -> Act:
    """What the message does: a courtesy or small talk only as far as its label says the same, that it asks for nothing.

    The two are told by networks that were fitted apart, so their log-odds are added. The label counts half: it was
    learnt from messages that ask for something. So does whether a question about the assistant stands by itself: one
    that goes on from what was said is about that ("will you delete it"). Who says no to an offer asks for nothing,
    whatever the offer was about; but "just cancel it, no discounts" asks for a lot.
    """
    act = Act(max(heard.acts, key=heard.acts.__getitem__))
    likely = heard.acts[act]
    if act not in SOCIAL:
        return act if likely >= SURE else Act.REQUEST
    for_nothing = sum(told.probabilities.get(label, 0.0) for label in FOR_NOTHING)
    if act is Act.NO and told.label is not Label.HIGH_STAKES:
        for_nothing = max(for_nothing, heard.refuses_offer)
    by_itself = _odds(1 - heard.depends) ** 0.5 if act is Act.ABOUT_ASSISTANT else 1.0
    return act if _odds(likely) * _odds(for_nothing) ** 0.5 * by_itself >= 1 else Act.REQUEST


def _wants_person(heard: Understood, told: Classification) -> bool:
    """Whether its writer asks for a person to talk to; "can my customers talk to a person" is for the articles."""
    asks = heard.acts.get(Act.ASKS_PERSON, 0.0) >= PERSON
    return asks and told.probabilities.get(Label.ANSWERABLE, 0.0) < ANSWERABLE


def _odds(probability: float) -> float:
    held = min(max(probability, LEAST), 1 - LEAST)
    return held / (1 - held)


def _in_context(part: Classification, whole: Classification) -> Classification:
    """The label of a part of a message: torn from the rest it sounds serious sooner than it is."""
    if part.label is not Label.HIGH_STAKES or not part.probabilities or not whole.probabilities:
        return part
    mean = {
        label: (part.probabilities.get(label, 0.0) + whole.probabilities.get(label, 0.0)) / 2
        for label in part.probabilities
    }
    label = max(mean, key=mean.__getitem__)
    return replace(part, label=label, probability=mean[label], probabilities=mean)


def _of_follow_up(alone: Classification, together: Classification, answered: bool) -> Classification:
    """After an answer a follow-up is a question about it, unless it is serious by itself.

    That the question before it was serious does not make it so.
    """
    if alone.label is Label.HIGH_STAKES and alone.probability >= HIGH_STAKES_ALONE:
        return alone
    if together.label is Label.HIGH_STAKES or (answered and together.label is not Label.ANSWERABLE):
        probability = together.probabilities.get(Label.ANSWERABLE, 1 - together.probability)
        return Classification(Label.ANSWERABLE, probability, together.by, together.probabilities)
    return together
