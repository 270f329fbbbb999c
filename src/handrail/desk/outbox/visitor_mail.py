"""E-mail at a visitor's wish: only to an address whose owner has shown a code sent there, and few a day.

The first e-mail to an address holds fixed words and a code, and nothing that a visitor wrote.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256

from sqlalchemy.ext.asyncio import AsyncSession

from handrail.accounts.limits import Denied
from handrail.accounts.limits.rules import DAY, Rule
from handrail.desk.outbox import NewNotification
from handrail.records.mail import Bound, Full, MailRecords
from handrail.records.mail_tables import MailConfirmationRow
from handrail.records.outbox import OutboxRecords
from handrail.settings import Settings
from handrail.text.language import base
from handrail.turn.wording import load_wording

CODE_S = 1800
"""Seconds a code is good for."""
TRIES = 5
"""Wrong codes after which another one has to be asked for."""


@dataclass(frozen=True, slots=True)
class Wish:
    """Who wants a conversation sent to an address."""

    conversation_id: str
    visitor_id: str
    client: str
    """Network address of the visitor, as limits count it."""
    to: str
    """One address, checked by `one_address`."""
    lang: str
    reference: str | None = None


@dataclass(frozen=True, slots=True)
class Confirmed:
    """The conversation may be sent to the address."""


@dataclass(frozen=True, slots=True)
class CodeSent:
    """A code is on its way to the address; `valid_s` is how many seconds it is good for."""

    valid_s: int = CODE_S


@dataclass(frozen=True, slots=True)
class CodeWrong:
    """`left` more tries; with none, or after its time, another code is needed."""

    left: int


@dataclass(frozen=True, slots=True)
class Queued:
    """The conversation is in the outbox."""


def six_digits() -> str:
    return f"{secrets.randbelow(1_000_000):06}"


class VisitorMail:
    """`clock` returns seconds since the epoch; `secret` keys the hashes under which addresses and people are kept."""

    def __init__(
        self,
        records: MailRecords,
        outbox: OutboxRecords,
        settings: Settings,
        secret: bytes,
        clock: Callable[[], float],
        new_code: Callable[[], str] = six_digits,
    ) -> None:
        self._records = records
        self._outbox = outbox
        self._settings = settings
        self._secret = secret
        self._clock = clock
        self._new_code = new_code

    @property
    def possible(self) -> bool:
        """Whether e-mail is set up at all."""
        return self._settings.alerts.mails

    async def confirm(self, wish: Wish, code: str | None) -> Confirmed | CodeSent | CodeWrong | Denied:
        """Whether the address is confirmed, now that `code` was entered; without a code, one is sent where needed."""
        address = self._hash("address", _exact(wish.to))

        async def step(session: AsyncSession) -> Confirmed | CodeSent | CodeWrong:
            now = self._clock()
            row = await self._records.confirmation(session, wish.conversation_id, address)
            if row is not None and row.confirmed_at is not None:
                return Confirmed()
            if code is None:
                await self._count(session, "code", wish, now)
                # Read again: counting has waited for whoever asked at the same moment.
                row = row or await self._records.confirmation(session, wish.conversation_id, address)
                self._send_code(session, wish, address, row, now)
                return CodeSent()
            if row is None or row.tries <= 0 or row.expires_at < now:
                return CodeWrong(0)
            if hmac.compare_digest(row.code, self._code_hash(wish, address, code)):
                row.confirmed_at, row.tries = now, 0
                return Confirmed()
            row.tries -= 1
            return CodeWrong(row.tries)

        try:
            return await self._records.alone(step)
        except Full as full:
            return self._denied(full)

    async def send(self, wish: Wish, text: str) -> Queued | Denied:
        """Put the conversation into the outbox, whose worker sends it. Raises ValueError for an unconfirmed address."""
        address = self._hash("address", _exact(wish.to))

        async def step(session: AsyncSession) -> Queued:
            row = await self._records.confirmation(session, wish.conversation_id, address)
            if row is None or row.confirmed_at is None:
                raise ValueError("the conversation has not confirmed this address")
            now = self._clock()
            await self._count(session, "transcript", wish, now)
            subject = f"{self._settings.brand.name}: {wish.reference or 'transcript'}"
            self._outbox.put(session, [_notification(wish, subject, text)], now)
            return Queued()

        try:
            return await self._records.alone(step)
        except Full as full:
            return self._denied(full)

    def _send_code(
        self, session: AsyncSession, wish: Wish, address: str, row: MailConfirmationRow | None, now: float
    ) -> None:
        code = self._new_code()
        hashed = self._code_hash(wish, address, code)
        self._records.new_code(
            session, row, wish.conversation_id, address, code=hashed, tries=TRIES, expires_at=now + CODE_S
        )
        words = load_wording(self._settings.brand.name, base(wish.lang))
        text = words.say("mail_code", code=code, minutes=str(CODE_S // 60))
        self._outbox.put(session, [_notification(wish, words.say("mail_code_subject"), text + "\n")], now)

    async def _count(self, session: AsyncSession, kind: str, wish: Wish, now: float) -> None:
        """Codes and conversations are counted apart, so that nobody loses one to a stranger's asking for the other."""
        alerts = self._settings.alerts
        bounds = (
            ("conversation", wish.conversation_id, alerts.visitor_mails_per_conversation),
            ("visitor", wish.visitor_id, alerts.visitor_mails_per_visitor),
            ("client", wish.client, alerts.visitor_mails_per_client),
            ("recipient", _mailbox(wish.to), alerts.visitor_mails_per_recipient),
            ("all", "", alerts.visitor_mails_per_day),
        )
        day = int(now // DAY)
        await self._records.count(
            session,
            [Bound(f"{kind}_{scope}", self._hash(f"{scope}:{day}", key), limit) for scope, key, limit in bounds],
            day,
        )

    def _denied(self, full: Full) -> Denied:
        return Denied(full.scope, Rule(full.scope, DAY, 0, False).seconds_left(self._clock()))

    def _code_hash(self, wish: Wish, address: str, code: str) -> str:
        return self._hash("code", f"{wish.conversation_id}\0{address}\0{code}")

    def _hash(self, of: str, text: str) -> str:
        return hmac.new(self._secret, f"mail:{of}\0{text}".encode(), sha256).hexdigest()


def _notification(wish: Wish, subject: str, text: str) -> NewNotification:
    return NewNotification("mail", wish.to, {"to": [wish.to], "subject": subject, "text": text}, wish.conversation_id)


def _exact(to: str) -> str:
    """Only the domain of an address is surely the same in capitals."""
    local, _, domain = to.rpartition("@")
    return f"{local}@{_one_name(domain)}"


def _mailbox(to: str) -> str:
    """One mailbox has many addresses: capitals and what stands behind a plus are not counted apart."""
    local, _, domain = to.rpartition("@")
    return f"{(local.partition('+')[0] or local).casefold()}@{_one_name(domain)}"


def _one_name(domain: str) -> str:
    """As mail servers know it: one domain is written in full-width or circled letters, and with other dots, too."""
    try:
        return domain.encode("idna").decode().casefold()
    except UnicodeError:
        return domain.casefold()
