"""One worker thread per model, shared by concurrent requests."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress

import anyio
import pytest

from handrail.errors import RetryableError
from handrail.models.batching import MOST_FORESEEN, Batcher
from handrail.models.line import nobody_waits

pytestmark = pytest.mark.anyio


class Model:
    """Doubles numbers, one call at a time; waits at the gate first, and refuses negative ones."""

    def __init__(self) -> None:
        self.calls: list[list[int]] = []
        self.gate = threading.Event()
        self.entered = threading.Event()
        self.gate.set()

    def __call__(self, items: list[int]) -> list[int]:
        self.calls.append(items)
        self.entered.set()
        assert self.gate.wait(5)
        if min(items) < 0:
            raise ValueError("negative")
        return [item * 2 for item in items]


Start = Callable[..., Batcher[int, int]]


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
def start(model: Model) -> Iterator[Start]:
    """A batcher of the model, closed afterwards."""
    started: list[Batcher[int, int]] = []

    def make(max_items: int = 8, queue_limit: int = 100, remember: int = 0, busy_above: int = 0) -> Batcher[int, int]:
        started.append(Batcher("test", model, max_items, queue_limit, remember=remember, busy_above=busy_above))
        return started[-1]

    yield make
    model.gate.set()
    for batcher in started:
        batcher.close()


async def busy(batcher: Batcher[int, int], model: Model) -> asyncio.Task[list[int]]:
    """The worker stands at the closed gate with this task."""
    model.gate.clear()
    task = asyncio.create_task(batcher.submit([0]))
    await asyncio.to_thread(model.entered.wait, 5)
    return task


async def queued(batcher: Batcher[int, int], *requests: list[int]) -> list[asyncio.Task[list[int]]]:
    tasks = [asyncio.create_task(batcher.submit(items)) for items in requests]
    await asyncio.sleep(0)
    return tasks


async def test_results_come_back_in_order(start: Start) -> None:
    assert await start().submit([3, 1, 2]) == [6, 2, 4]
    assert await start().submit([]) == []


async def test_requests_that_wait_share_a_call_up_to_the_limit(start: Start, model: Model) -> None:
    batcher = start(max_items=4)
    first = await busy(batcher, model)
    rest = await queued(batcher, [1, 2], [3], [4], [5])
    model.gate.set()

    results = await asyncio.gather(first, *rest)

    assert results == [[0], [2, 4], [6], [8], [10]]
    assert model.calls == [[0], [1, 2, 3, 4], [5]]


async def test_the_event_loop_runs_on_while_the_model_works(start: Start, model: Model) -> None:
    task = await busy(start(), model)
    await asyncio.sleep(0.01)

    assert not task.done()


async def test_an_error_reaches_only_those_in_its_call(start: Start, model: Model) -> None:
    batcher = start(max_items=2)
    first = await busy(batcher, model)
    rest = await queued(batcher, [-1], [1], [2], [3])
    model.gate.set()

    results = await asyncio.gather(first, *rest, return_exceptions=True)

    assert [type(result) for result in results[1:3]] == [ValueError, ValueError]
    assert results[3:] == [[4], [6]]
    assert await batcher.submit([7]) == [14]


async def test_a_request_given_up_is_not_computed(start: Start, model: Model) -> None:
    batcher = start()
    first = await busy(batcher, model)
    gone, stays = await queued(batcher, [1], [2])
    gone.cancel()
    await asyncio.sleep(0)
    model.gate.set()

    assert (await first, await stays) == ([0], [4])
    assert model.calls == [[0], [2]]
    assert gone.cancelled()


async def test_too_much_waiting_work_is_refused_as_busy(start: Start, model: Model) -> None:
    batcher = start(queue_limit=3)
    first = await busy(batcher, model)
    waiting = await queued(batcher, [1, 2], [3])

    with pytest.raises(RetryableError, match="busy"):
        await batcher.submit([4])

    model.gate.set()
    assert await asyncio.gather(first, *waiting) == [[0], [2, 4], [6]]
    assert await batcher.submit([4]) == [8]


async def test_one_request_larger_than_the_queue_is_served_when_nothing_waits(start: Start) -> None:
    assert await start(queue_limit=2).submit([1, 2, 3]) == [2, 4, 6]


async def passed_over(batcher: Batcher[int, int]) -> None:
    """The worker has come by what was cancelled, which takes it a moment."""
    with anyio.fail_after(5):
        while True:
            with suppress(RetryableError):
                await batcher.submit([9])
                return
            await asyncio.sleep(0.001)


async def test_cancelled_work_frees_its_place_in_the_queue(start: Start, model: Model) -> None:
    batcher = start(queue_limit=1)
    first = await busy(batcher, model)
    (gone,) = await queued(batcher, [1])
    gone.cancel()
    model.gate.set()
    await first

    await passed_over(batcher)
    for number in range(3):
        assert await batcher.submit([number]) == [number * 2]


async def test_closing_finishes_what_waits_and_refuses_what_comes_after(start: Start, model: Model) -> None:
    batcher = start()
    first = await busy(batcher, model)
    waiting = await queued(batcher, [1], [2])
    closing = asyncio.create_task(asyncio.to_thread(batcher.close))
    await asyncio.sleep(0.02)
    model.gate.set()

    assert await asyncio.gather(first, *waiting) == [[0], [2], [4]]
    await closing
    with pytest.raises(RetryableError, match="shutting down"):
        await batcher.submit([3])


async def test_what_was_asked_lately_is_not_computed_again(start: Start, model: Model) -> None:
    batcher = start(remember=3)
    assert await batcher.submit([1, 2, 1]) == [2, 4, 2]
    assert await batcher.submit([2, 3]) == [4, 6]
    assert model.calls == [[1, 2], [3]]

    await batcher.submit([4])
    assert await batcher.submit([1]) == [2]
    assert model.calls[2:] == [[4], [1]]


async def test_a_failure_is_not_remembered(start: Start, model: Model) -> None:
    batcher = start(remember=3)
    for _ in range(2):
        with pytest.raises(ValueError, match="negative"):
            await batcher.submit([-1])
    assert len(model.calls) == 2


async def test_fewer_items_are_affordable_the_more_wait(start: Start, model: Model) -> None:
    batcher = start(busy_above=4)
    assert batcher.affordable(10, 3) == 10

    first = await busy(batcher, model)
    waiting = [asyncio.create_task(batcher.submit([n, n + 1])) for n in range(10, 18, 2)]
    await asyncio.sleep(0)
    assert batcher.affordable(10, 3) == 5
    waiting.append(asyncio.create_task(batcher.submit(list(range(30, 60)))))
    await asyncio.sleep(0)
    assert batcher.affordable(10, 3) == 3
    assert batcher.affordable(2, 3) == 2

    model.gate.set()
    await asyncio.gather(first, *waiting)
    assert batcher.affordable(10, 3) == 10


async def test_what_was_foreseen_is_made_once_and_handed_over(start: Start, model: Model) -> None:
    batcher = start()
    batcher.foresee(1)
    batcher.foresee(1)
    assert await batcher.submit([2, 1]) == [4, 2]
    assert sorted(item for call in model.calls for item in call) == [1, 2]
    assert await batcher.submit([1]) == [2]


async def test_nothing_is_foreseen_while_others_wait(start: Start, model: Model) -> None:
    batcher = start(max_items=1)
    running = await busy(batcher, model)
    waiting = asyncio.create_task(batcher.submit([5]))
    await asyncio.sleep(0)
    batcher.foresee(7)
    model.gate.set()
    await asyncio.gather(running, waiting)
    assert [7] not in model.calls


async def test_nothing_is_foreseen_where_nobody_waits(start: Start, model: Model) -> None:
    batcher = start()
    with nobody_waits():
        batcher.foresee(7)
    batcher.close()
    assert model.calls == []


async def test_a_foreseen_failure_is_the_failure_of_who_asks(start: Start, model: Model) -> None:
    batcher = start()
    batcher.foresee(-1)
    with pytest.raises(ValueError, match="negative"):
        await batcher.submit([-1])


async def test_nothing_is_foreseen_after_the_end(start: Start, model: Model) -> None:
    batcher = start()
    batcher.close()
    batcher.foresee(1)
    assert model.calls == []


async def test_what_nobody_came_for_is_dropped(start: Start, model: Model) -> None:
    batcher = start()
    for item in range(3 * MOST_FORESEEN):
        batcher.foresee(item)
    assert len(batcher._foreseen) <= MOST_FORESEEN
    assert await batcher.submit([0, 1]) == [0, 2]


async def unhurried(batcher: Batcher[int, int], items: list[int]) -> asyncio.Task[list[int]]:
    with nobody_waits():
        [task] = await queued(batcher, items)
    return task


async def test_what_nobody_waits_for_goes_last_in_pieces_of_its_own(start: Start, model: Model) -> None:
    batcher = start()
    first = await busy(batcher, model)
    idle = await unhurried(batcher, [1, 2, 3])
    visitors = await queued(batcher, [4], [5])
    model.gate.set()

    assert await asyncio.gather(first, idle, *visitors) == [[0], [2, 4, 6], [8], [10]]
    assert model.calls == [[0], [4, 5], [1, 2], [3]]


async def test_the_end_does_not_wait_for_what_nobody_does(start: Start, model: Model) -> None:
    batcher = start()
    first = await busy(batcher, model)
    idle = await unhurried(batcher, [1, 2, 3])
    threading.Timer(0.01, model.gate.set).start()
    batcher.close()

    assert await first == [0]
    with pytest.raises(RetryableError, match="shutting down"):
        await idle
    assert model.calls == [[0], [1, 2]]


async def test_what_nobody_waits_for_does_not_make_the_model_busy(start: Start, model: Model) -> None:
    batcher = start(queue_limit=2, busy_above=1)
    first = await busy(batcher, model)
    idle = await unhurried(batcher, [1, 2])

    assert batcher.affordable(8, 2) == 8
    [visitor] = await queued(batcher, [3, 4])
    model.gate.set()
    assert (await visitor, await idle, await first) == ([6, 8], [2, 4], [0])
