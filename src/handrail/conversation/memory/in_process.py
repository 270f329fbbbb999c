"""Conversations remembered in this process: right for one process, and the spare while Redis is away."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from handrail.conversation.memory.window import MOST_EXCHANGES, Count, branch, latest
from handrail.types import Exchange


@dataclass(slots=True)
class _Conversation:
    until: float
    exchanges: list[Exchange] = field(default_factory=list)


class InProcessMemory:
    """Holds at most `most` conversations, each for `ttl_s` seconds after its last turn; the least recent go first.

    `clock` returns seconds.
    """

    def __init__(self, window_tokens: int, ttl_s: float, most: int, count: Count, clock: Callable[[], float]) -> None:
        self._window_tokens = window_tokens
        self._ttl_s = ttl_s
        self._most = most
        self._count = count
        self._clock = clock
        self._conversations: OrderedDict[str, _Conversation] = OrderedDict()

    async def recall(self, conversation_id: str, follows: str | None = None) -> Sequence[Exchange]:
        found = self._conversations.get(conversation_id)
        if found is None or found.until <= self._clock():
            return ()
        return latest(branch(found.exchanges, follows), self._window_tokens, self._count)

    async def remember(self, conversation_id: str, exchange: Exchange, *, continued: bool = False) -> None:
        now = self._clock()
        self._drop_expired(now)
        if continued and conversation_id not in self._conversations:
            return
        found = self._conversations.setdefault(conversation_id, _Conversation(now))
        found.until = now + self._ttl_s
        found.exchanges = [*found.exchanges, exchange][-MOST_EXCHANGES:]
        self._conversations.move_to_end(conversation_id)
        while len(self._conversations) > self._most:
            self._conversations.popitem(last=False)

    async def forget(self, conversation_id: str) -> None:
        self._conversations.pop(conversation_id, None)

    def __len__(self) -> int:
        return len(self._conversations)

    def _drop_expired(self, now: float) -> None:
        """Least recent first, so the first that has not expired ends it."""
        while self._conversations:
            first = next(iter(self._conversations))
            if self._conversations[first].until > now:
                return
            del self._conversations[first]
