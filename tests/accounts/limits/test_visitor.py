"""Which address a request is counted for."""

import pytest

from handrail.accounts.limits.visitor import visitor_of


@pytest.mark.parametrize(
    ("peer", "forwarded", "trusted", "expected"),
    [
        ("192.0.2.1", [], 0, "192.0.2.1"),
        ("192.0.2.1", ["198.51.100.7"], 0, "192.0.2.1"),
        ("10.0.0.1", ["198.51.100.7"], 1, "198.51.100.7"),
        ("10.0.0.1", ["203.0.113.9, 198.51.100.7"], 1, "198.51.100.7"),
        ("10.0.0.1", ["203.0.113.9, 198.51.100.7, 10.0.0.2"], 2, "198.51.100.7"),
        ("10.0.0.1", ["203.0.113.9", "198.51.100.7"], 1, "198.51.100.7"),
        ("10.0.0.1", ["198.51.100.7"], 5, "198.51.100.7"),
        ("10.0.0.1", ["not an address"], 1, "10.0.0.1"),
        ("10.0.0.1", ["198.51.100.7:50112"], 1, "198.51.100.7"),
        ("10.0.0.1", ["[2001:db8::1]:443"], 1, "2001:db8::/64"),
        (None, [], 0, "unknown"),
    ],
)
def test_exactly_the_trusted_hops_are_believed(
    peer: str | None, forwarded: list[str], trusted: int, expected: str
) -> None:
    assert visitor_of(peer, forwarded, trusted) == expected


def test_one_network_is_one_visitor() -> None:
    home = {visitor_of(f"2001:db8:0:1::{n}", [], 0) for n in range(5)}

    assert home == {"2001:db8:0:1::/64"}
    assert visitor_of("2001:db8:0:2::1", [], 0) not in home


def test_ipv4_in_ipv6_clothes_is_the_same_visitor() -> None:
    assert visitor_of("::ffff:192.0.2.1", [], 0) == visitor_of("192.0.2.1", [], 0)


def test_interface_of_a_link_local_address_is_left_out() -> None:
    assert visitor_of("fe80::1%eth0", [], 0) == "fe80::/64"
