"""Fetching from an operator's sources: slowly enough, only from their own host, and only what has changed."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from ipaddress import IPv6Address, ip_address

import httpx

from handrail.errors import KnowledgeError
from handrail.knowledge.sources.kept import Fetched, Kept

AGENT = "handrail"
TIMEOUT_S = 30.0
ATTEMPTS = 4
LONGEST_WAIT_S = 120.0
"""A server that asks for a longer pause is left for the next run."""
REDIRECTS = 5
LATER = frozenset((408, 425, 429, 500, 502, 503, 504))
GONE = frozenset((404, 410))


class Gone(KnowledgeError):
    """There is no such page any more."""


class Refused(KnowledgeError):
    """Only who signs in may read the page."""


class Elsewhere(KnowledgeError):
    """A page redirects to another host."""


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    headers: httpx.Headers
    body: bytes


class Web:
    def __init__(
        self,
        kept: Kept,
        headers: Mapping[str, str],
        per_minute: int,
        *,
        private_network: bool,
        sleep: Callable[[float], None],
    ) -> None:
        """Proxies of the environment are not used: `headers` may hold credentials, which are for the host alone."""
        self._kept = kept
        self._private = private_network
        self._sleep = sleep
        self._pause = 60 / per_minute
        self._free_at = 0.0
        self._client = httpx.Client(
            headers={"User-Agent": AGENT, **headers}, timeout=TIMEOUT_S, follow_redirects=False, trust_env=False
        )

    def slow_down(self, seconds: float) -> None:
        """At least so long between two requests."""
        self._pause = max(self._pause, min(seconds, LONGEST_WAIT_S))

    def held(self, address: str) -> Fetched | None:
        """The page as it was last fetched."""
        return self._kept.page(address)

    def page(self, address: str, max_bytes: int, listed: str = "") -> Fetched:
        """The page as it is now; one that has not changed isn't sent again.

        `listed` is what the site map says of its last change, which is believed where the server says nothing.
        Raises Gone, Refused, Elsewhere and KnowledgeError.
        """
        held = self._kept.page(address)
        if held and listed and held.listed == listed and not (held.etag or held.modified):
            return held
        asked = {"If-None-Match": held.etag, "If-Modified-Since": held.modified} if held else {}
        final, answer = self._follow(address, max_bytes, {key: value for key, value in asked.items() if value})
        if answer.status == 304 and held:
            found = replace(held, final=final, listed=listed)
        else:
            say = answer.headers.get
            kind, robots = say("content-type", "").partition(";")[0].strip().lower(), say("x-robots-tag", "").lower()
            etag, modified = say("etag", ""), say("last-modified", "")
            found = Fetched(final, kind, robots, answer.body, etag, modified, listed)
        if found != held:
            self._kept.keep(address, found)
        return found

    def _follow(self, address: str, max_bytes: int, headers: Mapping[str, str]) -> tuple[str, _Answer]:
        try:
            url = httpx.URL(address)
            for _ in range(REDIRECTS + 1):
                answer = self._patiently(url, max_bytes, headers)
                location = answer.headers.get("location", "")
                if answer.status not in (301, 302, 303, 307, 308) or not location:
                    return str(url), answer
                onward = url.join(location)
                if _place(onward) != _place(url) and not _more_secure(url, onward):
                    raise Elsewhere(f"redirects to another host, {onward.host}")
                url = onward
        except (httpx.InvalidURL, httpx.UnsupportedProtocol):
            raise KnowledgeError(f"{address}: not a valid http or https address") from None
        raise KnowledgeError(f"{address}: redirects more than {REDIRECTS} times")

    def _patiently(self, url: httpx.URL, max_bytes: int, headers: Mapping[str, str]) -> _Answer:
        """Tried again while the server is busy. Raises Gone and KnowledgeError, which never show what was sent."""
        why = ""
        for attempt in range(ATTEMPTS):
            try:
                answer = self._once(url, max_bytes, headers)
            except httpx.RequestError as error:
                wait, why = 2.0**attempt, f"{url.host}: {type(error).__name__}"
            else:
                if answer.status in GONE:
                    raise Gone(f"{url}: answered {answer.status}")
                if answer.status < 400:
                    return answer
                why = f"{url} answered {answer.status}"
                if answer.status in (401, 403):
                    raise Refused(f"{why}; check the source's credentials (`auth`)")
                if answer.status not in LATER:
                    break
                asked = _retry_after(answer.headers.get("retry-after", ""))
                wait = 2.0**attempt if asked is None else asked
                if wait > LONGEST_WAIT_S:
                    raise KnowledgeError(f"{why} and asks to wait {wait:.0f} s; run the sync again later")
            if attempt < ATTEMPTS - 1:
                self._sleep(wait)
        raise KnowledgeError(why)

    def _once(self, url: httpx.URL, max_bytes: int, headers: Mapping[str, str]) -> _Answer:
        self._refuse_private(url)
        now = time.monotonic()
        if now < self._free_at:
            self._sleep(self._free_at - now)
        self._free_at = time.monotonic() + self._pause
        with self._client.stream("GET", url, headers=dict(headers)) as response:
            stream = response.extensions.get("network_stream")
            if stream is not None:  # the name may lead elsewhere than it did a moment ago
                self._refuse(url.host, str(stream.get_extra_info("server_addr")[0]))
            body = bytearray()
            for part in response.iter_bytes():
                body += part
                if len(body) > max_bytes:
                    raise KnowledgeError(f"{url}: more than {max_bytes} bytes")
        return _Answer(response.status_code, response.headers, bytes(body))

    def _refuse_private(self, url: httpx.URL) -> None:
        if not self._private and url.host:
            for address in addresses(url.host):
                self._refuse(url.host, address)

    def _refuse(self, host: str, address: str) -> None:
        if not self._private:
            refuse_private(host, address)


def addresses(host: str) -> list[str]:
    """Raises KnowledgeError where the name is unknown."""
    try:
        return [str(found[4][0]) for found in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)]
    except (OSError, UnicodeError):
        raise KnowledgeError(f"{host}: unknown host; check the address") from None


def refuse_private(host: str, address: str) -> None:
    """Raises KnowledgeError for an address that is not of the public internet."""
    ip = ip_address(address.partition("%")[0])
    ip = ip.ipv4_mapped or ip if isinstance(ip, IPv6Address) else ip
    if not ip.is_global or ip.is_multicast:
        raise KnowledgeError(
            f"{host}: {address} is a private address; set private_network = true if this source is meant"
        )


def _place(url: httpx.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port


def _more_secure(url: httpx.URL, onward: httpx.URL) -> bool:
    return url.host == onward.host and (url.scheme, onward.scheme) == ("http", "https")


def _retry_after(said: str) -> float | None:
    """Seconds, from a number or a date."""
    if said.isascii() and said.isdigit() and len(said) < 9:
        return float(said)
    with suppress(ValueError, TypeError):
        until = parsedate_to_datetime(said)
        return max(0.0, (until.astimezone(UTC) - datetime.now(UTC)).total_seconds())
    return None
