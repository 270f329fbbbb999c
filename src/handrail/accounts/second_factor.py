"""The desk's second factor: one-time codes of an authenticator app (RFC 6238), and recovery codes if it is lost."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256

import pyotp

from handrail.accounts.passwords import new_password
from handrail.records.desk_tables import UserRow
from handrail.records.second_factors import SecondFactorRecords

STEP_S = 30
AROUND = (0, -1, 1)
"""Steps that are taken besides the present one, for clocks that differ and people who type slowly."""
RECOVERY_CODES = 10


@dataclass(frozen=True, slots=True)
class Setup:
    """What an authenticator app is told, as text and as a link."""

    secret: str
    uri: str


class SecondFactors:
    """Those of one tenant's users; `clock` returns seconds since the epoch."""

    def __init__(self, records: SecondFactorRecords, issuer: str, clock: Callable[[], float]) -> None:
        self._records = records
        self._issuer = issuer
        self._clock = clock

    async def is_on(self, user_id: str) -> bool:
        row = await self._records.of(user_id)
        return row is not None and row.active

    async def recovery_left(self, user_id: str) -> int:
        row = await self._records.of(user_id)
        return len(row.recovery) if row is not None and row.active else 0

    async def begin(self, user: UserRow) -> Setup | None:
        """A new secret, asked for once it is confirmed; None where one is on already."""
        secret = pyotp.random_base32()
        if not await self._records.begin(user.id, secret):
            return None
        return Setup(secret, pyotp.TOTP(secret).provisioning_uri(name=user.email, issuer_name=self._issuer))

    async def confirm(self, user_id: str, code: str) -> Sequence[str] | None:
        """Turn it on with a code of the app; the recovery codes, told once. None for a wrong code."""
        row = await self._records.of(user_id)
        step = self._step(row.secret, code) if row is not None and not row.active else None
        return await self._activated(user_id, row.secret, step) if row is not None and step is not None else None

    async def turn_on(self, user: UserRow) -> tuple[Setup, Sequence[str]] | None:
        """Turn it on without a code of the app, for an operator; None where it is on already."""
        setup = await self.begin(user)
        codes = await self._activated(user.id, setup.secret, 0) if setup is not None else None
        return (setup, codes) if setup is not None and codes is not None else None

    async def passes(self, user_id: str, code: str) -> bool:
        """Whether it is a code of the app, or a recovery code, that was not used before. It is used now."""
        row = await self._records.of(user_id)
        if row is None or not row.active:
            return False
        step = self._step(row.secret, code)
        if step is not None:
            return await self._records.use_step(user_id, step)
        return await self._records.use_recovery(user_id, _hash(code))

    async def turn_off(self, user_id: str) -> bool:
        """Whether it was on, or begun."""
        return await self._records.drop(user_id)

    async def _activated(self, user_id: str, secret: str, step: int) -> Sequence[str] | None:
        codes = [new_password() for _ in range(RECOVERY_CODES)]
        on = await self._records.activate(user_id, secret, step, [_hash(code) for code in codes])
        return codes if on else None

    def _step(self, secret: str, code: str) -> int | None:
        """The step that the code belongs to."""
        totp, now, given = pyotp.TOTP(secret), int(self._clock() // STEP_S), "".join(code.split())
        steps = (now + off for off in AROUND)
        return next(
            (step for step in steps if hmac.compare_digest(totp.at(step * STEP_S).encode(), given.encode())), None
        )


def _hash(recovery: str) -> str:
    return sha256("".join(recovery.lower().split()).replace("-", "").encode()).hexdigest()
