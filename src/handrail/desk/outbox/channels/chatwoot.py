"""Requests copied to Chatwoot: a contact, a conversation in an inbox of the type API, and its messages.

Chatwoot knows no idempotency keys, so every step is noted as soon as it is done and the next try goes on from there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx

from handrail.desk.outbox import Notification, Remember, Undelivered
from handrail.desk.outbox.channels.http import Refused, call
from handrail.settings import Alerts


class Chatwoot:
    def __init__(self, http: httpx.AsyncClient, settings: Alerts) -> None:
        self._http = http
        self._base = f"{str(settings.chatwoot_url).rstrip('/')}/api/v1/accounts/{settings.chatwoot_account}"
        self._inbox = settings.chatwoot_inbox
        token = settings.chatwoot_token
        self._headers = {"api_access_token": token.get_secret_value() if token else ""}

    async def send(self, notification: Notification, remember: Remember) -> None:
        handoff = notification.payload["handoff"]
        done = dict(notification.progress)
        try:
            if "contact" not in done:
                done["contact"], done["source"] = await self._contact(handoff)
                await remember(done)
            if "conversation" not in done:
                done["conversation"] = await self._conversation(handoff, done)
                await remember(done)
            lines = notification.payload["lines"]
            for line in lines[done.get("lines", 0) :]:
                await self._message(done["conversation"], line)
                done["lines"] = done.get("lines", 0) + 1
                await remember(done)
        except (KeyError, TypeError, ValueError):
            raise Undelivered("Chatwoot's response has an unknown format") from None

    async def _contact(self, handoff: Mapping[str, Any]) -> tuple[int, str | None]:
        """The contact's id and its source id in the inbox; one that is there already is found by its identifier."""
        identifier = handoff["visitor_id"] or handoff["conversation_id"] or handoff["reference"]
        body = {"inbox_id": self._inbox, "name": f"Visitor {handoff['reference']}", "identifier": identifier}
        if handoff.get("email"):
            body["email"] = handoff["email"]
        try:
            found = (await self._call("POST", "contacts", json=body))["payload"]["contact"]
        except Refused as refused:
            if refused.status != 422:
                raise
            found = await self._known(identifier, handoff.get("email"))
        inboxes = found.get("contact_inboxes") or []
        return int(found["id"]), next((inbox["source_id"] for inbox in inboxes if self._own(inbox)), None)

    async def _known(self, identifier: str, email: str | None) -> Mapping[str, Any]:
        for wanted in filter(None, (identifier, email)):
            answer = await self._call("GET", "contacts/search", params={"q": wanted})
            for contact in answer["payload"]:
                if identifier == contact.get("identifier") or (email and email == contact.get("email")):
                    return dict(contact)
        raise Undelivered("Chatwoot rejects the contact and has no matching one")

    def _own(self, inbox: Mapping[str, Any]) -> bool:
        return bool((inbox.get("inbox") or {}).get("id", self._inbox) == self._inbox)

    async def _conversation(self, handoff: Mapping[str, Any], done: Mapping[str, Any]) -> int:
        body: dict[str, Any] = {
            "inbox_id": self._inbox,
            "contact_id": done["contact"],
            "status": "open",
            "custom_attributes": {
                key: handoff[key] for key in ("reference", "reason", "label", "lang", "url") if handoff.get(key)
            },
        }
        if done.get("source"):
            body["source_id"] = done["source"]
        return int((await self._call("POST", "conversations", json=body))["id"])

    async def _message(self, conversation: int, line: Mapping[str, str]) -> None:
        kind = "incoming" if line["author"] == "visitor" else "outgoing"
        body = {"content": line["text"], "message_type": kind, "private": False}
        await self._call("POST", f"conversations/{conversation}/messages", json=body)

    async def _call(self, method: str, path: str, **options: Any) -> Any:
        response = await call(self._http, method, f"{self._base}/{path}", headers=self._headers, **options)
        return response.json()
