"""Requests for a person, from arrival to record."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from handrail.desk.handoff import HandoffRequest, Line
from handrail.desk.handoff.desk import Desk
from handrail.desk.handoff.reference import ALPHABET, new_reference
from handrail.errors import RetryableError
from handrail.records.database import open_database
from handrail.records.handoffs import HandoffRecords
from handrail.settings import Storage
from tests.clock import EPOCH, Clock

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def desk_in(
    folder: Path, references: Iterator[str], clock: Clock | None = None, tenant: str = "default"
) -> AsyncIterator[tuple[Desk, HandoffRecords]]:
    database = await open_database(Storage(data_dir=folder))
    try:
        records = HandoffRecords(database, tenant)
        yield Desk(records, lambda: next(references), clock or Clock(EPOCH)), records
    finally:
        await database.close()


async def test_everything_given_is_found_again_by_its_reference(tmp_path: Path) -> None:
    claimed = (Line("visitor", "I was charged twice."), Line("assistant", "Thank you for telling us."))
    request = HandoffRequest("c-1", "t-1", "high_stakes", "ada@example.com", "Please call.", claimed)

    async with desk_in(tmp_path, iter(["HR-222222"])) as (desk, records):
        receipt = await desk.take(request)
        found = await records.find("HR-222222")

    assert receipt.created
    assert found == receipt.handoff
    assert found is not None
    assert (found.conversation_id, found.turn_id, found.reason) == ("c-1", "t-1", "high_stakes")
    assert (found.email, found.message, found.claimed) == ("ada@example.com", "Please call.", claimed)
    assert found.created_at == found.updated_at == 1_800_000_000.0


async def test_later_request_of_the_conversation_adds_and_loses_nothing(tmp_path: Path) -> None:
    clock = Clock(EPOCH)
    async with desk_in(tmp_path, iter(["HR-222222", "HR-333333", "HR-444444"]), clock) as (desk, _):
        await desk.take(HandoffRequest("c-1", reason="high_stakes", message="First.", claimed=(Line("visitor", "A"),)))
        clock.now += 60
        await desk.take(HandoffRequest("c-1", email="ada@example.com"))
        last = await desk.take(HandoffRequest("c-1", email="ada@example.com", message="Second."))

    handoff = last.handoff
    assert not last.created
    assert handoff.reference == "HR-222222"
    assert (handoff.reason, handoff.email, handoff.earlier_emails) == ("high_stakes", "ada@example.com", ())
    assert handoff.message == "First.\n\nSecond."
    assert handoff.claimed == (Line("visitor", "A"),)
    assert (handoff.created_at, handoff.updated_at) == (1_800_000_000.0, 1_800_000_060.0)


async def test_reference_that_is_taken_is_drawn_again(tmp_path: Path) -> None:
    async with desk_in(tmp_path, iter(["HR-222222", "HR-222222", "HR-333333"])) as (desk, _):
        first = await desk.take(HandoffRequest(message="One"))
        second = await desk.take(HandoffRequest(message="Two"))

    assert (first.handoff.reference, second.handoff.reference) == ("HR-222222", "HR-333333")


async def test_running_out_of_references_is_an_error_to_retry(tmp_path: Path) -> None:
    async with desk_in(tmp_path, iter(["HR-222222"] * 10)) as (desk, _):
        await desk.take(HandoffRequest())

        with pytest.raises(RetryableError, match="reference"):
            await desk.take(HandoffRequest())


async def test_simultaneous_requests_of_one_conversation_make_one_record(tmp_path: Path) -> None:
    references = (f"HR-{n}" for n in range(100_000, 200_000))
    async with desk_in(tmp_path, references) as (desk, _):
        receipts = await asyncio.gather(*(desk.take(HandoffRequest("c-1", message=f"Line {n}.")) for n in range(8)))
        final = await desk.take(HandoffRequest("c-1"))

    assert sum(receipt.created for receipt in receipts) == 1
    assert sorted((final.handoff.message or "").split("\n\n")) == [f"Line {n}." for n in range(8)]


async def test_tenants_do_not_see_each_other(tmp_path: Path) -> None:
    async with (
        desk_in(tmp_path, iter(["HR-222222"]), tenant="acme") as (acme, _),
        desk_in(tmp_path, iter(["HR-222222"]), tenant="bolt") as (bolt, others),
    ):
        await acme.take(HandoffRequest("c-1", message="Acme's secret"))
        assert await others.find("HR-222222") is None
        receipt = await bolt.take(HandoffRequest("c-1"))

    assert receipt.created
    assert receipt.handoff.message is None


def test_references_cannot_be_misread() -> None:
    references = [new_reference() for _ in range(2000)]

    used = Counter("".join(reference.removeprefix("HR-") for reference in references))
    assert set(used) == set(ALPHABET)
    assert not set(ALPHABET) & set("01ILOU")
    assert len(set(references)) == 2000


async def test_a_first_request_sent_again_after_a_lost_connection_is_the_same_request(tmp_path: Path) -> None:
    request = HandoffRequest(None, "0b9f1a52-3c1e-4d53-9f0e-5d8f6a7b8c9d", "visitor_request", None, "Please call.", ())

    async with desk_in(tmp_path, iter(["HR-222222", "HR-333333"])) as (desk, _):
        first, again = await desk.take(request), await desk.take(request)

    assert first.created
    assert not again.created
    assert again.handoff.reference == first.handoff.reference
    assert again.handoff.message == "Please call."
