"""The operator's endpoint, asked what is known of a customer whom a signed context names."""

from __future__ import annotations

import asyncio
import json
import time
from collections import OrderedDict
from collections.abc import Callable

import httpx

from handrail.accounts import signing
from handrail.accounts.customer import Context, cleaned
from handrail.errors import RetryableError
from handrail.settings import Customer
from handrail.types import Question

CUSTOMER = "customer_id"
MOST_BYTES = 20_000
MOST_KEPT = 2000
"""Answers that a process keeps at once."""
FAILED_TTL_S = 5.0
"""Seconds a failing endpoint is left alone for one customer."""


class NotKnown(RetryableError):
    """The endpoint failed: the turn goes on with what is signed."""


class CustomerHook:
    """Answers are kept for a while. `clock` is monotonic, `wall` returns seconds since the epoch."""

    def __init__(
        self,
        settings: Customer,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._wall = wall
        self._kept: OrderedDict[str, tuple[float, Context | None]] = OrderedDict()
        self._asking: dict[str, asyncio.Task[Context]] = {}

    async def known(self, question: Question) -> Context:
        """The endpoint's answer over the signed context; nobody is asked about somebody a page merely names.

        Raises NotKnown when the endpoint fails or takes too long.
        """
        customer = question.context.get(CUSTOMER)
        if customer is None:
            return question.context
        return {**question.context, **await self._of(str(customer)), CUSTOMER: customer}

    async def _of(self, customer: str) -> Context:
        until, kept = self._kept.get(customer, (float("-inf"), None))
        if self._clock() < until:
            if kept is None:
                raise NotKnown("the customer endpoint failed recently")
            return kept
        task = self._asking.get(customer)
        if task is None:
            task = self._asking[customer] = asyncio.create_task(self._ask(customer))
            task.add_done_callback(lambda done: self._over(customer, done))
        return await asyncio.shield(task)

    def _over(self, customer: str, done: asyncio.Task[Context]) -> None:
        """Everybody who waited may have gone on without it, so its failure is looked at here."""
        self._asking.pop(customer, None)
        if not done.cancelled():
            done.exception()

    async def _ask(self, customer: str) -> Context:
        try:
            found: Context | None = cleaned(await self._fetch(customer))
        except (httpx.HTTPError, ValueError, TimeoutError, RecursionError):
            found = None
        ttl = FAILED_TTL_S if found is None else self._settings.ttl_s
        self._kept[customer] = (self._clock() + ttl, found)
        self._kept.move_to_end(customer)
        while len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)
        if found is None:
            raise NotKnown("the customer endpoint doesn't respond as expected")
        return found

    async def _fetch(self, customer: str) -> object:
        url, secret = self._settings.url, self._settings.secret
        if url is None or secret is None:
            return {}
        body = json.dumps({CUSTOMER: customer}, separators=(",", ":")).encode()
        headers = {
            "Content-Type": "application/json",
            signing.HEADER: signing.sign(secret.get_secret_value(), body, self._wall()),
        }
        timeout = self._settings.timeout_s
        async with (
            asyncio.timeout(timeout),
            httpx.AsyncClient(timeout=timeout, follow_redirects=False, trust_env=False) as http,
            http.stream("POST", url, content=body, headers=headers) as response,
        ):
            if response.status_code == 404:
                return {}
            if response.status_code != 200:
                raise ValueError(f"the customer endpoint answered {response.status_code}")
            read = bytearray()
            async for part in response.aiter_bytes():
                read += part
                if len(read) > MOST_BYTES:
                    raise ValueError("the customer endpoint's response is too large")
        answer = json.loads(read)
        if not isinstance(answer, dict):
            raise ValueError("the customer endpoint didn't return a JSON object")
        return answer
