"""Who is asking, as far as limits are concerned: a network address behind a known number of proxies."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

UNKNOWN = "unknown"


def visitor_of(peer: str | None, forwarded_for: Sequence[str], trusted_proxies: int) -> str:
    """The visitor's IPv4 address or IPv6 /64 network; `unknown` where there is none, as on a Unix socket.

    `forwarded_for` holds the X-Forwarded-For header lines in order. The last `trusted_proxies` hops are believed and
    no more: what a visitor wrote into the header himself is further to the left.
    """
    named = [hop.strip() for line in forwarded_for for hop in line.split(",")]
    chain = [*named, peer or ""]
    first_believed = max(0, len(chain) - 1 - trusted_proxies)
    addresses = (_address(hop) for hop in chain[first_believed:])
    return next((_grouped(address) for address in addresses if address is not None), UNKNOWN)


def _address(hop: str) -> IPv4Address | IPv6Address | None:
    if hop.startswith("["):
        hop = hop[1:].partition("]")[0]
    elif hop.count(":") == 1:
        hop = hop.partition(":")[0]
    try:
        return ip_address(hop.partition("%")[0])
    except ValueError:
        return None


def _grouped(address: IPv4Address | IPv6Address) -> str:
    if isinstance(address, IPv4Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ip_network((address, 64), strict=False))
