"""Signed JSON to an address of the operator's."""

from __future__ import annotations

import json
from collections.abc import Callable

import httpx

from handrail.accounts import signing
from handrail.desk.outbox import Notification, Remember
from handrail.desk.outbox.channels.http import call


class Webhook:
    """`clock` returns seconds since the epoch."""

    def __init__(self, http: httpx.AsyncClient, url: str, secret: str, clock: Callable[[], float]) -> None:
        self._http = http
        self._url = url
        self._secret = secret
        self._clock = clock

    async def send(self, notification: Notification, remember: Remember) -> None:
        """Signed anew for each try, since signatures grow old; the key stays the same."""
        event = {
            "id": notification.id,
            "tenant": notification.tenant,
            "created_at": notification.created_at,
            **notification.payload,
        }
        body = json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode()
        headers = {
            "Content-Type": "application/json",
            "Idempotency-Key": notification.id,
            "X-Handrail-Event": str(notification.payload["event"]),
            signing.HEADER: signing.sign(self._secret, body, self._clock()),
        }
        await call(self._http, "POST", self._url, content=body, headers=headers)
