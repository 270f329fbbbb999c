"""Answers written by a language model: claims with the passages they rest on, checked and completed in code."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace

from pydantic import BaseModel
from pydantic_core import from_json

from handrail.answer import Told
from handrail.answer.blocks import Blocks, blocks
from handrail.answer.citations import LIST_ITEM, unmarked
from handrail.answer.gate import Band
from handrail.answer.guidance import Check, kept
from handrail.answer.plain import places, without_links, without_promises, words_alone
from handrail.answer.policy import Policy
from handrail.answer.promises import claims_to_act
from handrail.answer.recite import cited_where_said
from handrail.answer.verbatim import CRISIS
from handrail.llm import LanguageModel
from handrail.llm.prompts import PromptLibrary, RenderedPrompt
from handrail.settings import Brand, Prompts
from handrail.text.markdown import sentences
from handrail.turn.wording import Wording
from handrail.types import Claim, Classification, Draft, Evidence, Label, Passage, Question, Verdict

MOST_CONTEXT_CLAIMS = 5
MOST_PASSAGES = 8
"""Passages that the model may be given; their tokens are bounded apart."""
WORD = re.compile(r"[^\W_]")
DANGER = "danger"
"""The matter whose acknowledgement says what keeps people safe, so that no model's words stand in its place."""


class CitedClaim(BaseModel):
    """One sentence or list step, and the ids of the passages that state it."""

    text: str
    passage_ids: list[str]


class CitedAnswer(BaseModel):
    """The answer, claim by claim, and how much of the question it answers."""

    claims: list[CitedClaim]
    answered: Verdict


class HighStakesReply(BaseModel):
    """The four parts of the reply."""

    acknowledgement: str
    context: list[CitedClaim]
    offer_id: str | None
    closing: str


class LlmAnswerer:
    """An Answerer. The model writes claims; links and the words of a retention offer are not its to write."""

    least = Band.CLOSEST

    def __init__(
        self,
        model: LanguageModel,
        prompts: PromptLibrary,
        brand: Brand,
        wording: Wording,
        policy: Policy,
        given: Callable[[Question, Evidence], Blocks] | None = None,
        check: Check | None = None,
    ) -> None:
        """`check` tells whether a draft keeps the operator's rules; without it nobody looks."""
        self._model = model
        self._prompts = prompts
        self._brand = brand
        self._wording = wording
        self._policy = policy
        self._blocks = given or unbudgeted
        self._check = check

    def checked(self, check: Check) -> LlmAnswerer:
        """The same, with somebody else to tell whether the operator's rules are kept."""
        other = copy(self)
        other._check = check
        return other

    async def answer(
        self, question: Question, classification: Classification, evidence: Evidence, told: Told | None = None
    ) -> Draft:
        given = self._blocks(question, self._kept(evidence))
        if classification.label is Label.HIGH_STAKES:
            passages = evidence.passages[:MOST_PASSAGES]
            draft = await self._high_stakes(question, passages, given.rules, classification, told)
        else:
            draft = await self._answerable(question, given, told)
        return await kept(draft, question, given.rules, self._check)

    def prompt(self, question: Question, evidence: Evidence) -> RenderedPrompt:
        """What is sent for an answer. Raises PromptError."""
        given = self._blocks(question, self._kept(evidence))
        return answer_prompt(self._prompts, self._brand.name, question, given)

    def _kept(self, evidence: Evidence) -> Evidence:
        """The first passages, and the best one of each request."""
        most = max(MOST_PASSAGES, len(evidence.parts))
        return replace(evidence, hits=evidence.hits[:most])

    async def _answerable(self, question: Question, given: Blocks, told: Told | None) -> Draft:
        prompt = answer_prompt(self._prompts, self._brand.name, question, given)
        reader = ClaimReader(given.passages, told, question.lang) if told else None
        reply = await self._model.ask(prompt, CitedAnswer, reader)
        return Draft(
            claims=claims_of(reply.output.claims, given.passages, question.lang),
            provider=reply.provider,
            model=reply.model or self._model.name,
            usage=reply.usage,
            self_verdict=reply.output.answered,
        )

    async def _high_stakes(
        self,
        question: Question,
        passages: Sequence[Passage],
        rules: Sequence[str],
        classification: Classification,
        told: Told | None,
    ) -> Draft:
        crisis = classification.rule == CRISIS
        allowed = self._policy.offers_for(question.text, question.context, question.history)
        offers = {} if question.declined else {offer.id: offer for offer in allowed}
        prompt = self._prompts.render(
            "high_stakes",
            brand=self._brand.name,
            lang=question.lang,
            passages=passages,
            rules=rules,
            offers=list(offers.values()),
            message=question.text,
        )
        fixed = crisis or classification.matter == DANGER or not question.people.there
        reader = ReplyReader(told, question.lang) if told and not fixed else None
        reply = await self._model.ask(prompt, HighStakesReply, reader)
        chosen = offers.get(reply.output.offer_id or "")
        wording = self._wording.into(question.lang, question.people)
        free = (reply.output.acknowledgement, reply.output.closing) if question.people.there else ("", "")
        acknowledgement, closing = (without_promises(text, question.lang) for text in free)
        if classification.matter == DANGER or not acknowledgement:
            acknowledgement = wording.acknowledge(classification.matter)
        claims = claims_of(reply.output.context, passages, question.lang)[:MOST_CONTEXT_CLAIMS]
        if crisis:
            claims = ()
            acknowledgement += "\n\n" + wording.say("in_danger")
        return Draft(
            claims=claims,
            provider=reply.provider,
            model=reply.model or self._model.name,
            acknowledgement=acknowledgement,
            offer=None if crisis else self._policy.said(question.text, question.context, chosen),
            closing=closing or wording.say("high_stakes_close"),
            usage=reply.usage,
        )


class ClaimReader:
    """Reads the claims out of a CitedAnswer that is still being written.

    Passes each on once it is complete, and the words of the one that is not.
    """

    def __init__(self, passages: Sequence[Passage], told: Told, lang: str = "en") -> None:
        self._passages = passages
        self._lang = lang
        self._told = told
        self._passed_on = 0
        self._read = 0

    async def __call__(self, text: str) -> None:
        """`text` is the JSON so far. A claim is complete when its object has ended."""
        if "}" in text[self._read :]:
            self._read = len(text)
            await self._complete(text)
        unfinished = partial(text).get("claims")
        last = unfinished[self._passed_on :] if isinstance(unfinished, list) else []
        if last and isinstance(last[0], dict):
            await self._told.words(unchecked(last[0].get("text"), self._lang))

    async def _complete(self, text: str) -> None:
        try:
            found = from_json(text[: text.rindex("}") + 1], allow_partial=True)
            written = [CitedClaim.model_validate(claim) for claim in found["claims"]]
        except (ValueError, KeyError, TypeError):
            return
        for claim in claims_of(written[self._passed_on :], self._passages, self._lang):
            await self._told.write(claim)
        self._passed_on = len(written)


class ReplyReader:
    """Passes on the words of a HighStakesReply that is still being written: its acknowledgement and what it cites."""

    def __init__(self, told: Told, lang: str) -> None:
        self._told = told
        self._lang = lang

    async def __call__(self, text: str) -> None:
        """`text` is the JSON so far."""
        found = partial(text)
        context = found.get("context")
        cited = [one.get("text") for one in context if isinstance(one, dict)] if isinstance(context, list) else []
        acknowledged = without_promises(str(found.get("acknowledgement", "")), self._lang)
        parts = [acknowledged, *(unchecked(one, self._lang) for one in cited)]
        await self._told.words("\n\n".join(part for part in parts if part))


def partial(text: str) -> dict[str, object]:
    """The JSON object that has begun, with its last string as far as it goes; empty where there is none yet."""
    try:
        found = from_json(text, allow_partial="trailing-strings")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def unchecked(text: object, lang: str) -> str:
    """What may be shown of a claim before its end: no link, not even half of one, and nothing that it cannot do."""
    if not isinstance(text, str):
        return ""
    whole = words_alone(unmarked(text))
    return "" if any(claims_to_act(part, lang) for part in sentences(whole)) else whole


def unbudgeted(question: Question, evidence: Evidence) -> Blocks:
    """Blocks of the default sizes, counted in words."""
    return blocks(question, evidence, (), (), Prompts(), lambda text: len(text.split()))


def answer_prompt(prompts: PromptLibrary, brand: str, question: Question, given: Blocks) -> RenderedPrompt:
    """What is sent for an answer. Raises PromptError."""
    return prompts.render(
        "answer",
        brand=brand,
        lang=question.lang,
        context=given.context,
        related=given.related,
        wrong=given.wrong,
        rules=given.rules,
        history=given.history,
        message=question.text,
    )


def claims_of(cited: Sequence[CitedClaim], passages: Sequence[Passage], lang: str = "en") -> tuple[Claim, ...]:
    """Claims with text, their links reduced to words and each id once, in the order given; quotations cited in place.

    Without those in which the assistant says that it has done or will do something: it cannot. Nor are there any with
    an address that no passage holds: whoever reads the answer elsewhere, as in a mail, could follow it.
    """
    published = "\n".join(f"{passage.text}\n{passage.url}" for passage in passages).casefold()
    by_number = {str(number): passage.id for number, passage in enumerate(passages, start=1)}
    known = {passage.id for passage in passages}
    claims = []
    for claim in cited:
        text = without_links(unmarked(claim.text)).strip()
        if text:
            ids = dict.fromkeys(_passage_id(given, known, by_number) for given in claim.passage_ids)
            parts = [
                part
                for part in split_claim(text)
                if not claims_to_act(part, lang) and all(place.casefold() in published for place in places(part))
            ]
            claims += [cited_where_said(Claim(part, tuple(ids)), passages) for part in parts]
    return tuple(claims)


def split_claim(text: str) -> list[str]:
    """Prose is a claim a sentence, a list a claim an item, so that what is wrong goes alone; tables and code stay.

    What has no word, such as an emoji after the full stop, states nothing and stays with the sentence beside it.
    """
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) > 1 and all(LIST_ITEM.match(line) for line in lines):
        return lines
    if LIST_ITEM.match(text) or "\n" in text or "|" in text or "```" in text:
        return [text]
    parts: list[str] = []
    for sentence in sentences(text):
        if parts and not (WORD.search(sentence) and WORD.search(parts[-1])):
            parts[-1] = f"{parts[-1]} {sentence}"
        else:
            parts.append(sentence)
    return parts or [text]


def _passage_id(given: str, known: set[str], by_number: dict[str, str]) -> str:
    """Small models cite a passage's number where its id was asked for; anything else unknown stays as it is."""
    if given in known:
        return given
    bare = given.strip().strip("[]#").strip()
    return bare if bare in known else by_number.get(bare, given)
