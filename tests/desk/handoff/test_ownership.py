"""The state machine of who answers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.desk.handoff.ownership import Action, NotPossible, Ownership, State, step


def test_a_conversation_goes_to_a_person_and_back() -> None:
    queued = step(Ownership(), Action.HAND_OVER)
    taken = step(queued, Action.TAKE, "ada")
    back = step(taken, Action.HAND_BACK)
    again = step(back, Action.HAND_OVER)

    assert [o.state for o in (queued, taken, back, again)] == ["queued", "person", "handed_back", "queued"]
    assert (taken.owner, back.owner, again.generation, again.version) == ("ada", None, 2, 4)


def test_an_agent_steps_in_where_the_assistant_answers() -> None:
    taken = step(Ownership(), Action.TAKE, "ada")
    again = step(step(taken, Action.HAND_BACK), Action.TAKE, "bob")

    assert (taken.state, taken.owner, taken.generation) == (State.PERSON, "ada", 1)
    assert (again.owner, again.generation) == ("bob", 2)


@pytest.mark.parametrize(
    ("state", "action"),
    [
        (State.RESOLVED, Action.TAKE),
        (State.PERSON, Action.TAKE),
        (State.QUEUED, Action.HAND_OVER),
        (State.PERSON, Action.HAND_OVER),
        (State.RESOLVED, Action.RESOLVE),
        (State.BOT, Action.HAND_BACK),
    ],
)
def test_what_makes_no_sense_is_refused(state: State, action: Action) -> None:
    with pytest.raises(NotPossible):
        step(Ownership(state), action, "ada")


@given(st.lists(st.tuples(st.sampled_from(Action), st.sampled_from(["ada", "bob", None]))))
def test_there_is_an_owner_exactly_when_a_person_answers(actions: list[tuple[Action, str | None]]) -> None:
    now = Ownership()
    for action, user_id in actions:
        try:
            after = step(now, action, user_id)
        except NotPossible:
            continue
        assert (after.owner is not None) == (after.state is State.PERSON)
        assert after.version == now.version + 1
        from_assistant = action is Action.TAKE and now.bot_answers
        assert after.generation - now.generation == (after.state is State.QUEUED or from_assistant)
        now = after
