"""Claims on turns, in each database."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from handrail.records.database import open_database
from handrail.records.turns import Claimed, Conflict, ConversationBusy, Finished, InFlight, TurnKey, Turns
from handrail.settings import Storage

pytestmark = pytest.mark.anyio

NOW = 1_800_000_000.0
KEY = TurnKey("t-1", "c-1", True, "how?")


@asynccontextmanager
async def turns_in(storage: Storage, tenant: str = "default") -> AsyncIterator[Turns]:
    database = await open_database(storage)
    try:
        yield Turns(database, tenant, ttl_s=3600, claim_s=45)
    finally:
        await database.close()


async def test_turn_goes_from_claimed_over_in_flight_to_finished(storage: Storage) -> None:
    async with turns_in(storage) as turns:
        states = [await turns.claim(KEY, NOW), await turns.claim(KEY, NOW)]
        await turns.finish("t-1", {"answer": "Yes.", "nested": {"n": 1.5}})
        last = await turns.claim(KEY, NOW)

    assert states == [Claimed(), InFlight()]
    assert last == Finished({"answer": "Yes.", "nested": {"n": 1.5}})


async def test_one_of_many_simultaneous_claims_wins(storage: Storage) -> None:
    async with turns_in(storage) as here, turns_in(storage) as there:
        states = await asyncio.gather(*((here, there)[n % 2].claim(KEY, NOW) for n in range(10)))

    assert states.count(Claimed()) == 1
    assert states.count(InFlight()) == 9


async def test_conversation_has_one_turn_in_flight_at_a_time(storage: Storage) -> None:
    second = replace(KEY, turn_id="t-2")
    async with turns_in(storage) as turns:
        await turns.claim(KEY, NOW)
        waiting = await turns.claim(second, NOW)
        await turns.finish("t-1", {})
        afterwards = await turns.claim(second, NOW)

    assert (waiting, afterwards) == (ConversationBusy(), Claimed())


async def test_simultaneous_turns_of_a_conversation_do_not_both_start(storage: Storage) -> None:
    async with turns_in(storage) as here, turns_in(storage) as there:
        keys = [replace(KEY, turn_id=f"t-{n}") for n in range(8)]
        states = await asyncio.gather(*((here, there)[n % 2].claim(key, NOW) for n, key in enumerate(keys)))

    assert states.count(Claimed()) == 1
    assert states.count(ConversationBusy()) == 7


async def test_released_turn_can_be_claimed_again(storage: Storage) -> None:
    async with turns_in(storage) as turns:
        await turns.claim(KEY, NOW)
        await turns.release("t-1")

        assert await turns.claim(KEY, NOW) == Claimed()


async def test_finished_turn_is_not_released(storage: Storage) -> None:
    async with turns_in(storage) as turns:
        await turns.claim(KEY, NOW)
        await turns.finish("t-1", {"answer": "Yes."})
        await turns.release("t-1")

        assert await turns.claim(KEY, NOW) == Finished({"answer": "Yes."})


@pytest.mark.parametrize("other", [replace(KEY, fingerprint="why?"), replace(KEY, conversation_id="c-2")])
async def test_turn_id_used_for_something_else_is_a_conflict(storage: Storage, other: TurnKey) -> None:
    async with turns_in(storage) as turns:
        await turns.claim(KEY, NOW)
        await turns.finish("t-1", {})

        assert await turns.claim(other, NOW) == Conflict()


async def test_conversation_made_up_for_a_repeated_turn_does_not_matter(storage: Storage) -> None:
    made_up = replace(KEY, conversation_id="made-up", conversation_given=False)
    async with turns_in(storage) as turns:
        await turns.claim(KEY, NOW)
        await turns.finish("t-1", {"answer": "Yes."})

        assert await turns.claim(made_up, NOW) == Finished({"answer": "Yes."})


async def test_claim_of_a_process_that_died_is_void_after_a_while(storage: Storage) -> None:
    async with turns_in(storage) as turns:
        await turns.claim(KEY, NOW)

        assert await turns.claim(replace(KEY, turn_id="t-2"), NOW + 45) == ConversationBusy()
        assert await turns.claim(replace(KEY, turn_id="t-2"), NOW + 46) == Claimed()


async def test_old_turns_are_forgotten_and_deleted(storage: Storage) -> None:
    async with turns_in(storage) as turns:
        for turn_id in ("t-1", "t-2"):
            await turns.claim(replace(KEY, turn_id=turn_id, conversation_id=turn_id), NOW)
            await turns.finish(turn_id, {})
        await turns.claim(replace(KEY, turn_id="t-3"), NOW + 3000)

        assert await turns.claim(replace(KEY, conversation_id="t-1"), NOW + 3601) == Claimed()
        assert await turns.purge(NOW + 3601) == 1
        assert await turns.purge(NOW + 3601) == 0


async def test_tenants_have_their_own_turn_ids(storage: Storage) -> None:
    async with turns_in(storage, "acme") as acme, turns_in(storage, "bolt") as bolt:
        await acme.claim(KEY, NOW)
        await acme.finish("t-1", {"answer": "Acme's secret"})

        assert await bolt.claim(KEY, NOW) == Claimed()
