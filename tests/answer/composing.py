"""Answers composed of articles, the units scored by the words that they share with the question."""

from __future__ import annotations

from dataclasses import replace

from handrail.citations import assemble
from handrail.answer.compose import compose
from handrail.answer.quoting import Scored
from handrail.answer.units import Unit, units
from handrail.knowledge import Article
from handrail.settings import Generate
from handrail.types import Claim, Draft
from tests.generate.articles import evidence, near


def scored(query: str, found: list[Unit]) -> list[Scored]:
    fits = [(near(query, unit.for_scoring()), unit) for unit in found]
    return sorted((Scored(unit, fit, fit) for fit, unit in fits), key=lambda item: -item.score)


def claims(query: str, *articles: Article, best: str | None = None, **settings: int) -> list[Claim]:
    """`best` names words of the unit that the cross-encoder likes most, when the query does not decide it."""
    found = units(evidence(query, *articles).hits)
    ranked = scored(query, found)
    if best is not None:
        liked = next(item for item in ranked if best in item.unit.lines[0])
        ranked = [replace(liked, score=ranked[0].score + 10), *(item for item in ranked if item is not liked)]
    return compose(ranked, found, Generate.model_validate(settings))


def rendered(query: str, made: list[Claim], *articles: Article) -> str:
    return assemble(Draft(made, "extractive"), evidence(query, *articles), 0.9)[0]
