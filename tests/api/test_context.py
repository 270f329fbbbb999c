"""What is kept beside the words: of the visitor, of the answers, and of who has read them."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from handrail.accounts.customer.signed import sign
from tests.api.live import serving, until
from tests.api.scripted import ScriptedAssistant
from tests.api.two_sides import Side, agent_of, folder_with_people, says, taken, visitor_of

pytestmark = pytest.mark.anyio


async def recorded(visitor: Side) -> dict[str, Any]:
    """The conversation, once its evidence is written: that is done after the response."""
    async with asyncio.timeout(30):
        while True:
            one: dict[str, Any] = await visitor.get("/conversations/c-1")
            if one["turns"]:
                return one
            await asyncio.sleep(0.01)


async def test_what_was_said_and_signed_of_a_visitor_is_on_record(tmp_path: Path) -> None:
    secret = "a secret of the operator's server"
    await folder_with_people(tmp_path, "ada")
    async with serving(tmp_path, ScriptedAssistant(), customer={"secret": secret}) as client:
        visitor, agent = await visitor_of(client), await agent_of(client)
        token = sign(secret, {"plan": "Studio"}, time.time() + 60)
        said = {"name": "Ines", "plan": "Free", "signed": "me", "card": "4111 1111 1111 1111", "bad": ["x"]}
        await visitor.post("/ask", question="How?", conversation_id="c-1", context_token=token, context=said)
        await visitor.post("/handoff", conversation_id="c-1", context_token="forged", context={"plan": "Team"})
        known = (await agent.get("/desk/api/conversations/c-1"))["visitor"]["context"]

    assert known["signed"] == {"plan": "Studio"}
    assert (known["name"], known["plan"]) == ("Ines", "Team")
    assert "4111" not in known["card"]
    assert set(known) == {"name", "plan", "card", "signed"}


async def test_an_earlier_conversation_comes_with_what_its_answers_rested_on(tmp_path: Path) -> None:
    async with serving(tmp_path, ScriptedAssistant()) as client:
        visitor = await visitor_of(client)
        turn_id = (await says(visitor, "How do I connect a domain?")).json()["turn_id"]
        one = await recorded(visitor)

    assert [turn["turn_id"] for turn in one["turns"]] == [turn_id]
    assert one["turns"][0]["routing"] == "answered"
    [citation] = one["turns"][0]["citations"]
    assert (citation["index"], citation["title"]) == (1, "Connect a domain")


async def test_the_state_says_what_an_agent_has_read(tmp_path: Path) -> None:
    await folder_with_people(tmp_path, "ada")
    async with serving(tmp_path, ScriptedAssistant()) as client:
        visitor, agent = await visitor_of(client), await agent_of(client)
        await taken(visitor, agent)
        await agent.post("/desk/api/conversations/c-1/read", seq=1)
        async with visitor.following("/conversations/c-1/events"):
            await until(lambda: bool(visitor.of("state")))

    assert visitor.of("state")[0]["read"] == 1
