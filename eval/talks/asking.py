"""Who is asked: the product in this process, one help centre at a time, or a server that runs already."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, Self

import httpx

from eval.evaluators import question
from handrail.assembly import Assistant
from handrail.errors import HandrailError
from handrail.settings import Settings
from handrail.text.guard import TextRefused
from handrail.turn.present import response

TIMEOUT_S = 120.0
TRIES = 8
LONGEST_PAUSE_S = 60.0
COME_BACK = frozenset({409, 429, 503})
UNSEEN = frozenset({"excerpt", "quote", "quotes"})
"""Of citations: opened by a click, and long."""


class Asked(Protocol):
    async def say(self, kb: str, conversation: str, text: str) -> dict[str, Any]:
        """The response of `POST /ask`, without the passages behind it; `routing` is None where it was not taken."""
        ...

    async def over(self, conversation: str) -> None:
        """Nothing more is said in it."""
        ...

    async def aclose(self) -> None: ...


def conversation_id() -> str:
    return f"c-{uuid.uuid4()}"


@dataclass(slots=True)
class Local:
    """The assistant of one knowledge base at a time, with memory as in production."""

    settings: Settings
    bases: Mapping[str, Settings] = field(default_factory=dict)
    """By the name that rows use; a row of another is asked of `settings`."""
    _open: tuple[str, Assistant] | None = None

    async def say(self, kb: str, conversation: str, text: str) -> dict[str, Any]:
        assistant = await self._of(kb)
        try:
            asked = replace(question(text, assistant.settings), conversation_id=conversation)
        except TextRefused as refusal:
            return not_taken(str(refusal))
        return seen(response(await assistant.ask(asked)))

    async def over(self, conversation: str) -> None:
        if self._open is not None:
            await self._open[1].forget(conversation)

    async def aclose(self) -> None:
        held, self._open = self._open, None
        if held is not None:
            await held[1].stop()

    async def _of(self, kb: str) -> Assistant:
        if self._open is None or self._open[0] != kb:
            await self.aclose()
            assistant = Assistant(self.bases.get(kb, self.settings))
            await assistant.start()
            self._open = (kb, assistant)
        return self._open[1]


@dataclass(slots=True)
class Remote:
    """A server at `url`, as a visitor's widget asks it; each conversation is a visitor's of its own."""

    client: httpx.AsyncClient
    _tokens: dict[str, str | None] = field(default_factory=dict)

    @classmethod
    def at(cls, url: str) -> Self:
        return cls(httpx.AsyncClient(base_url=url, timeout=TIMEOUT_S, trust_env=False))

    async def say(self, kb: str, conversation: str, text: str) -> dict[str, Any]:
        if conversation not in self._tokens:
            self._tokens[conversation] = await self._visitor()
        token = self._tokens[conversation]
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        body = {"question": text, "conversation_id": conversation, "turn_id": str(uuid.uuid4())}
        replied = await self._post("/ask", body, headers)
        if replied.status_code == 422:
            return not_taken(_message(replied))
        if replied.status_code != 200:
            raise HandrailError(f"{self.client.base_url} answers {replied.status_code}: {_message(replied)}")
        return seen(replied.json())

    async def over(self, conversation: str) -> None:
        self._tokens.pop(conversation, None)

    async def aclose(self) -> None:
        await self.client.aclose()

    async def _visitor(self) -> str | None:
        replied = await self._post("/visitor", {}, {})
        return str(replied.json()["token"]) if replied.status_code == 200 else None

    async def _post(self, path: str, body: Mapping[str, Any], headers: Mapping[str, str]) -> httpx.Response:
        """Waits where the server says to come back; what is sent again has the same turn id, so counts once."""
        replied: httpx.Response | None = None
        for _ in range(TRIES):
            try:
                replied = await self.client.post(path, json=body, headers=dict(headers))
            except httpx.HTTPError as error:
                raise HandrailError(f"{self.client.base_url} cannot be asked: {type(error).__name__}") from None
            if replied.status_code not in COME_BACK:
                return replied
            await asyncio.sleep(min(_pause(replied), LONGEST_PAUSE_S))
        assert replied is not None  # noqa: S101
        return replied


def seen(answered: Mapping[str, Any]) -> dict[str, Any]:
    """Without what no verdict reads and only a click opens."""
    kept = {name: value for name, value in answered.items() if name != "claims"}
    kept["citations"] = [
        {name: value for name, value in citation.items() if name not in UNSEEN}
        for citation in answered.get("citations") or ()
    ]
    return kept


def not_taken(message: str) -> dict[str, Any]:
    return {"routing": None, "answer": message, "refused": True}


def _pause(replied: httpx.Response) -> float:
    try:
        return max(1.0, float(replied.headers.get("retry-after", "2")))
    except ValueError:
        return 2.0


def _message(replied: httpx.Response) -> str:
    try:
        return str(replied.json()["error"]["message"])
    except (ValueError, KeyError, TypeError):
        return replied.text[:200]
