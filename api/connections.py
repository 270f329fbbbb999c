"""Connections on which no request comes, or one with no end of headers, are closed: each holds a socket and memory."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

REQUEST_S = 20.0
"""How long the line and the headers of a request may take, from the connection or from the first byte on."""
MOST_BYTES = 64 * 1024
"""Of the line and the headers together."""


class Patient(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """uvicorn's protocol, which by itself waits for ever and keeps all that it is sent."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._received = 0
        self._late: asyncio.TimerHandle | None = None
        self._wait()

    def data_received(self, data: bytes) -> None:
        before: Any = self.cycle
        heads = before is None or not before.more_body
        super().data_received(data)
        if self.cycle is not before:
            self._received = 0
            self._wait_no_longer()
            return
        if heads:
            self._received += len(data)
        if self._received > MOST_BYTES:
            self._end(b"431 Request Header Fields Too Large")
        elif before is None or before.response_complete:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._wait_no_longer()
        super().connection_lost(exc)

    def _wait(self) -> None:
        if self._late is None:
            self._late = self.loop.call_later(REQUEST_S, self._end, b"408 Request Timeout")

    def _wait_no_longer(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _end(self, status: bytes) -> None:
        if self.transport.is_closing():
            return
        if self.cycle is None or self.cycle.response_complete:  # no other response is being written
            self.transport.write(b"HTTP/1.1 " + status + b"\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        self.transport.close()
