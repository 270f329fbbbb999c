"""Who answers in a conversation: a state machine without clock, database or side effects.

Each step is made from the ownership that was read; whoever stores the result compares versions first, so that of
two people who act at once one learns that he was too late.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from handrail.errors import PermanentError


class State(StrEnum):
    BOT = "bot"
    QUEUED = "queued"
    PERSON = "person"
    HANDED_BACK = "handed_back"
    RESOLVED = "resolved"


BOT_ANSWERS = frozenset({State.BOT, State.HANDED_BACK, State.RESOLVED})
"""States in which a visitor's message is the assistant's to answer; writing again takes `resolved` back to `bot`."""


class Action(StrEnum):
    HAND_OVER = "hand_over"
    TAKE = "take"
    TRANSFER = "transfer"
    HAND_BACK = "hand_back"
    RESOLVE = "resolve"
    REOPEN = "reopen"
    WRITE = "write"
    """The visitor writes after it was resolved, without asking for a person."""


FROM: dict[Action, frozenset[State]] = {
    Action.HAND_OVER: BOT_ANSWERS,
    Action.TAKE: frozenset({State.QUEUED, State.BOT, State.HANDED_BACK}),
    Action.TRANSFER: frozenset({State.PERSON}),
    Action.HAND_BACK: frozenset({State.QUEUED, State.PERSON}),
    Action.RESOLVE: frozenset(State) - {State.RESOLVED},
    Action.REOPEN: frozenset({State.RESOLVED}),
    Action.WRITE: frozenset({State.RESOLVED}),
}
TO: dict[Action, State] = {
    Action.HAND_OVER: State.QUEUED,
    Action.TAKE: State.PERSON,
    Action.TRANSFER: State.PERSON,
    Action.HAND_BACK: State.HANDED_BACK,
    Action.RESOLVE: State.RESOLVED,
    Action.REOPEN: State.QUEUED,
    Action.WRITE: State.BOT,
}
NEW_GENERATION = frozenset({Action.HAND_OVER, Action.REOPEN})
"""Actions that put a conversation in the queue; taking it from the assistant is a hand-over as well."""


@dataclass(frozen=True, slots=True)
class Ownership:
    """Who answers, and how often that has changed."""

    state: State = State.BOT
    owner: str | None = None
    """The user's id in state `person`; None in all others."""
    version: int = 0
    generation: int = 0
    """Hand-overs so far; each is announced once."""

    @property
    def bot_answers(self) -> bool:
        return self.state in BOT_ANSWERS


class NotPossible(PermanentError):
    """The action makes no sense in the state the conversation is in."""

    def __init__(self, action: Action, state: State) -> None:
        super().__init__(f"{action.value} is not possible in state {state.value}")
        self.action = action
        self.state = state


def step(before: Ownership, action: Action, user_id: str | None = None) -> Ownership:
    """The ownership after `action`; `user_id` is the new owner for `take` and `transfer`. Raises NotPossible."""
    if before.state not in FROM[action] or (action in (Action.TAKE, Action.TRANSFER) and not user_id):
        raise NotPossible(action, before.state)
    after = TO[action]
    return replace(
        before,
        state=after,
        owner=user_id if after is State.PERSON else None,
        version=before.version + 1,
        generation=before.generation + (action in NEW_GENERATION or (action is Action.TAKE and before.bot_answers)),
    )
