"""Claims in doubt, judged one by one by a language model; what it says is checked against the passage in turn."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from pydantic import BaseModel

from handrail.errors import HandrailError
from handrail.llm import LanguageModel
from handrail.llm.prompts import PromptLibrary
from handrail.settings import Verify
from handrail.text.quotes import found_in
from handrail.text.words import Token, tokens
from handrail.types import Claim, Draft, Evidence, Passage, Proof, Question, Verified
from handrail.verify import Verifier
from handrail.verify.label import SUPPORTED, UNSUPPORTED, UNVERIFIED, labelled, verified
from handrail.verify.negation import count
from handrail.verify.numbers import is_code, quantities, written
from handrail.verify.order import in_order

ENGLISH = "en"
JUDGED_SUPPORT = 0.95
JUDGED_AGAINST = 0.05
"""Scores of the judge's word; it gives no probability of its own."""
FEWEST_WORDS = 3
LEAST_SHARE = 0.25
"""Of the claim's words, how many a quote has at least: a few can state what a sentence spells out, one cannot."""
UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]")
"""Letters of scripts without spaces, about two to a word."""


class SupportJudgement(BaseModel):
    """Whether the passage states the claim, and where."""

    verdict: Literal["supported", "unsupported"]
    quote: str


class LlmVerifier:
    """A Verifier. The local one looks first; the model is asked, all at once, about what it is not sure of.

    A judgement counts as support only with a quote that stands in the passage, is long enough to prove something, and
    has the claim's numbers and its "not". A judge that fails leaves the local label.
    """

    def __init__(self, local: Verifier, model: LanguageModel, prompts: PromptLibrary, settings: Verify) -> None:
        self._local = local
        self._model = model
        self._prompts = prompts
        self._settings = settings

    async def verify(self, question: Question, draft: Draft, evidence: Evidence) -> Verified:
        first = await self._local.verify(question, draft, evidence)
        given = {id_: hit.passage for id_, hit in evidence.given.items()}
        drafted = [_cited_as_found(*both) for both in zip(draft.claims, first.draft.claims, strict=True)]
        asked = self._doubtful(drafted, first.draft.claims)
        english = question.lang == ENGLISH
        judged = await asyncio.gather(
            *(self._judge(drafted[i], given[passage_id], english=english) for i, passage_id in asked)
        )
        proofs = [{proof.passage_id: proof for proof in claim.proofs} for claim in first.draft.claims]
        for (index, passage_id), proof in zip(asked, judged, strict=True):
            if proof is not None:
                proofs[index][passage_id] = proof
        claims = [labelled(claim, tuple(found.values()), given) for claim, found in zip(drafted, proofs, strict=True)]
        return verified(draft, in_order(claims, given))

    def _doubtful(self, drafted: Sequence[Claim], checked: Sequence[Claim]) -> list[tuple[int, str]]:
        """Claim and passage, the least certain first, at most `max_judged`; quotations need no judge."""
        pairs = []
        for index, (claim, known) in enumerate(zip(drafted, checked, strict=True)):
            scores = {proof.passage_id: proof.score for proof in known.proofs}
            if any(proof.by == "quote" for proof in known.proofs):
                continue
            if self._settings.llm == "auto" and known.support != UNVERIFIED:
                continue
            pairs += [(abs(scores.get(id_, 0.5) - 0.5), index, id_) for id_ in dict.fromkeys(claim.passage_ids)]
        return [(index, id_) for _, index, id_ in sorted(pairs)[: self._settings.max_judged]]

    async def _judge(self, claim: Claim, passage: Passage, *, english: bool) -> Proof | None:
        prompt = self._prompts.render("verify", title=passage.title, passage=passage.text, claim=claim.text)
        try:
            reply = await self._model.ask(prompt, SupportJudgement)
        except HandrailError:
            return None
        if reply.output.verdict == UNSUPPORTED:
            return Proof(passage.id, UNSUPPORTED, JUDGED_AGAINST, "llm")
        span = found_in(reply.output.quote, passage.text)
        if span is None:
            return None
        words = passage.text[slice(*span)]
        if not _long_enough(claim, words) or _invents_a_number(claim, passage, words):
            return None
        if english and count(tokens(claim.text)) and not count(tokens(words)):
            return None
        return Proof(passage.id, SUPPORTED, JUDGED_SUPPORT, "llm", (span,))


def _cited_as_found(claim: Claim, checked: Claim) -> Claim:
    """As drafted, or with the passage beside its citations that was found to speak for it."""
    found = checked.passage_ids
    return claim if set(found) <= set(claim.passage_ids) else replace(claim, passage_ids=found)


def _long_enough(claim: Claim, quote: str) -> bool:
    """What names all that a short claim does, such as an item of a list, needs no more words."""
    said, words = tokens(claim.text), tokens(quote)
    if {word.lower for word in said} <= {word.lower for word in words}:
        return True
    return _size(words) >= max(FEWEST_WORDS, LEAST_SHARE * _size(said))


def _size(words: Sequence[Token]) -> int:
    return sum(max(1, len(UNSPACED.findall(word.text)) // 2) for word in words)


def _invents_a_number(claim: Claim, passage: Passage, quote: str) -> bool:
    """Whether it has a number that neither the quote nor a heading above it has: a judge's word has to be proved, unit
    and all, where `invents_a_number` only asks whether anybody said it.

    Units are compared where they are known: a claim in another language says "7 Tage" for "7 days".
    """
    said, words = tokens(claim.text), tokens(f"{passage.title} {' '.join(passage.headings)} {quote}")
    known, plain = quantities(words), written(words)
    codes = {word.text for word in said if is_code(word.text)} - {word.text for word in words}
    return bool(codes) or any(
        not any(number.equals(other) for other in known) and bool(number.unit or number.value not in plain)
        for number in quantities(said)
    )
