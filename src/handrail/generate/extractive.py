"""Answers made of the passages' own words: the default when no LLM is configured.

The cross-encoder scores quotable units against the question; the best one, its passage counted in, decides the shape of
the answer (a procedure, a list, table rows, or sentences), and what belongs to it is added in reading order.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from handrail.asking import asked_for_others, speaks_of_himself
from handrail.despair import speaks_of_dying
from handrail.generate import Hearer
from handrail.generate.compose import AT_MOST, SECTIONS, Scored, begun_with, compose
from handrail.generate.headings import question_above
from handrail.generate.opening import begins, opening, opens
from handrail.generate.policy import Policy
from handrail.generate.units import ANAPHORA, Unit, units
from handrail.generate.verify.lexicon import opposed
from handrail.guard import suspicious
from handrail.local_models import Logit
from handrail.local_models.batching import Batcher
from handrail.markdown import plain
from handrail.settings import Generate
from handrail.stores.tokens import coverage, tokenize
from handrail.types import Claim, Classification, Draft, Evidence, Hit, Label, Question, Routing
from handrail.wording import Wording

COMPARE = re.compile(
    r"\b(compare|comparison|difference|versus|vs|each|all|which|costs?|prices?|pricing|fees?|limits?)\b", re.I
)
ORDER = re.compile(
    r"^(?:say (?:the|that|this|only|exactly|in)\b|output\b|(?:reply|respond|answer)(?: only)? (?:with|that)\b)",
    re.I,
)
LATER = 0.05
"""What each unit further down its passage promises less: sections begin with what they are about."""
NAMED, POINTS_NAMED = 0.4, 1.5
"""What a table's row promises more, and its points, when the question names what it is about."""
SAME_QUESTION = 0.7
"""Share of a heading's words that a question must have for the heading's yes or no to be an answer to it."""
TITLE_TERMS = 3
DOING = frozenset(
    tokenize(
        "add change set make create get use do edit update manage put enable start need want help "
        "work problem problems trouble issue issues broken broke fail fails failed failing error wrong stopped fix"
    )
)
"""Words that say that something is wanted, or amiss, and not what."""
ASKED = re.compile(
    r"\b(?:when|why|who|which|what|where|until|how (?:much|many|long|often|soon|far|big))\b"
    r"|^(?:do|does|is|are|will|would|has|have)\b",
    re.I,
)
"""What makes more of a message than the name of what it is about."""
MAY = re.compile(r"^(?:so )?(?:can|could|may) (?:i|we)\b|^(?:is it|would it be) possible\b", re.I)
PRESUMED = re.compile(r"^(?:if|when|after|once) (?:you|it|the|your)\b", re.I)
"""A heading under which what is said presumes what it names."""
CANDIDATES = 12
FEWEST = 4
FIT_POINTS, FIT_SCALE = 10.0, 4.0
"""Points of a unit that surely fits, and the logits over which they fade. Logits far below 0 say only that the
cross-encoder knows neither of two units: what lies between -7 and -11 must not outweigh a better passage."""
LOGIT_SHARE, READING_SHARE = 0.5, 1.0
"""How well a unit fits, on the scale of logits, where it was also read whether it answers."""
PASSAGE_POINTS = 8.0
"""Points of a unit of a passage whose final score is 1."""
POINTS_ELSEWHERE = -2.0
"""Points of a unit that only points elsewhere."""
POINTS_BESIDE = -4.0
"""Points of "Important: Change the time zone outside your opening hours", which names things in passing, of what is
said about the reader's customers to somebody who speaks of himself, of what presumes the answer, and of the yes or no
to another question."""
STEPS_HERE, STEPS_HOME = 2.0, 1.0
"""Points that steps of the best sentence's section, and of its article, may lie below it and still come first."""
SPECIAL = 20.0
"""Points taken from all that stands beside the first procedure: nothing of it is quoted."""
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
    ) -> None:
        """`at_most` words are quoted from further sections and the first one together."""
        self._reranker = reranker
        self._settings = settings
        self._wording = wording
        self._policy = policy
        self._at_most = at_most

    async def answer(
        self, question: Question, classification: Classification, evidence: Evidence, heard: Hearer | None = None
    ) -> Draft:
        hits = evidence.hits[: self._settings.context_passages]
        found = [unit for unit in units(hits, self._settings.max_steps) if not orders(unit)]
        scored = await self.score(evidence.query, found)
        serious = classification.label is Label.HIGH_STAKES
        sections = 1 if serious else SECTIONS
        claims = self.composed(evidence.query, scored, found, hits, sections=sections)
        if serious:
            return self._high_stakes(question, claims)
        return Draft(claims, "extractive", signals=fit(scored))

    def composed(
        self, query: str, scored: Sequence[Scored], found: Sequence[Unit], hits: Sequence[Hit], *, sections: int
    ) -> list[Claim]:
        """Claims in reading order, none where nothing can be quoted; one section alone has no opening before it."""
        if not scored:
            return []
        best = scored[0].unit
        claims = compose(scored, found, self._settings, sections=sections, at_most=self._at_most)
        if sections > 1 and opens(query, best, hits):
            return begun_with(opening(best.hit.passage.article_id, hits), claims, best)
        return claims

    async def score(self, query: str, found: Sequence[Unit]) -> list[Scored]:
        """The most promising units, best first; overlap and rank decide which are worth the cross-encoder's time."""
        wanted = set(tokenize(query))
        tables = 0.6 if COMPARE.search(query) else 0.0
        kept = sorted(found, key=lambda unit: -_promise(wanted, unit, tables))
        kept = kept[: self._reranker.affordable(CANDIDATES, FEWEST)]
        logits = await self._reranker.submit([(query, unit.for_scoring()) for unit in kept])
        fits = [_fit(logit) for logit in logits]
        lift = _lifts(kept, fits)
        fits = [fit + lift(unit, fit) for unit, fit in zip(kept, fits, strict=True)]
        final = _finals(kept, fits)
        scored = [
            Scored(unit, _points(fit) + _shape(query, unit) + PASSAGE_POINTS * final[unit.hit.passage.id], fit)
            for unit, fit in zip(kept, fits, strict=True)
        ]
        return _begun(query, sorted(scored, key=lambda item: -item.score), found)

    def _high_stakes(self, question: Question, claims: Sequence[Claim]) -> Draft:
        policy, context = self._policy or Policy(), question.context
        offer = policy.offer_for(question.text, context)
        wording = self._wording.into(question.lang, question.people)
        last = question.history[-1] if question.history else None
        again = last is not None and last.routing is Routing.HIGH_STAKES
        acknowledgement = wording.say("high_stakes_ack_again" if again else "high_stakes_ack")
        if speaks_of_dying(question.text):
            claims = ()
            acknowledgement += "\n\n" + wording.say("in_danger")
        if claims:
            acknowledgement += "\n\n" + wording.say("high_stakes_context")
        return Draft(
            claims,
            "extractive",
            acknowledgement=acknowledgement,
            offer=policy.said(question.text, context, offer),
            closing=wording.say("high_stakes_close"),
        )


def orders(unit: Unit) -> bool:
    """Whether a unit talks to the assistant instead of its reader: such words were planted, and are not passed on."""
    return any(ORDER.match(text) or suspicious(text) for text in map(plain, unit.lines))


def fit(scored: Sequence[Scored]) -> dict[str, float]:
    """How well the quoted units fit: the best logit, the next ones, and where the best one comes from."""
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


def _begun(query: str, scored: list[Scored], found: Sequence[Unit]) -> list[Scored]:
    """Who only names what an article is about ("add a blog") is told how to begin: its first procedure comes first, or
    the one whose heading has the most of his words that the title lacks ("change my password").

    Where that is most of its title ("domain not working"), nothing is said of special cases. So is who asks for no fact
    ("a customer wants her money back") and would else be told how the article begins, which is what it is about.
    """
    best = scored[0] if scored else None
    named, about = set(tokenize(query)) - DOING, set(tokenize(best.unit.hit.passage.title if best else "")) - DOING
    if best is None or ASKED.search(query):
        return scored
    names = bool(named) and len(named) <= TITLE_TERMS and named <= about
    if not names and not (begins(best.unit.hit) and best.unit.kind == "sentence" and not MAY.match(query)):
        return _led_by_steps(query, scored)
    home = best.unit.hit.passage.article_id
    steps = [unit for unit in found if unit.kind == "steps" and unit.hit.passage.article_id == home]
    if not steps:
        return scored
    said = set(tokenize(query)) - set(tokenize(best.unit.hit.passage.title))
    first = min(
        steps, key=lambda unit: (-len(said & set(tokenize(_heading(unit)))), unit.hit.passage.position, unit.order)
    )
    rest = [item for item in scored if item.unit is not first]
    if names and 2 * len(named) >= len(about):
        rest = [item if _section(item.unit) == _section(first) else _special(item) for item in rest]
    return [Scored(first, best.score, best.logit), *sorted(rest, key=lambda item: -item.score)]


def _led_by_steps(query: str, scored: Sequence[Scored]) -> list[Scored]:
    """Who asks for no fact is told what to do before what is said beside it: steps that fit about as well lead.

    Those of a section lead what it says. Those of another section of the best sentence's article lead only where
    nobody asks whether he may. A question that an article asks in the same words is answered as it stands.
    """
    led = list(scored)
    for item in scored:
        first = next(other for other in led if _section(other.unit) == _section(item.unit))
        if item.unit.kind == "steps" and _gives_way(query, first) and item.score >= first.score - STEPS_HERE:
            led.remove(item)
            led.insert(led.index(first), replace(item, score=first.score))
    best = led[0]
    if MAY.match(query) or not _gives_way(query, best):
        return led
    home = best.unit.hit.passage.article_id
    near = (item for item in led if item.unit.kind == "steps" and item.score >= best.score - STEPS_HOME)
    steps = next((item for item in near if item.unit.hit.passage.article_id == home), None)
    if steps is None:
        return led
    return [replace(steps, score=best.score), *(item for item in led if item is not steps)]


def _gives_way(query: str, item: Scored) -> bool:
    """Whether it is a sentence, and not the answer to the question that stands above it in the visitor's words."""
    heading = _heading(item.unit)
    asked = heading.endswith(("?", "؟")) and coverage(heading, query, {}, 1.0) >= SAME_QUESTION
    return item.unit.kind in ("sentence", "note") and not asked


def _special(item: Scored) -> Scored:
    return replace(item, score=item.score - SPECIAL)


def _section(unit: Unit) -> tuple[str, tuple[str, ...]]:
    return unit.hit.passage.article_id, unit.headings


def _fit(logit: float) -> float:
    reading = logit.reading if isinstance(logit, Logit) else None
    return logit if reading is None else LOGIT_SHARE * logit + READING_SHARE * reading


def _points(logit: float) -> float:
    return FIT_POINTS / (1.0 + math.exp(-logit / FIT_SCALE))


def _shape(query: str, unit: Unit) -> float:
    others = speaks_of_himself(query) and asked_for_others(_heading(unit))
    if unit.warns or others or _presumes(query, unit) or _answers_another(query, unit):
        return POINTS_BESIDE
    if unit.points_elsewhere:
        return POINTS_ELSEWHERE
    wanted = set(tokenize(query))
    if _opposes(unit, wanted):
        return POINTS_OPPOSED
    return POINTS_NAMED if _names(unit, wanted) else 0.0


def _answers_another(query: str, unit: Unit) -> bool:
    """Whether it answers the question in its heading, which is another one, by a yes, a no or "that"."""
    heading = _heading(unit)
    refers = unit.kind == "sentence" and heading.endswith(("?", "؟")) and ANAPHORA.match(plain(unit.lines[0]))
    answered = question_above(unit) or (heading if refers else "")
    return bool(answered) and coverage(answered, query, {}, 1.0) < SAME_QUESTION


def _presumes(query: str, unit: Unit) -> bool:
    """Whether it says what holds "If you pay yearly" to somebody who asks whether he can pay yearly."""
    heading = _heading(unit)
    return bool(MAY.match(query) and PRESUMED.match(heading)) and set(tokenize(query)) <= set(tokenize(heading))


def _heading(unit: Unit) -> str:
    return unit.headings[-1] if unit.headings else ""


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
