"""How passwords are kept."""

from __future__ import annotations

import pytest

from handrail.accounts.passwords import _hasher, hash_password, matches

pytestmark = pytest.mark.anyio


async def test_a_hash_is_of_its_password_only_and_dear_to_try() -> None:
    hashed = await hash_password("correct horse battery")

    assert hashed.startswith("$argon2id$")
    assert await matches(hashed, "correct horse battery")
    assert not await matches(hashed, "correct horse")
    assert not await matches(None, "correct horse battery")
    # At least what RFC 9106 recommends where memory is short.
    assert (_hasher.memory_cost, _hasher.time_cost) >= (64 * 1024, 3)
