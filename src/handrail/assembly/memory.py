"""The memory of conversations as the settings ask for it, and how a turn uses it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from handrail.accounts.keyspace import keyspace_of
from handrail.conversation.memory import Memory
from handrail.conversation.memory.in_process import InProcessMemory
from handrail.conversation.memory.window import Count, exchange_of, place_of, said_by_person, told_person
from handrail.settings import Settings
from handrail.types import Question, Turn


class ConversationMemory:
    """Turns that know what was said before them, and are known to those after them."""

    def __init__(self, memory: Memory, close: Callable[[], Awaitable[None]] | None = None) -> None:
        self._memory = memory
        self._close = close

    async def turn(self, question: Question, run: Callable[[Question], Awaitable[Turn]]) -> Turn:
        """Run a turn with its history."""
        history = question.history or await self._memory.recall(question.conversation_id, question.follows)
        finished = await run(replace(question, history=tuple(history)))
        exchange = exchange_of(finished) or place_of(finished)
        if exchange.question or history:
            await self._memory.remember(question.conversation_id, exchange, continued=bool(history))
        return finished

    async def holds(self, conversation_id: str) -> bool:
        """Whether anything of it is known."""
        return bool(await self._memory.recall(conversation_id))

    async def remember_unanswered(self, question: Question) -> None:
        """Keep a message that went to a person, for the turns after it is the assistant's to answer again."""
        await self._memory.remember(question.conversation_id, told_person(question))

    async def remember_agent_reply(self, conversation_id: str, text: str) -> None:
        """Keep what a person wrote to the visitor."""
        said = said_by_person(text)
        if said.answer:
            await self._memory.remember(conversation_id, said)

    async def unsay(self, turn: Turn) -> None:
        """The answer of a turn reached nobody, because a person had taken over: its question went to that person."""
        question = turn.question
        await self._memory.forget(question.conversation_id)
        for exchange in question.history:
            await self._memory.remember(question.conversation_id, exchange)
        await self.remember_unanswered(question)

    async def forget(self, conversation_id: str) -> None:
        await self._memory.forget(conversation_id)

    async def aclose(self) -> None:
        if self._close is not None:
            await self._close()


def build_memory(settings: Settings, count: Count, clock: Callable[[], float]) -> ConversationMemory | None:
    """Shared through Redis where REDIS_URL is set, else in this process; None where the settings turn it off.

    Raises SettingsError for a URL that is none.
    """
    chosen = settings.memory
    if chosen.window_tokens == 0:
        return None
    own = InProcessMemory(chosen.window_tokens, chosen.ttl_s, chosen.max_conversations, count, clock)
    if settings.limits.redis_url is None:
        return ConversationMemory(own)
    from handrail.accounts.redis_client import connect
    from handrail.conversation.memory.shared import RedisMemory

    redis = connect(settings.limits.redis_url)
    shared = RedisMemory(redis, keyspace_of(settings), chosen.window_tokens, chosen.ttl_s, count, own)
    return ConversationMemory(shared, shared.aclose)
