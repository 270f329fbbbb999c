"""Calls of an operator's address: no redirects, bounded time, and what an answer means for a letter."""

from __future__ import annotations

from typing import Any

import httpx

from handrail.desk.outbox import Undeliverable, Undelivered

LATER = frozenset({408, 425, 429})
MOST_BYTES = 1_000_000


def client(timeout_s: float) -> httpx.AsyncClient:
    """Proxies of the environment are not used: what is sent is for the address in the settings alone."""
    return httpx.AsyncClient(timeout=timeout_s, follow_redirects=False, trust_env=False)


async def call(http: httpx.AsyncClient, method: str, url: str, **options: Any) -> httpx.Response:
    """The response of a call that went well. Raises Undelivered and Undeliverable; neither shows the address's path."""
    host = httpx.URL(url).host
    try:
        async with http.stream(method, url, **options) as response:
            body = await _read(response)
    except (httpx.InvalidURL, httpx.UnsupportedProtocol):
        raise Undeliverable(f"{host}: not a valid http or https URL") from None
    except httpx.HTTPError as error:
        raise Undelivered(f"{host}: {type(error).__name__}") from None
    if response.is_success:
        return httpx.Response(response.status_code, headers=_plain(response), content=body, request=response.request)
    if response.is_redirect:
        raise Undeliverable(f"{host} redirects ({response.status_code}). Use the final address in the settings")
    if response.status_code in LATER or response.status_code >= 500:
        raise Undelivered(f"{host} answered {response.status_code}", _retry_after(response))
    raise Refused(host, response.status_code)


class Refused(Undeliverable):
    """A client error: the same letter will not be taken later either."""

    def __init__(self, host: str, status: int) -> None:
        super().__init__(f"{host} answered {status}")
        self.status = status


async def _read(response: httpx.Response) -> bytes:
    read = bytearray()
    async for part in response.aiter_bytes():
        read += part
        if len(read) > MOST_BYTES:
            raise Undelivered(f"{response.url.host} sent more than {MOST_BYTES} bytes")
    return bytes(read)


def _plain(response: httpx.Response) -> dict[str, str]:
    return {"content-type": response.headers.get("content-type", "")}


def _retry_after(response: httpx.Response) -> float | None:
    value = response.headers.get("retry-after", "")
    return float(value) if value.isdigit() and len(value) < 9 else None
