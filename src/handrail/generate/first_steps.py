"""Steps before what is said beside them, for whoever wants something done and asks for no fact."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from handrail.asking import MAY, QUESTION_MARKS, asks_the_same
from handrail.generate.deeds import heads_deed
from handrail.generate.headings import heading_of
from handrail.generate.opening import begins
from handrail.generate.quoting import Scored
from handrail.generate.units import Unit
from handrail.markdown import plain
from handrail.stores.tokens import tokenize

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
PREPARES = re.compile(r"(?:before|what you(?:'ll| will)? need|requirements|prerequisites|prepar)", re.I)
"""A heading of what comes before the procedure that was asked for."""
STEPS_HERE, STEPS_HOME = 2.0, 1.0
"""Points that steps of the best sentence's section, and of its article, may lie below it and still come first."""
SPECIAL = 20.0
"""Points taken from all that stands beside the first procedure: nothing of it is quoted."""


def begun(query: str, scored: list[Scored], found: Sequence[Unit]) -> list[Scored]:
    """Who only names what an article is about ("add a blog"), or wants what its title says ("add a contact form"), is
    told how to begin: its first procedure comes first, but none that only prepares, or the one whose heading has the
    most of his words that the title lacks ("change my password"), then of those that are rare in the article ("set up
    SMS reminders").

    Where that is most of its title ("domain not working"), nothing is said of special cases. So is who asks for no fact
    ("a customer wants her money back") and would else be told how the article begins, which is what it is about.
    """
    if not scored or ASKED.search(query):
        return scored
    best, query_terms = scored[0], set(tokenize(query))
    named, about = query_terms - DOING, set(tokenize(best.unit.hit.passage.title)) - DOING
    names = bool(named) and len(named) <= TITLE_TERMS and named <= about
    introduces = begins(best.unit.hit) and best.unit.kind == "sentence" and not MAY.match(query)
    if not (names or introduces or _wants_it_done(query, best.unit.hit.passage.title)):
        return _led_by_steps(query, scored)
    home = best.unit.hit.passage.article_id
    steps = [unit for unit in found if unit.kind == "steps" and unit.hit.passage.article_id == home]
    if not steps:
        return scored
    if _has_its_section(query_terms, home, found):
        return _led_by_steps(query, scored)
    said = query_terms - set(tokenize(best.unit.hit.passage.title))
    shared = _rarity(query_terms, home, found)
    first = min(
        steps,
        key=lambda unit: (
            -len(said & set(tokenize(heading_of(unit)))),
            -sum(shared.get(term, 0.0) for term in set(tokenize(heading_of(unit)))),
            PREPARES.match(heading_of(unit)) is not None,
            unit.hit.passage.position,
            unit.order,
        ),
    )
    rest = [item for item in scored if item.unit is not first]
    if names and 2 * len(named) >= len(about):
        rest = [item if _section(item.unit) == _section(first) else _special(item) for item in rest]
    return [Scored(first, best.score, best.logit), *sorted(rest, key=lambda item: -item.score)]


def _rarity(query_terms: set[str], article: str, found: Sequence[Unit]) -> dict[str, float]:
    """By term of the question, one over what says it: among reminders, "sms" tells more than "reminders"."""
    said = [set(tokenize(plain("\n".join(unit.lines)))) for unit in found if unit.hit.passage.article_id == article]
    counts = Counter(term for terms in said for term in terms & query_terms)
    return {term: 1 / count for term, count in counts.items()}


def _has_its_section(query_terms: set[str], article: str, found: Sequence[Unit]) -> bool:
    """Whether a section of the article that has no steps is about nothing else than what is named."""
    here = [unit for unit in found if unit.hit.passage.article_id == article and heading_of(unit)]
    about = {heading_of(unit): set(tokenize(heading_of(unit))) - DOING for unit in here}
    led = {heading_of(unit) for unit in here if unit.kind == "steps"}
    return any(terms and terms <= query_terms for heading, terms in about.items() if heading not in led)


def _wants_it_done(query: str, title: str) -> bool:
    """Whether the title says what is wanted and of what: "Add a form to your website" for "add a contact form"."""
    terms = tokenize(query)
    return (
        bool(terms)
        and len(set(terms) - DOING) <= TITLE_TERMS
        and terms[-1] in tokenize(title)
        and heads_deed(title, query)
    )


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
    heading = heading_of(item.unit)
    asked = heading.endswith(QUESTION_MARKS) and asks_the_same(heading, query)
    return item.unit.kind in ("sentence", "note") and not asked


def _special(item: Scored) -> Scored:
    return replace(item, score=item.score - SPECIAL)


def _section(unit: Unit) -> tuple[str, tuple[str, ...]]:
    return unit.hit.passage.article_id, unit.headings
