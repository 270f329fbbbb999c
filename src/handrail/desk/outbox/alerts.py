"""What is told to whom when somebody waits for a person or should be looked at, or answers get worse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy.ext.asyncio import AsyncSession

from handrail.desk.handoff.concern import Priority
from handrail.desk.handoff.ownership import NEW_GENERATION, Action
from handrail.desk.outbox import NewNotification
from handrail.records.desk_tables import ConversationRow, MessageRow
from handrail.records.outbox import OutboxRecords
from handrail.settings import Alerts
from handrail.text.contacts import without_contacts, without_personal
from handrail.text.redact import redact

LONGEST_MESSAGE = 1000
WORTH = "conversation.worth_a_look"
MOST_LINES = 30
AUTHORS = {"visitor": "visitor", "assistant": "assistant", "agent": "agent"}


@dataclass(frozen=True, slots=True)
class Spoken:
    """One line of a transcript."""

    author: str
    text: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """A conversation that was put in the queue."""

    reference: str
    conversation_id: str
    visitor_id: str | None
    reason: str | None
    label: str | None
    lang: str
    email: str | None
    queued_at: float
    lines: Sequence[Spoken] = ()


def notifications_of(waiting: Waiting, settings: Alerts) -> list[NewNotification]:
    """One letter for each channel that is set up; visitors' words only where the operator wants them in alerts.

    Contacts only go where agents write to visitors, which is Chatwoot; everybody else finds them at the desk.
    """
    lines = [{"author": line.author, "text": redact(line.text)} for line in waiting.lines[-MOST_LINES:]]
    last = next((line["text"] for line in reversed(lines) if line["author"] == "visitor"), "")
    handoff: dict[str, object] = {
        "reference": waiting.reference,
        "conversation_id": waiting.conversation_id,
        "visitor_id": waiting.visitor_id,
        "reason": without_personal(waiting.reason) if waiting.reason else None,
        "label": waiting.label,
        "lang": waiting.lang,
        "has_email": waiting.email is not None,
        "queued_at": waiting.queued_at,
        "url": _at_desk(f"queue/{waiting.conversation_id}", settings),
    }
    if settings.include_message:
        handoff["message"] = without_contacts(last)[:LONGEST_MESSAGE]
    event = {"event": "handoff.queued", "handoff": handoff}
    notifications = []
    if settings.webhook_url:
        notifications.append(NewNotification("webhook", _host(settings.webhook_url), event))
    if settings.slack_url:
        notifications.append(NewNotification("slack", _host(settings.slack_url), event))
    if settings.chatwoot_url:
        copied = {"event": event["event"], "handoff": handoff | {"email": waiting.email}, "lines": lines}
        notifications.append(NewNotification("chatwoot", _host(settings.chatwoot_url), copied))
    notifications += [NewNotification("mail", to, _mail(to, handoff)) for to in settings.mail_to]
    return [replace(notification, conversation_id=waiting.conversation_id) for notification in notifications]


def announcements_of(
    event: str, subject: str, text: str, detail: Mapping[str, Any], page: str, settings: Alerts
) -> list[NewNotification]:
    """A notification that is about no conversation, for each channel where people read; `page` is one of the desk."""
    url = _at_desk(page, settings)
    said = {"event": event, "text": f"{subject}: {text}", "detail": dict(detail), "url": url}
    reached = [("webhook", settings.webhook_url), ("slack", settings.slack_url)]
    mail = {"subject": subject, "text": "\n\n".join(filter(None, (text, url))) + "\n"}
    return [
        *(NewNotification(channel, _host(address), said) for channel, address in reached if address),
        *(NewNotification("mail", to, {"to": [to], **mail}) for to in settings.mail_to),
    ]


class QueueAlerts:
    """A hook of changes of ownership: writes the alerts in the transaction that puts a conversation in the queue."""

    def __init__(self, outbox: OutboxRecords, settings: Alerts) -> None:
        self._outbox = outbox
        self._settings = settings

    async def __call__(self, session: AsyncSession, row: ConversationRow, action: Action) -> None:
        if action not in NEW_GENERATION:
            return
        waiting = Waiting(
            reference=row.reference or row.id,
            conversation_id=row.id,
            visitor_id=row.visitor_id,
            reason=row.reason,
            label=row.label,
            lang=row.lang,
            email=row.email,
            queued_at=row.queued_at or row.updated_at,
            lines=await self._lines(session, row) if self._settings.include_message else (),
        )
        self._outbox.put(session, notifications_of(waiting, self._settings), row.queued_at or row.updated_at)

    async def noticed(self, session: AsyncSession, row: ConversationRow) -> None:
        """A conversation that the assistant holds has become worth a look. Nobody waits, so Chatwoot gets no copy."""
        priority = Priority(row.priority).name.lower()
        detail = {
            "conversation_id": row.id,
            "visitor_id": row.visitor_id,
            "reason": row.concern,
            "priority": priority,
            "label": row.label,
            "lang": row.lang,
        }
        text = f"{row.concern}, priority {priority}"
        if self._settings.include_message:
            text += f"\n\n{without_contacts(redact(row.subject))}"
        made = announcements_of(WORTH, "Worth a look", text, detail, f"queue/{row.id}", self._settings)
        letters = [replace(one, conversation_id=row.id) for one in made]
        self._outbox.put(session, letters, row.updated_at)

    async def _lines(self, session: AsyncSession, row: ConversationRow) -> list[Spoken]:
        query = self._outbox.messages_of(row.id).order_by(MessageRow.seq.desc()).limit(MOST_LINES)
        found = (await session.scalars(query)).all()
        return [Spoken(message.author, message.text) for message in reversed(found) if message.author in AUTHORS]


def _mail(to: str, handoff: dict[str, object]) -> dict[str, object]:
    facts = [f"{key}: {handoff[key]}" for key in ("reference", "reason", "label", "lang", "url") if handoff.get(key)]
    text = "\n".join(["Somebody is waiting for a person.", "", *facts, "", str(handoff.get("message") or "")])
    return {"to": [to], "subject": f"Waiting for a person: {handoff['reference']}", "text": text.rstrip() + "\n"}


def _at_desk(page: str, settings: Alerts) -> str | None:
    return f"{settings.desk_url.rstrip('/')}#/{page}" if settings.desk_url else None


def _host(url: str) -> str:
    """Without the path: in webhook addresses that is the secret."""
    return urlsplit(url).hostname or ""
