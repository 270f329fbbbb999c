"""Claims checked against the passages they cite, without a model of language.

A quotation is found as such and needs nothing else. Anything else is measured sentence by sentence and scored by a
small fitted model; a claim is as good as its weakest sentence, in the passage that supports it best.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from handrail.models.batching import Batcher
from handrail.settings import Verify
from handrail.text.quotes import Span, quoted
from handrail.text.words import sentences, tokens
from handrail.types import Claim, Draft, Evidence, Passage, Proof, Question, Verified
from handrail.verify.label import SUPPORTED, UNSUPPORTED, UNVERIFIED, labelled, verified
from handrail.verify.lexicon import STOP
from handrail.verify.measure import Measured, Pair, denied, doubtful, measure, words_shared
from handrail.verify.model import ClaimModel
from handrail.verify.numbers import invents_a_number, written
from handrail.verify.order import in_order
from handrail.verify.tables import settles

JOINT = "\n\n"
ENGLISH = "en"
AGAINST = 0.05
"""Score of a claim that denies what its passage says, or says of a table's row what its cell does not."""
OTHER_NUMBER = 0.3
"""Score of a claim in another language with a number that its passage lacks: only a judge could save it."""
ENGLISH_SHARE = 0.2
FOREIGN_SHARE = 0.08
FEWEST_WORDS = 5
SHORT_OF = 0.01
"""How far below "supported" a claim stays at least of which words alone cannot say whether it is turned round, and one
with a number of its own below what may be shown."""

Scored = tuple[float, Span | None]
"""Of one sentence, and where its support would stand."""


@dataclass(frozen=True, slots=True)
class _Check:
    """A claim against one passage, or against all it cites read as one."""

    claim: int
    passages: tuple[Passage, ...]

    @property
    def text(self) -> str:
        return JOINT.join(passage.text for passage in self.passages)

    @property
    def context(self) -> str:
        return " ".join(" ".join((passage.title, *passage.headings)) for passage in self.passages)


class LocalVerifier:
    """A Verifier."""

    def __init__(
        self,
        entails: Batcher[tuple[str, str], float],
        model: ClaimModel,
        settings: Verify,
    ) -> None:
        self._entails = entails
        self._model = model
        self._settings = settings

    async def verify(self, question: Question, draft: Draft, evidence: Evidence) -> Verified:
        given = {id_: hit.passage for id_, hit in evidence.given.items()}
        cited = [[given[id_] for id_ in dict.fromkeys(claim.passage_ids) if id_ in given] for claim in draft.claims]
        abroad = question.lang != ENGLISH
        heard = " \n".join((question.text, *(turn.question for turn in question.history)))
        proofs = await self._proofs(draft.claims, cited, heard, abroad=abroad)
        claims = list(draft.claims)
        found = await self._beside(draft.claims, cited, proofs, evidence.passages, heard, abroad=abroad)
        for index, proof in found.items():
            claims[index] = replace(claims[index], passage_ids=(proof.passage_id,))
            proofs[index] = [proof]
        claims = [labelled(*both, given) for both in zip(claims, proofs, strict=True)]
        return verified(draft, in_order(claims, given))

    async def _proofs(
        self, claims: Sequence[Claim], cited: Sequence[Sequence[Passage]], heard: str, *, abroad: bool
    ) -> list[list[Proof]]:
        """By claim. `heard`: what the visitor said. `abroad`: the answer, and so a claim's words, may be in another
        language than English.
        """
        proofs: list[list[Proof]] = []
        for claim, passages in zip(claims, cited, strict=True):
            proofs.append([proof for passage in passages if (proof := _quotation(claim, passage))])
        single = []
        for index, passages in enumerate(cited):
            for passage in passages if not proofs[index] else ():
                if not (abroad and foreign(claims[index].text, passage.text)):
                    single.append(_Check(index, (passage,)))
                elif _has_a_number_of_its_own(claims[index].text, passage):
                    proofs[index].append(Proof(passage.id, UNVERIFIED, OTHER_NUMBER, "local"))
        for check, score, spans in await self._scored(claims, single, heard):
            proofs[check.claim].append(self._proof(check.passages[0].id, score, spans))
        unproved = [
            _Check(index, tuple(passages))
            for index, passages in enumerate(cited)
            if len(proofs[index]) > 1 and not any(proof.support == SUPPORTED for proof in proofs[index])
        ]
        for check, score, spans in await self._scored(claims, unproved, heard):
            if score >= self._settings.supported_above:
                proofs[check.claim] = [
                    self._proof(passage.id, score, inside) for passage, inside in _shared(check, spans) if inside
                ]
        return proofs

    async def _beside(
        self,
        claims: Sequence[Claim],
        cited: Sequence[Sequence[Passage]],
        proofs: Sequence[Sequence[Proof]],
        given: Sequence[Passage],
        heard: str,
        *,
        abroad: bool,
    ) -> dict[int, Proof]:
        """By claim that none of its own citations supports: what the passage says that speaks of it, for or against."""
        checks = [
            _Check(index, (passage,))
            for index, found in enumerate(proofs)
            if found and not any(proof.support == SUPPORTED for proof in found)
            if (passage := spoken_of(claims[index].text, cited[index], given)) is not None
            if not (abroad and foreign(claims[index].text, passage.text))
        ]
        return {
            check.claim: self._proof(check.passages[0].id, score, spans)
            for check, score, spans in await self._scored(claims, checks, heard)
        }

    async def _scored(
        self, claims: Sequence[Claim], checks: Sequence[_Check], heard: str
    ) -> list[tuple[_Check, float, tuple[Span, ...]]]:
        said = [_sentences(claims[check.claim].text) for check in checks]
        pairs = [
            Pair(text, check.text, check.context) for check, texts in zip(checks, said, strict=True) for text in texts
        ]
        found = await measure(pairs, self._entails) if pairs else []
        measured = iter([self._score(*both, heard) for both in zip(pairs, found, strict=True)])
        return [(check, *_weakest([next(measured) for _ in texts])) for check, texts in zip(checks, said, strict=True)]

    def _score(self, pair: Pair, found: Measured, heard: str) -> Scored:
        """Whatever else speaks for it, a claim with another number or negation than its passage is not supported.

        One with a number that nobody gave it may not even be shown: prices and deadlines are what a visitor acts upon.
        Where a table has the say, what stands in its cell decides whether the claim may be shown at all.
        """
        if found.window is None:
            return 0.0, None
        score = self._model.probability(found.signals)
        if doubtful(found.signals):
            score = min(score, max(0.0, self._settings.supported_above - SHORT_OF))
        if invents_a_number(tokens(pair.claim), tokens(f"{pair.context} \n{pair.passage} \n{heard}")):
            score = min(score, max(0.0, self._settings.shown_from - SHORT_OF * (1.5 - score)))
        if denied(pair.claim, found.signals):
            score = min(score, AGAINST)
        said = settles(pair.claim, pair.passage)
        if said is not None:
            score = max(score, self._settings.shown_from) if said else min(score, AGAINST)
        return score, (found.window.start, found.window.end)

    def _proof(self, passage_id: str, score: float, spans: tuple[Span, ...]) -> Proof:
        support = UNVERIFIED if score >= self._settings.unsupported_below else UNSUPPORTED
        support = SUPPORTED if score >= self._settings.supported_above else support
        return Proof(passage_id, support, round(score, 4), "local", spans if support == SUPPORTED else ())


def _weakest(found: Sequence[Scored]) -> tuple[float, tuple[Span, ...]]:
    spans = {span for _, span in found if span is not None}
    return min((score for score, _ in found), default=0.0), _merged(sorted(spans))


def spoken_of(claim: str, cited: Sequence[Passage], given: Sequence[Passage]) -> Passage | None:
    """The passage of a cited article that has most of the claim's words in one place; None where it is cited.

    Models name the right article and the passage beside the right one (experiment 184).
    """
    articles, known = {passage.article_id for passage in cited}, {passage.id for passage in cited}
    found = [*cited, *(passage for passage in given if passage.article_id in articles and passage.id not in known)]
    best = max(found, key=lambda passage: words_shared(claim, passage.text))
    return best if best.id not in known else None


def foreign(claim: str, passage: str) -> bool:
    """The claim is in another language than its English passage: word by word nothing can be said of it."""
    said, read = ([word.lower for word in tokens(text)] for text in (claim, passage))
    if len(said) < FEWEST_WORDS or not read:
        return False
    return _share(read) >= ENGLISH_SHARE and _share(said) <= FOREIGN_SHARE


def _has_a_number_of_its_own(claim: str, passage: Passage) -> bool:
    """Digits are read in any language, whatever their unit is called."""
    return not written(tokens(claim)) <= written(tokens(f"{passage.title} {passage.text}"))


def _share(words: Sequence[str]) -> float:
    return sum(word in STOP for word in words) / len(words)


def _quotation(claim: Claim, passage: Passage) -> Proof | None:
    spans = quoted(claim.text, passage.text, (passage.title, *passage.headings))
    return Proof(passage.id, SUPPORTED, 1.0, "quote", _merged(sorted(spans))) if spans else None


def _sentences(text: str) -> list[str]:
    return [text[part.start : part.end] for part in sentences(text)] or [text]


def _merged(spans: Sequence[Span]) -> tuple[Span, ...]:
    """Overlapping spans as one."""
    out: list[Span] = []
    for start, end in spans:
        if out and start <= out[-1][1]:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        else:
            out.append((start, end))
    return tuple(out)


def _shared(check: _Check, spans: Sequence[Span]) -> list[tuple[Passage, tuple[Span, ...]]]:
    """Spans of the joint text, each passage's own."""
    out = []
    start = 0
    for passage in check.passages:
        end = start + len(passage.text)
        inside = [(max(a, start) - start, min(b, end) - start) for a, b in spans if a < end and b > start]
        out.append((passage, tuple(inside)))
        start = end + len(JOINT)
    return out
