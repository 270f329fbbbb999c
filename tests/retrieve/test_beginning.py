"""How the best article begins is added for a short question, once."""

from __future__ import annotations

import numpy as np

from handrail.retrieve.opening import BeginningOfTheArticle
from handrail.stores.snapshot import build
from handrail.types import Evidence, Hit
from tests.stages import passage

PASSAGES = [
    passage("a:a/0", "A domain is a name."),
    passage("a:a/1", "Records are kept elsewhere."),
    passage("a:a/2", "1. Open Domains.\n2. Wait."),
    passage("a:a/3", "Mail stopped."),
    passage("a:b/0", "Something else."),
]
BEGIN = BeginningOfTheArticle(build(PASSAGES, np.eye(5, dtype=np.float32)))


def test_the_opening_and_the_first_procedure_are_added_behind_the_rest() -> None:
    widened = BEGIN(Evidence("domain not working", [Hit(PASSAGES[3], final=0.8), Hit(PASSAGES[4], final=0.5)]))

    assert [hit.passage.id for hit in widened.hits] == ["a:a/3", "a:b/0", "a:a/0", "a:a/2"]
    assert all(hit.neighbour and hit.final == 0.4 for hit in widened.hits[2:])


def test_what_is_there_is_not_added_again() -> None:
    known = Evidence("domain not working", [Hit(PASSAGES[0], final=0.8), Hit(PASSAGES[2], final=0.5)])

    assert BEGIN(known).hits == tuple(known.hits)


def test_a_longer_question_and_one_without_hits_stay_as_they_are() -> None:
    nothing = Evidence("domain", [])
    longer = Evidence("why does mail of our domain stop after moving nameservers", [Hit(PASSAGES[3], final=0.8)])

    assert BEGIN(nothing) is nothing
    assert BEGIN(longer) is longer
