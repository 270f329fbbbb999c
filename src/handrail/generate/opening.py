"""The opening of an article: what a short question, which asks for nothing special, is told first.

"When do I get paid?" fits a sentence about long stays as well as any other; the article begins with what holds for all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import dropwhile, takewhile

from handrail.asking import YES_OR_NO, short
from handrail.generate.units import ANAPHORA, Unit, units
from handrail.markdown import plain
from handrail.stores.tokens import tokenize
from handrail.types import Hit

FOUND = 2
"""Passages of an article among the evidence from which it is what the question is about."""
SENTENCES, WORDS = 2, 40
"""Of an opening, at most."""
NAMED = 0.5
"""Share of the question's words above which a section that has them is what was asked for, more than its article."""
GUIDE = re.compile(
    r"\b(?:articles|this (?:article|guide|reference|page)|below|the following|first decide|in this order|steps|"
    r"matches (?:yours|what|it)|not cover|there are (?:two|three|four|several|some)|ways)\b|:$|"
    r"^(?:find|follow|choose|decide) (?:the|what|which)\b",
    re.IGNORECASE,
)
"""Sentences that only say how to read the article."""


def opens(query: str, best: Unit, hits: Sequence[Hit]) -> bool:
    """Whether the answer led by `best` should begin as its article does: the question is short, the article is found
    more than once, and the section of `best`, which are sentences, or steps where a yes or no is asked for, is not what
    the question names.
    """
    found = sum(hit.passage.article_id == best.hit.passage.article_id for hit in hits if not hit.neighbour)
    told = best.kind == "sentence" or (best.kind == "steps" and YES_OR_NO.match(query) is not None)
    return short(query) and found >= FOUND and told and (begins(best.hit) or not _named(query, best))


def _named(query: str, best: Unit) -> bool:
    asked, heading = set(tokenize(query)), set(tokenize(" ".join(best.headings)))
    if asked <= set(tokenize(best.hit.passage.title)):
        return False
    said = heading | set(tokenize(plain(best.lines[0])))
    return bool(asked & heading) or len(asked & said) > NAMED * len(asked)


def opening(article_id: str, hits: Sequence[Hit]) -> list[Unit]:
    """The first sentences of the article that say something, where its beginning is among `hits`."""
    first = next((hit for hit in hits if hit.passage.article_id == article_id and begins(hit)), None)
    if first is None:
        return []
    above = list(takewhile(lambda unit: unit.kind == "sentence" and not unit.headings, units([first])))
    said = list(dropwhile(_guides, above))[:SENTENCES]
    if not said or ANAPHORA.match(plain(said[0].lines[0])):
        return []
    return said if len(said) > 1 and not _guides(said[1]) and sum(unit.words for unit in said) <= WORDS else said[:1]


def _guides(unit: Unit) -> bool:
    """Whether it only says how to read the article, or where else to look."""
    return unit.points_elsewhere or bool(GUIDE.search(plain(unit.lines[0])))


def begins(hit: Hit) -> bool:
    """Whether it is the part of an article above its first heading."""
    return hit.passage.position == 0 and not hit.passage.headings
