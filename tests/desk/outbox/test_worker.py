"""Letters are delivered once by one process, tried again with growing pauses, and put aside where that is no use."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import pytest

from handrail.desk.handoff.ownership import Action
from handrail.desk.outbox import Channel, NewNotification, Notification, Remember, Undeliverable, Undelivered
from handrail.desk.outbox.alerts import QueueAlerts
from handrail.desk.outbox.worker import LEASE_MARGIN_S, OutboxWorker, pause
from handrail.records.conversations import ConversationRecords, Entry, NewMessage, Request
from handrail.records.database import Database, open_database
from handrail.records.outbox import OutboxRecords
from handrail.settings import Alerts, Storage
from tests.clock import EPOCH, Clock

pytestmark = pytest.mark.anyio

SETTINGS = Alerts(attempts=3, backoff_s=10, backoff_most_s=15, timeout_s=2)
NOTIFICATION = NewNotification("radio", "tower", {"event": "test"})


@dataclass
class Radio:
    """Delivers, or fails as told; counts how many are on the air at once."""

    fails: Exception | None = None
    slow_s: float = 0.0
    notes: Mapping[str, Any] | None = None
    sent: list[Notification] = field(default_factory=list)
    noted: asyncio.Event = field(default_factory=asyncio.Event)

    async def send(self, notification: Notification, remember: Remember) -> None:
        self.sent.append(notification)
        if self.notes is not None:
            await remember(self.notes)
            self.noted.set()
        await asyncio.sleep(self.slow_s)
        if self.fails is not None:
            raise self.fails


@pytest.fixture
async def database(storage: Storage) -> AsyncIterator[Database]:
    opened = await open_database(storage)
    yield opened
    await opened.close()


@pytest.fixture
def outbox(database: Database) -> OutboxRecords:
    return OutboxRecords(database, "acme")


def worker(outbox: OutboxRecords, radio: Channel, clock: Clock, settings: Alerts = SETTINGS) -> OutboxWorker:
    return OutboxWorker(outbox, {"radio": radio}, settings, clock, spread=lambda: 1.0)


async def the(outbox: OutboxRecords) -> Notification:
    (notification,) = await outbox.list()
    return notification


async def test_a_letter_is_delivered_once(outbox: OutboxRecords) -> None:
    clock, radio = Clock(EPOCH), Radio()
    await outbox.write([NOTIFICATION], clock.now)

    tried = [await worker(outbox, radio, clock).once() for _ in range(2)]

    assert tried == [1, 0]
    assert radio.sent[0].payload == {"event": "test"}
    assert ((await the(outbox)).state, (await the(outbox)).attempts) == ("done", 1)


async def test_of_many_processes_at_once_one_sends(outbox: OutboxRecords) -> None:
    clock, radio = Clock(EPOCH), Radio(slow_s=0.05)
    await outbox.write([NOTIFICATION] * 20, clock.now)

    await asyncio.gather(*(worker(outbox, radio, clock).once() for _ in range(5)))

    assert len(radio.sent) == len({notification.id for notification in radio.sent}) == 20


async def test_pauses_grow_until_the_letter_is_put_aside_and_can_be_tried_again(outbox: OutboxRecords) -> None:
    clock, radio = Clock(EPOCH), Radio(fails=Undelivered("busy"))
    at_work = worker(outbox, radio, clock)
    await outbox.write([NOTIFICATION], clock.now)

    await at_work.once()
    assert (await the(outbox)).next_at == clock.now + 10
    assert await at_work.once() == 0
    clock.now += 10
    await at_work.once()
    assert (await the(outbox)).next_at == clock.now + 15
    clock.now += 15
    await at_work.once()

    notification = await the(outbox)
    assert (notification.state, notification.attempts, notification.error) == ("dead", 3, "busy")
    assert [dead.id for dead in await outbox.list("dead")] == [notification.id]
    clock.now += 1e6
    assert await at_work.once() == 0

    radio.fails = None
    assert await outbox.retry(clock.now, notification.id) == 1
    await at_work.once()
    assert (await the(outbox)).state == "done"
    assert await outbox.retry(clock.now) == 0


async def test_what_can_never_be_delivered_is_put_aside_at_once(outbox: OutboxRecords) -> None:
    clock = Clock(EPOCH)
    await outbox.write([NOTIFICATION, NewNotification("smoke", "hill", {})], clock.now)

    await worker(outbox, Radio(fails=Undeliverable("refused")), clock).once()

    assert {(notification.state, notification.error) for notification in await outbox.list()} == {
        ("dead", "refused"),
        ("dead", "the channel 'smoke' is not set up in [alerts]"),
    }


async def test_the_receivers_own_pause_is_kept_and_bounded(outbox: OutboxRecords) -> None:
    clock = Clock(EPOCH)
    await outbox.write([NOTIFICATION], clock.now)

    await worker(outbox, Radio(fails=Undelivered("busy", after_s=1e9)), clock).once()

    assert (await the(outbox)).next_at == clock.now + 3600


@pytest.mark.parametrize(
    ("radio", "error"),
    [(Radio(slow_s=5), "no answer within 2 s"), (Radio(fails=ZeroDivisionError()), "ZeroDivisionError in the chan")],
)
async def test_silence_and_errors_of_ours_are_tried_again(outbox: OutboxRecords, radio: Radio, error: str) -> None:
    clock = Clock(EPOCH)
    await outbox.write([NOTIFICATION], clock.now)

    await worker(outbox, radio, clock).once()

    notification = await the(outbox)
    assert notification.state == "waiting"
    assert (notification.error or "").startswith(error)


async def test_after_a_crash_another_process_goes_on_but_not_before_the_claim_is_over(outbox: OutboxRecords) -> None:
    clock, radio = Clock(EPOCH), Radio(slow_s=60, notes={"step": 1})
    await outbox.write([NOTIFICATION], clock.now)
    killed = asyncio.create_task(worker(outbox, radio, clock, Alerts(timeout_s=30)).once())
    await asyncio.wait_for(radio.noted.wait(), 10)
    killed.cancel()
    with suppress(asyncio.CancelledError):
        await killed
    other = Radio()

    clock.now += 30
    assert await worker(outbox, other, clock).once() == 0
    clock.now += LEASE_MARGIN_S + 1
    await worker(outbox, other, clock).once()

    assert (other.sent[0].attempts, other.sent[0].progress) == (2, {"step": 1})
    assert (await the(outbox)).state == "done"


async def test_a_letter_that_kills_every_process_comes_to_an_end(outbox: OutboxRecords) -> None:
    clock = Clock(EPOCH)
    await outbox.write([NOTIFICATION], clock.now)
    for _ in range(3):
        await outbox.claim(clock.now, 1.0, 8)
        clock.now += 2

    radio = Radio(fails=Undelivered("busy"))
    await worker(outbox, radio, clock).once()

    assert (await the(outbox)).state == "dead"


async def test_whoever_lost_the_claim_has_no_say(outbox: OutboxRecords) -> None:
    clock = Clock(EPOCH)
    (id_,) = await outbox.write([NOTIFICATION], clock.now)
    first, _ = await outbox.claim(clock.now, 10, 8)
    clock.now += 11
    second, _ = await outbox.claim(clock.now, 10, 8)

    assert not await outbox.delivered(id_, first, clock.now)
    assert not await outbox.note(id_, first, {})
    assert (await the(outbox)).state == "waiting"
    assert await outbox.delivered(id_, second, clock.now)


async def test_a_tenant_sees_and_sends_only_its_own(database: Database, outbox: OutboxRecords) -> None:
    clock, radio = Clock(EPOCH), Radio()
    other = OutboxRecords(database, "other")
    (id_,) = await other.write([NOTIFICATION], clock.now)

    assert await worker(outbox, radio, clock).once() == 0
    assert await outbox.list() == []
    assert await outbox.retry(clock.now, id_) == 0


async def test_delivered_letters_are_forgotten_and_dead_ones_are_not(outbox: OutboxRecords) -> None:
    clock = Clock(EPOCH)
    await outbox.write([NOTIFICATION, NewNotification("smoke", "hill", {})], clock.now)
    await worker(outbox, Radio(), clock).once()

    assert await outbox.purge(clock.now) == 0
    assert await outbox.purge(clock.now + 1) == 1
    assert (await the(outbox)).state == "dead"


def test_pauses_double_stay_bounded_and_spread() -> None:
    settings = Alerts(backoff_s=5, backoff_most_s=60)

    assert [pause(n, settings, lambda: 1.0) for n in (1, 2, 3, 4, 5, 50)] == [5, 10, 20, 40, 60, 60]
    assert pause(3, settings, lambda: 0.0) == 10


def alerting(database: Database, outbox: OutboxRecords) -> ConversationRecords:
    alerts = Alerts(slack_url="https://hooks.slack.example/x")
    return ConversationRecords(database, "acme", [QueueAlerts(outbox, alerts)])


def notice(generation: int) -> NewMessage:
    return NewMessage(f"queued-{generation}", "system", "queued", kind="event")


async def test_an_alert_is_written_with_the_hand_over_and_only_once(database: Database, outbox: OutboxRecords) -> None:
    conversations = alerting(database, outbox)
    request = Request("HR-7K2M9Q", reason="high_stakes", turn_id="t-1", message=NewMessage("m-1", "visitor", "Help!"))

    for _ in range(2):
        await conversations.hand_over(Entry("c-1", "v-1"), request, notice, 1_800_000_000.0)

    handoff = (await the(outbox)).payload["handoff"]
    assert (handoff["reference"], handoff["message"]) == ("HR-7K2M9Q", "Help!")


async def test_taking_and_resolving_alert_nobody(database: Database, outbox: OutboxRecords) -> None:
    conversations = alerting(database, outbox)
    said = await conversations.hand_over(Entry("c-1"), Request("HR-7K2M9Q"), notice, 1_800_000_000.0)

    taken = await conversations.act("c-1", said.row.version, Action.TAKE, 1_800_000_001.0, user_id="u-1")
    await conversations.act("c-1", taken.row.version, Action.RESOLVE, 1_800_000_002.0)

    assert len(await outbox.list()) == 1


async def test_a_change_that_is_not_kept_sends_nothing(database: Database, outbox: OutboxRecords) -> None:
    conversations = alerting(database, outbox)

    async def breaks(*_: Any) -> None:
        raise ZeroDivisionError

    conversations.on_change(breaks)
    with suppress(ZeroDivisionError):
        await conversations.hand_over(Entry("c-1"), Request("HR-7K2M9Q"), notice, 1_800_000_000.0)

    assert await outbox.list() == []
    assert await conversations.find("c-1") is None
