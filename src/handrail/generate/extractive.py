"""Answers made of the passages' own words: the default when no LLM is configured.

The cross-encoder scores quotable units against the question; the best one, its passage counted in, decides the shape of
the answer (a procedure, a list, table rows, or sentences), and what belongs to it is added in reading order.
"""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Callable, Sequence

from handrail.asking import (
    MAY,
    QUESTION_MARKS,
    YES_OR_NO,
    asked_for_others,
    asks_another,
    asks_the_same,
    asks_yes_or_no,
    speaks_of_himself,
)
from handrail.citations import LATELY, mostly_said
from handrail.despair import is_crisis
from handrail.generate import Hearer
from handrail.generate.compose import AT_MOST, SECTIONS, begun_with, compose
from handrail.generate.deeds import deed, heads_deed, heads_deed_to, heads_same_trouble, heads_trouble
from handrail.generate.first_steps import begun
from handrail.generate.headings import heading_of, question_above
from handrail.generate.nearness import Nearness
from handrail.generate.opening import opening, opens
from handrail.generate.planted import planted
from handrail.generate.pointers import followed
from handrail.generate.policy import Policy
from handrail.generate.prices import price_points
from handrail.generate.quoting import Scored
from handrail.generate.units import ANAPHORA, Unit, units
from handrail.generate.verify.lexicon import opposed
from handrail.generate.whole import Shelf
from handrail.local_models import Logit
from handrail.local_models.batching import Batcher
from handrail.markdown import plain
from handrail.rescue import says_what_to_do
from handrail.settings import Generate
from handrail.stores.tokens import tokenize
from handrail.types import Claim, Classification, Draft, Evidence, Hit, Label, Question, Routing
from handrail.wording import Wording

COMPARE = re.compile(
    r"\b(compare|comparison|difference|versus|vs|each|all|which|costs?|prices?|pricing|fees?|limits?)\b", re.I
)
FACT = re.compile(
    r"(?:^|[,.;:] |\b(?:and|so|but) )(?:for |at |by |in |since |until |till )?"
    r"(?:how (?:long|often|soon|many|much|big|large|far|fast|old)|when|why|who|whose|what time)\b",
    re.I,
)
"""What words answer, and code at best shows: how long, how many, when, why and who."""
DIGIT = re.compile(r"\d")
LATER = 0.05
"""What each unit further down its passage promises less: sections begin with what they are about."""
NAMED, POINTS_NAMED = 0.4, 1.5
"""What a table's row promises more, and its points, when the question names what it is about."""
PRESUMED = re.compile(r"^(?:if|when|after|once) (?:you|it|the|your)\b", re.I)
"""A heading under which what is said presumes what it names."""
CANDIDATES, NEAREST = 12, 8
"""Units that the cross-encoder reads, and how many where late interaction says which are near: they hold what answers
as often (experiment 209)."""
FEWEST = 4
CODE = 3
"""Blocks of code that are scored beside these."""
FIT_POINTS, FIT_SCALE = 10.0, 4.0
"""Points of a unit that surely fits, and the logits over which they fade. Logits far below 0 say only that the
cross-encoder knows neither of two units: what lies between -7 and -11 must not outweigh a better passage."""
LOGIT_SHARE, READING_SHARE = 0.5, 1.0
"""How well a unit fits, on the scale of logits, where it was also read whether it answers."""
NEAR = 0.3
"""What a unit promises more for each standard deviation that its words are nearer to the question's than those of the
other units. As points for what is quoted the same costs more answers than it brings (experiment 209)."""
PASSAGE_POINTS = 8.0
"""Points of a unit of a passage whose final score is 1."""
POINTS_ELSEWHERE = -2.0
"""Points of a unit that only points elsewhere."""
POINTS_BESIDE = -4.0
"""Points of "Important: Change the time zone outside your opening hours", which names things in passing, of what is
said about the reader's customers to somebody who speaks of himself, of what presumes the answer, of the yes or no to
another question, and of a table one of whose rows only names a section which can be quoted."""
POINTS_DEED, POINTS_TROUBLE, POINTS_ANOTHER = 1.0, -2.0, -2.0
"""Points of what stands under a heading that names what is wanted, that is about trouble nobody has, or that asks for
another yes or no."""
POINTS_TITLED = 2.0
"""Points of all that stands under a title that names what is wanted, and of what, or what somebody cannot do."""
POINTS_CODE = -2.0
"""Points of code where a fact is asked for that what leads to it does not state, either."""
POINTS_OPPOSED = -3.0
"""Points of a unit that stands under the opposite of what is asked: `Import` when somebody wants to export."""


class ExtractiveAnswerer:
    def __init__(
        self,
        reranker: Batcher[tuple[str, str], float],
        settings: Generate,
        wording: Wording,
        policy: Policy | None,
        at_most: int = AT_MOST,
        near: Nearness | None = None,
    ) -> None:
        """`at_most` words are quoted from further sections and the first one together.

        Without `near` only shared words and the passage's place say what is worth the cross-encoder's time.
        """
        self._reranker = reranker
        self._settings = settings
        self._wording = wording
        self._policy = policy
        self._at_most = at_most
        self._near = near

    async def answer(
        self, question: Question, classification: Classification, evidence: Evidence, heard: Hearer | None = None
    ) -> Draft:
        hits = evidence.hits[: self._settings.context_passages]
        shelf = Shelf((*evidence.hits, *evidence.besides))
        found = await asyncio.to_thread(_quotable, hits)
        scored = await self.score(evidence.query, found)
        serious = classification.label is Label.HIGH_STAKES
        sections = 1 if serious else SECTIONS
        claims = self.composed(evidence.query, scored, found, hits, sections=sections, shelf=shelf)
        if serious:
            return self._high_stakes(question, claims, shelf, crisis=is_crisis(question, classification))
        return Draft(claims, "extractive", closing=self._cut(question, claims, shelf), signals=fit(scored))

    def _cut(self, question: Question, claims: Sequence[Claim], shelf: Shelf) -> str | None:
        """How much of a list is shown, and where the whole of it is; None where each is whole."""
        wording = self._wording.into(question.lang, question.people)
        said = []
        for part in shelf.parts(claims):
            title, url = part.hit.passage.title, part.hit.passage.url
            article = f"[{title}]({url})" if url else wording.quoted(title)
            said.append(wording.say("part_of_list", shown=str(part.shown), all=str(part.of), article=article))
        return "\n\n".join(dict.fromkeys(said)) or None

    def composed(
        self,
        query: str,
        scored: Sequence[Scored],
        found: Sequence[Unit],
        hits: Sequence[Hit],
        *,
        sections: int,
        shelf: Shelf | None = None,
    ) -> list[Claim]:
        """Claims in reading order, none where nothing can be quoted; one section alone has no opening before it."""
        if not scored:
            return []
        best = scored[0].unit
        claims = compose(scored, found, self._settings, sections=sections, at_most=self._at_most, shelf=shelf)
        if sections > 1 and opens(query, best, hits):
            return begun_with(opening(best.hit.passage.article_id, hits), claims, best)
        return claims

    async def score(self, query: str, found: Sequence[Unit]) -> list[Scored]:
        """The most promising units, best first; nearness, shared words and rank decide which are worth reading."""
        wanted = set(tokenize(query))
        tables = 0.6 if COMPARE.search(query) else 0.0
        near = await self._nearness(query, found)
        promise = {id(unit): _promise(wanted, unit, tables) + NEAR * near.get(id(unit), 0.0) for unit in found}
        promising = sorted(found, key=lambda unit: -promise[id(unit)])
        most = self._reranker.affordable(NEAREST if near else CANDIDATES, FEWEST)
        said = [unit for unit in promising if unit.kind != "code"][:most]
        code = [unit for unit in promising if unit.kind == "code"][: self._reranker.affordable(CODE, 0)]
        kept = [*said, *code]
        logits = await self._reranker.submit([(query, unit.for_scoring()) for unit in kept])
        fits = [_fit(logit) for logit in logits]
        lift = _lifts(kept, fits)
        fits = [fit + lift(unit, fit) for unit, fit in zip(kept, fits, strict=True)]
        kept, fits, tables_of_contents = followed(kept, fits, found)
        final = _finals(kept, fits)
        scored = [
            Scored(
                unit,
                _points(fit)
                + _shape(query, unit)
                + PASSAGE_POINTS * final[unit.hit.passage.id]
                + (POINTS_BESIDE if id(unit) in tables_of_contents else 0.0),
                fit,
            )
            for unit, fit in zip(kept, fits, strict=True)
        ]
        return begun(query, sorted(scored, key=lambda item: -item.score), found)

    async def _nearness(self, query: str, found: Sequence[Unit]) -> dict[int, float]:
        """By `id`, how much nearer a unit is than the average, in standard deviations; empty where nothing is known."""
        near = await self._near.of(query, found) if self._near is not None and found else None
        if near is None or not near.std():
            return {}
        far = (near - near.mean()) / near.std()
        return {id(unit): float(value) for unit, value in zip(found, far, strict=True)}

    def _high_stakes(self, question: Question, claims: Sequence[Claim], shelf: Shelf, *, crisis: bool) -> Draft:
        policy, context = self._policy or Policy(), question.context
        offer = None if question.declined else policy.offer_for(question.text, context, question.history)
        wording = self._wording.into(question.lang, question.people)
        last = question.history[-1] if question.history else None
        again = last is not None and last.routing is Routing.HIGH_STAKES
        acknowledgement = wording.say("high_stakes_ack_again" if again else "high_stakes_ack")
        if crisis:
            claims = ()
            acknowledgement += "\n\n" + wording.say("in_danger")
        heard = mostly_said(claims, question.history[-LATELY:]) and not question.declines
        if heard and not says_what_to_do(claims):
            claims = ()
        if claims:
            acknowledgement += "\n\n" + wording.say("high_stakes_context")
        return Draft(
            claims,
            "extractive",
            acknowledgement=acknowledgement,
            offer=None if crisis else policy.said(question.text, context, offer),
            closing="\n\n".join(filter(None, (self._cut(question, claims, shelf), wording.say("high_stakes_close")))),
        )


def _quotable(hits: Sequence[Hit]) -> list[Unit]:
    return [unit for unit in units(hits) if not planted(unit)]


def fit(scored: Sequence[Scored]) -> dict[str, float]:
    """How well the quoted units fit: the best logit, the next ones, and where the best one comes from.

    Of what is said in words: code tells the gates nothing of what was asked.
    """
    scored = [item for item in scored if item.unit.kind != "code"]
    if not scored:
        return {"unit_top": -10.0, "unit_second": -10.0, "unit_lead": 0.0, "unit_first": 0.0, "unit_listed": 0.0}
    logits = sorted((item.logit for item in scored), reverse=True)
    best = scored[0].unit
    return {
        "unit_top": scored[0].logit,
        "unit_second": logits[min(1, len(logits) - 1)],
        "unit_lead": logits[0] - logits[len(logits) // 2],
        "unit_first": float(best.rank == 0),
        "unit_listed": float(best.kind in ("steps", "bullets", "table", "row")),
    }


def _lifts(found: Sequence[Unit], logits: Sequence[float]) -> Callable[[Unit, float], float]:
    """What "This article lists what each plan costs" says of the table that comes after it."""
    announced: dict[str, tuple[float, int]] = {}
    for unit, logit in zip(found, logits, strict=True):
        if unit.kind == "sentence" and unit.points_elsewhere:
            article = unit.hit.passage.article_id
            announced[article] = max(announced.get(article, (-99.0, 0)), (float(logit), unit.hit.passage.position))

    def lift(unit: Unit, logit: float) -> float:
        said, position = announced.get(unit.hit.passage.article_id, (-99.0, 0))
        near = 0 <= unit.hit.passage.position - position <= 1
        return max(0.0, float(said - logit)) if near and unit.kind in ("table", "steps") else 0.0

    return lift


def _finals(found: Sequence[Unit], fits: Sequence[float]) -> dict[str, float]:
    """Final scores by passage; one that fits best by a warning, which is about something else, has the least of all.

    "Change the time zone outside your opening hours" makes no passage about opening hours.
    """
    finals = {unit.hit.passage.id: unit.hit.final for unit in found}
    best = {unit.hit.passage.id: unit for _, unit in sorted(zip(fits, found, strict=True), key=lambda pair: pair[0])}
    warned = {id_ for id_, unit in best.items() if unit.warns}
    least = min(finals.values(), default=0.0)
    return {id_: least if id_ in warned else final for id_, final in finals.items()}


def _fit(logit: float) -> float:
    reading = logit.reading if isinstance(logit, Logit) else None
    return logit if reading is None else LOGIT_SHARE * logit + READING_SHARE * reading


def _points(logit: float) -> float:
    return FIT_POINTS / (1.0 + math.exp(-logit / FIT_SCALE))


def _shape(query: str, unit: Unit) -> float:
    """Points for what it is, and for what its heading promises."""
    heading = heading_of(unit)
    prices = price_points(query, plain("\n".join(unit.lines)), f"{unit.hit.passage.title}\n{heading}")
    return _headed(query, heading) + _titled(query, unit.hit.passage.title, heading) + prices + _kind(query, unit)


def _titled(query: str, title: str, heading: str) -> float:
    return POINTS_TITLED if heads_deed_to(title, query) or heads_same_trouble(f"{title}\n{heading}", query) else 0.0


def _headed(query: str, heading: str) -> float:
    if asks_another(heading, query) or _asks_whether(heading, query):
        return POINTS_ANOTHER
    if heads_trouble(heading, query):
        return POINTS_TROUBLE
    return POINTS_DEED if heads_deed(heading, query) else 0.0


def _asks_whether(heading: str, query: str) -> bool:
    """Whether a heading asks for a yes or no, and the question is how to do something."""
    whether = asks_yes_or_no(heading) and not asks_the_same(heading, query)
    return whether and YES_OR_NO.match(query) is None and deed(query) != ""


def _kind(query: str, unit: Unit) -> float:
    others = speaks_of_himself(query) and asked_for_others(heading_of(unit))
    if unit.warns or others or _presumes(query, unit) or _answers_another(query, unit):
        return POINTS_BESIDE
    if unit.points_elsewhere:
        return POINTS_ELSEWHERE
    wanted = set(tokenize(query))
    if _opposes(unit, wanted):
        return POINTS_OPPOSED
    if unit.kind == "code" and FACT.search(query) and not DIGIT.search(unit.lead):
        return POINTS_CODE
    return POINTS_NAMED if _names(unit, wanted) else 0.0


def _answers_another(query: str, unit: Unit) -> bool:
    """Whether it answers the question in its heading, which is another one, by a yes, a no or "that"."""
    heading = heading_of(unit)
    refers = unit.kind == "sentence" and heading.endswith(QUESTION_MARKS) and ANAPHORA.match(plain(unit.lines[0]))
    answered = question_above(unit) or (heading if refers else "")
    return bool(answered) and not asks_the_same(answered, query)


def _presumes(query: str, unit: Unit) -> bool:
    """Whether it says what holds "If you pay yearly" to somebody who asks whether he can pay yearly."""
    heading = heading_of(unit)
    return bool(MAY.match(query) and PRESUMED.match(heading)) and set(tokenize(query)) <= set(tokenize(heading))


def _opposes(unit: Unit, wanted: set[str]) -> bool:
    """Whether its title or headings have the opposite of a word that is asked for and that it does not say itself."""
    above = set(tokenize(" ".join((unit.hit.passage.title, *unit.headings))))
    said = above | set(tokenize(unit.for_scoring()))
    return any(opposed(word, other) for word in wanted - said for other in above - wanted)


def _promise(wanted: set[str], unit: Unit, tables: float) -> float:
    """How likely a unit is worth scoring; whole lists and tables say less in words than they hold."""
    whole = {"steps": 0.3, "bullets": 0.2, "table": 0.3 + tables}.get(unit.kind, 0.0)
    named = NAMED if _names(unit, wanted) else 0.0
    return _overlap(wanted, unit) + 0.6 / (1 + unit.rank) + whole + named - LATER * unit.order


def _names(unit: Unit, wanted: set[str]) -> bool:
    """Whether it is a table's row about something that the question names: `Solo` of "what does Solo cost"."""
    subject = set(tokenize(unit.subject))
    return bool(subject) and subject <= wanted


def _overlap(wanted: set[str], unit: Unit) -> float:
    if not wanted:
        return 0.0
    return len(wanted & set(tokenize(unit.for_scoring()))) / len(wanted)
