"""Users of the desk and their sessions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from sqlalchemy.exc import IntegrityError

from handrail.errors import PermanentError
from handrail.records.desk_tables import SessionRow, UserRow
from handrail.records.repository import Repository


class EmailTaken(PermanentError):
    """There is a user with this address already."""


class People(Repository):
    """Users and sessions of one tenant."""

    async def add(
        self, email: str, name: str, role: str, password_hash: str, now: float, *, subject: str | None = None
    ) -> UserRow:
        """A new user. Raises EmailTaken."""
        user = UserRow(
            tenant=self._tenant,
            id=uuid4().hex,
            email=email.strip().lower(),
            name=name,
            role=role,
            password_hash=password_hash,
            active=True,
            created_at=now,
            subject=subject,
        )
        try:
            async with self._database.transaction() as session:
                session.add(user)
        except IntegrityError:
            raise EmailTaken(f"there is already a user {user.email}") from None
        return user

    async def by_email(self, email: str) -> UserRow | None:
        async with self._database.read_session() as session:
            return (await session.scalars(self._rows(UserRow).where(UserRow.email == email.strip().lower()))).first()

    async def by_subject(self, subject: str) -> UserRow | None:
        """Whom a provider knows by that subject."""
        async with self._database.read_session() as session:
            return (await session.scalars(self._rows(UserRow).where(UserRow.subject == subject))).first()

    async def by_id(self, user_id: str) -> UserRow | None:
        async with self._database.read_session() as session:
            return (await session.scalars(self._rows(UserRow).where(UserRow.id == user_id))).first()

    async def all(self) -> Sequence[UserRow]:
        async with self._database.read_session() as session:
            return (await session.scalars(self._rows(UserRow).order_by(UserRow.name, UserRow.email))).all()

    async def change(self, user_id: str, **values: Any) -> None:
        """New values of a user's columns; whoever is disabled or gets another password is signed out everywhere."""
        async with self._database.transaction() as session:
            await session.execute(self._change(UserRow).where(UserRow.id == user_id).values(**values))
            if "password_hash" in values or values.get("active") is False:
                await session.execute(self._remove(SessionRow).where(SessionRow.user_id == user_id))

    async def open_session(self, token_hash: str, user_id: str, csrf: str, now: float, expires_at: float) -> None:
        """Begin a session, and drop those that have run out."""
        async with self._database.transaction() as session:
            await session.execute(self._remove(SessionRow).where(SessionRow.expires_at < now))
            session.add(
                SessionRow(
                    tenant=self._tenant,
                    token_hash=token_hash,
                    user_id=user_id,
                    csrf=csrf,
                    expires_at=expires_at,
                    created_at=now,
                )
            )

    async def session(self, token_hash: str, now: float) -> tuple[UserRow, SessionRow] | None:
        """The active user of a session that has not run out."""
        query = (
            self._rows(SessionRow)
            .add_columns(UserRow)
            .join(UserRow, (UserRow.tenant == SessionRow.tenant) & (UserRow.id == SessionRow.user_id))
            .where(SessionRow.token_hash == token_hash, SessionRow.expires_at >= now, UserRow.active)
        )
        async with self._database.read_session() as session:
            found = (await session.execute(query)).first()
            return (found[1], found[0]) if found else None

    async def close_session(self, token_hash: str) -> None:
        async with self._database.transaction() as session:
            await session.execute(self._remove(SessionRow).where(SessionRow.token_hash == token_hash))
