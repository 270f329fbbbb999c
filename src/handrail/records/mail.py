"""Which addresses a conversation has confirmed, and how many e-mails went out: checked and counted in one step."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy import Select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from handrail.errors import PermanentError
from handrail.records import RecordsUnavailable
from handrail.records.mail_tables import MailConfirmationRow, MailCountRow
from handrail.records.repository import Repository

T = TypeVar("T")

ATTEMPTS = 8


@dataclass(frozen=True, slots=True)
class Bound:
    """At most `limit` e-mails a UTC day for `key` within `scope`."""

    scope: str
    key: str
    limit: int


class Full(PermanentError):
    """A bound is reached: nothing was counted, and the transaction has to be given up."""

    def __init__(self, scope: str) -> None:
        super().__init__(f"no more e-mail today: {scope}")
        self.scope = scope


class MailRecords(Repository):
    """E-mail to the visitors of one tenant."""

    async def alone(self, work: Callable[[AsyncSession], Awaitable[T]]) -> T:
        """`work` in one transaction; done again where others have just written the same rows first."""
        for _ in range(ATTEMPTS):
            with suppress(IntegrityError):
                async with self._database.transaction() as session:
                    return await work(session)
        raise RecordsUnavailable(f"can't count an e-mail: other writes interfered {ATTEMPTS} times")

    async def count(self, session: AsyncSession, bounds: Sequence[Bound], day: int) -> None:
        """Count one e-mail under every bound. Raises Full when one is reached.

        Each count is raised by a statement that also checks it, and its row stays locked until the transaction is
        over, so that of many requests at once no more than the limit get through. Callers keep the order of scopes.
        """
        for bound in bounds:
            raised: Any = await session.execute(
                self._change(MailCountRow)
                .where(*_where(bound, day), MailCountRow.sent < bound.limit)
                .values(sent=MailCountRow.sent + 1)
            )
            if raised.rowcount:
                continue
            if (await session.scalars(self._rows(MailCountRow).where(*_where(bound, day)))).first() is not None:
                raise Full(bound.scope)
            session.add(MailCountRow(tenant=self._tenant, day=day, scope=bound.scope, key=bound.key, sent=1))
            await session.flush()

    async def confirmation(
        self, session: AsyncSession, conversation_id: str, address: str
    ) -> MailConfirmationRow | None:
        """The row of an address (its hash), locked until the transaction is over; changes to it are kept."""
        query: Select[MailConfirmationRow] = self._rows(MailConfirmationRow).where(
            MailConfirmationRow.conversation_id == conversation_id, MailConfirmationRow.address == address
        )
        return (await session.scalars(query.with_for_update())).one_or_none()

    def new_code(
        self, session: AsyncSession, row: MailConfirmationRow | None, conversation_id: str, address: str, **values: Any
    ) -> None:
        """Replace the code of an address, or write its first one."""
        if row is None:
            row = MailConfirmationRow(tenant=self._tenant, conversation_id=conversation_id, address=address)
            session.add(row)
        for name, value in values.items():
            setattr(row, name, value)


def _where(bound: Bound, day: int) -> tuple[Any, ...]:
    return MailCountRow.day == day, MailCountRow.scope == bound.scope, MailCountRow.key == bound.key
