"""Gaps from questions and vectors."""

from __future__ import annotations

import numpy as np

from handrail.desk.learning.gaps import Asked, Shelf, find_gaps
from tests.desk.learning.test_clusters import unit

AXES = np.eye(6, dtype=np.float32)
SHELF = Shelf(
    vectors=unit([AXES[0], AXES[0] + 0.1 * AXES[5], AXES[1]]),
    owners=["domains:connect", "domains:connect", "team:roles"],
    titles={"domains:connect": "Connect a domain", "team:roles": "Roles"},
    urls={"domains:connect": "https://help.example/connect"},
    noise_floor=0.0,
)


def asked(number: int, question: str = "Can I pay by cheque?", **values: object) -> Asked:
    given: dict[str, object] = {
        "turn_id": f"t{number}",
        "conversation_id": f"c{number}",
        "visitor_id": None,
        "question": question,
        "reason": "no_relevant_context",
        "lang": "en",
        "at": float(number),
        "handed_off": False,
    }
    return Asked(**{**given, **values})  # type: ignore[arg-type]


def test_a_gap_counts_questions_people_reasons_and_languages() -> None:
    questions = [
        asked(1, visitor_id="v", lang="de"),
        asked(2, visitor_id="v", handed_off=True),
        asked(3, reason="thumb_wrong"),
        asked(4, "How do roles work?"),
    ]
    vectors = unit([AXES[2], AXES[2] + 0.05 * AXES[3], AXES[2], AXES[1]])

    first, second = find_gaps(questions, vectors, SHELF)

    assert (first.questions, first.visitors, first.handed_off, first.thumbs_down) == (3, 2, 1, 1)
    assert (first.id, first.first_seen, first.last_seen) == ("t1", 1.0, 3.0)
    assert first.reasons == {"no_relevant_context": 2, "thumb_wrong": 1}
    assert first.languages == {"en": 2, "de": 1}
    assert (first.verdict, second.verdict) == ("missing", "not_found")
    assert (second.nearest[0].article_id, second.nearest[0].distance) == ("team:roles", 0.0)


def test_an_article_is_near_by_its_best_passage() -> None:
    gap = find_gaps([asked(1)], unit([AXES[0]]), SHELF)[0]

    assert [near.article_id for near in gap.nearest] == ["domains:connect", "team:roles"]
    assert gap.nearest[0].url == "https://help.example/connect"


def test_samples_hold_no_personal_data() -> None:
    question = "I'm Ana Lopez, ana@example.org, why was order 20391 charged?"

    gap = find_gaps([asked(1, question)], unit([AXES[3]]), SHELF)[0]

    assert not any(secret in gap.question for secret in ("Ana", "example.org", "20391"))


def test_the_order_of_arrival_is_what_counts_not_that_of_the_list() -> None:
    questions = [asked(number) for number in range(8)]
    vectors = unit(np.random.default_rng(0).normal(size=(8, 6)))
    turned = list(reversed(range(8)))

    other = find_gaps([questions[n] for n in turned], np.asarray(vectors[turned], dtype=np.float32), SHELF)

    assert find_gaps(questions, vectors, SHELF) == other


def test_an_empty_knowledge_base_has_everything_missing() -> None:
    bare = Shelf(np.zeros((0, 0), dtype=np.float32), [], {}, {}, 0.0)

    gap = find_gaps([asked(1)], unit([AXES[0]]), bare)[0]

    assert (gap.verdict, list(gap.nearest)) == ("missing", [])
