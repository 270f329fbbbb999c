"""The sample is the same for everybody, each answer is judged once, and grades go with their conversation."""

from __future__ import annotations

import asyncio

import pytest

from handrail.records.database import Database
from handrail.records.gradings import Drawn, GradingRecords
from handrail.records.visitors import VisitorRecords
from tests.records.talks import evidence, store, talk

pytestmark = pytest.mark.anyio

DAY = "1970-01-02"
START, END = 86_400.0, 2 * 86_400.0
ASKED = {"day": DAY, "who": "wise", "kb": "acme"}
LEASE_S = 600.0


async def drawn(records: GradingRecords, size: int = 100) -> list[Drawn]:
    return await records.sample(DAY, START, END, size)


def ids(sample: list[Drawn]) -> list[str]:
    return [one.evidence.turn_id for one in sample]


async def fill(database: Database, turns: int = 12) -> GradingRecords:
    await store(database, talk("a", START), *(evidence("a", START + n, turn_id=f"t-{n}") for n in range(turns)))
    return GradingRecords(database, "default")


async def test_the_draw_is_always_the_same_and_a_smaller_one_is_part_of_it(database: Database) -> None:
    records = await fill(database)

    few, all_of_it = ids(await drawn(records, 5)), ids(await drawn(records))

    assert few == all_of_it[:5] == ids(await drawn(records, 5))
    assert sorted(all_of_it) == sorted(f"t-{n}" for n in range(12)) != all_of_it
    assert ids(await records.sample("1970-01-03", START, END, 100)) != all_of_it


async def test_only_answers_from_articles_of_that_day_and_tenant_are_drawn(database: Database) -> None:
    kept = ("answered", "partially_answered", "low_confidence")
    other = ("cannot_answer", "followup", "high_stakes", "handed_off")
    rows = [evidence("a", START + 1, routing, turn_id=routing) for routing in (*kept, *other)]
    outside = [evidence("a", at, turn_id=f"at-{at}") for at in (START - 1, END)]
    await store(database, talk("a", START), *rows, *outside, evidence("b", START, tenant="other", turn_id="theirs"))

    assert sorted(ids(await drawn(GradingRecords(database, "default")))) == sorted(kept)


async def test_two_judges_at_once_never_get_the_same_answer(database: Database) -> None:
    records = await fill(database)
    sample = await drawn(records)

    first, second = await asyncio.gather(*(records.take(sample, ASKED, 1000.0, LEASE_S) for _ in range(2)))

    assert first.isdisjoint(second)
    assert first | second == set(ids(sample))


async def test_what_a_dead_judge_has_taken_is_free_after_the_lease_and_what_is_graded_never(database: Database) -> None:
    records = await fill(database, 3)
    sample = await drawn(records)
    await records.take(sample, ASKED, 1000.0, LEASE_S)
    await records.settle(DAY, "t-0", 4, "", 1001.0)
    await records.settle(DAY, "t-1", None, "the judge failed", 1400.0)

    assert await records.take(sample, ASKED, 1599.0, LEASE_S) == set()
    assert await records.take(sample, ASKED, 1600.0, LEASE_S) == {"t-2"}
    await records.give_back(DAY, ["t-0", "t-2"])

    assert await records.take(sample, ASKED, 1601.0, LEASE_S) == {"t-2"}
    (graded,) = [one for one in await drawn(records) if one.grades]
    assert (graded.evidence.turn_id, graded.grades["judge"].grade) == ("t-0", 4)


async def test_a_persons_second_grade_replaces_the_first_and_stands_beside_the_judges(database: Database) -> None:
    records = await fill(database, 1)
    await records.take(await drawn(records), ASKED, 1000.0, LEASE_S)
    await records.settle(DAY, "t-0", 5, "", 1001.0)
    for grade in (1, 2):
        assert await records.keep(
            "production", "t-0", DAY, by="person", grade=grade, who="u1", kb="acme", now=1002.0, conversation_id="a"
        )

    (one,) = await drawn(records)
    assert {by: row.grade for by, row in one.grades.items()} == {"judge": 5, "person": 2}


async def test_grades_go_with_their_conversation_and_none_come_after_it(database: Database) -> None:
    records = await fill(database, 2)
    sample = await drawn(records)
    await records.take(sample, ASKED, 1000.0, LEASE_S)
    await records.settle(DAY, "t-0", 5, "", 1001.0)
    (exported,) = await VisitorRecords(database, "default").export("visitor-of-a")
    await VisitorRecords(database, "default").delete("visitor-of-a")

    assert len(exported["gradings"]) == 2
    assert await records.take(sample, ASKED, 1e9, LEASE_S) == set()
    assert not await records.keep(
        "production", "t-0", DAY, by="person", grade=1, who="u1", kb="acme", now=1.0, conversation_id="a"
    )
    assert await drawn(records) == []
