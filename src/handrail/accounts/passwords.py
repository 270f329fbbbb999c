"""Passwords as Argon2id hashes."""

from __future__ import annotations

import asyncio
import secrets
from concurrent.futures import ThreadPoolExecutor
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

SHORTEST = 10
LONGEST = 200

_hasher = PasswordHasher()
_two_at_a_time = ThreadPoolExecutor(2, thread_name_prefix="passwords")
"""A hash takes 64 MiB. Threads of its own: whoever signs in waits for no question."""


async def hash_password(password: str) -> str:
    return await asyncio.get_running_loop().run_in_executor(_two_at_a_time, _hash, password)


async def matches(password_hash: str | None, password: str) -> bool:
    """Whether it is the password; False for no hash or an empty one, after the same time."""
    return await asyncio.get_running_loop().run_in_executor(_two_at_a_time, _verify, password_hash, password)


def new_password() -> str:
    """Four groups of five letters and digits: 95 bits and more, typed without mistakes."""
    alphabet = "23456789abcdefghjkmnpqrstuvwxyz"
    return "-".join("".join(secrets.choice(alphabet) for _ in range(5)) for _ in range(4))


@cache
def _nobody() -> str:
    """Checked when there is no such user, so that the time taken tells nothing."""
    return _hasher.hash(secrets.token_hex(8))


def _hash(password: str) -> str:
    return _hasher.hash(password)


def _verify(password_hash: str | None, password: str) -> bool:
    instead = _nobody()  # made for whoever signs in first, known or not
    try:
        return _hasher.verify(password_hash or instead, password[:LONGEST]) and bool(password_hash)
    except (VerificationError, InvalidHashError):
        return False
