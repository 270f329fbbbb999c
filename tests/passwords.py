"""Argon2 at a fraction of its price, which is a fifth of a second on purpose: tests sign in hundreds of times."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from argon2 import PasswordHasher

from handrail.accounts import passwords


@pytest.fixture(scope="session", autouse=True)
def cheap_hashes() -> Iterator[None]:
    """For tests of a folder whose conftest.py imports this; `tests/accounts/test_passwords.py` has the real price."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passwords, "_hasher", PasswordHasher(time_cost=1, memory_cost=64, parallelism=1))
        yield
