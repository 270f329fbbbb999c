"""Incoming webhooks of Slack, and of what understands the same: Mattermost, Rocket.Chat, Discord's /slack."""

from __future__ import annotations

from typing import Any

import httpx

from handrail.desk.outbox import Notification, Remember
from handrail.desk.outbox.channels.http import call

ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


class Slack:
    def __init__(self, http: httpx.AsyncClient, url: str) -> None:
        self._http = http
        self._url = url

    async def send(self, notification: Notification, remember: Remember) -> None:
        text = message(notification.payload)
        await call(self._http, "POST", self._url, json={"text": text}, headers={"Idempotency-Key": notification.id})


def message(payload: Any) -> str:
    """Slack's own escapes, so that a visitor can neither call everybody in a channel nor write a link."""
    if "handoff" not in payload:
        lines = [_escaped(payload["text"]), f"<{payload['url']}|Open the desk>" if payload.get("url") else ""]
        return "\n".join(filter(None, lines))
    handoff = payload["handoff"]
    facts = " · ".join(_escaped(str(handoff[key])) for key in ("reason", "label", "lang") if handoff.get(key))
    lines = [f"Somebody is waiting for a person: {_escaped(handoff['reference'])}", facts]
    if handoff.get("message"):
        lines += ["> " + _escaped(line) for line in handoff["message"].splitlines() if line.strip()]
    if handoff.get("url"):
        lines.append(f"<{handoff['url']}|Open the desk>")
    return "\n".join(line for line in lines if line)


def _escaped(text: str) -> str:
    """A zero-width space stops `@here` and addresses where the receiver makes links of them."""
    return text.translate(ESCAPES).replace("@", "@\u200b").replace("://", ":\u200b//")
