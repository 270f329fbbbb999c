"""Conversations in each database."""

from __future__ import annotations

import asyncio
import inspect
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, event

from handrail.desk.handoff.ownership import Action, NotPossible
from handrail.records.conversations import ConversationRecords, Entry, Foreign, NewMessage, Request, Stale
from handrail.records.database import Database, open_database
from handrail.records.desk_book import DeskBook
from handrail.records.evidence import EvidenceRecords, Feedback
from handrail.records.people import EmailTaken, People
from handrail.records.repository import Repository
from handrail.records.tables import Base
from handrail.settings import Storage

pytestmark = pytest.mark.anyio

NOW = 1_800_000_000.0
HERE = Entry("c-1", "v-1")


@asynccontextmanager
async def database_in(storage: Storage) -> AsyncIterator[Database]:
    database = await open_database(storage)
    try:
        yield database
    finally:
        await database.close()


def visitor(id: str, text: str = "Hello") -> NewMessage:
    return NewMessage(id, "visitor", text)


def queued(generation: int) -> NewMessage:
    return NewMessage(f"queued-{generation}", "system", "Asked for a person", kind="event")


async def test_messages_keep_their_order_and_come_once(storage: Storage) -> None:
    async with database_in(storage) as database:
        records = ConversationRecords(database, "default")
        await asyncio.gather(*(records.begin(HERE, visitor(f"m-{n % 6}"), NOW) for n in range(12)))
        messages = await records.messages("c-1")

    assert [message.seq for message in messages] == [1, 2, 3, 4, 5, 6]
    assert {message.id for message in messages} == {f"m-{n}" for n in range(6)}


async def test_one_of_two_agents_takes_it(storage: Storage) -> None:
    async with database_in(storage) as database:
        records = ConversationRecords(database, "default")
        asked = await records.hand_over(HERE, Request("HR-222222", message=visitor("m-1")), queued, NOW)
        results = await asyncio.gather(
            *(records.act("c-1", asked.row.version, Action.TAKE, NOW, user_id=who) for who in ("ada", "bob")),
            return_exceptions=True,
        )
        row = await records.find("c-1")

    assert sorted(type(result).__name__ for result in results) == ["Said", "Stale"]
    (late,) = [result for result in results if isinstance(result, Stale)]
    assert row is not None
    assert late.current.owner == row.owner
    assert row.generation == 1


@pytest.mark.parametrize(("reason", "subject"), [("high_stakes", "Refund me"), ("visitor_request", "How do I begin?")])
async def test_it_is_named_after_the_question_for_which_a_person_is_wanted(
    storage: Storage, reason: str, subject: str
) -> None:
    async with database_in(storage) as database:
        records = ConversationRecords(database, "default")
        await records.begin(HERE, NewMessage("t-1", "visitor", "How do I begin?", turn_id="t-1"), NOW)
        await records.begin(HERE, NewMessage("t-2", "visitor", "Refund me", turn_id="t-2"), NOW)
        asked = await records.hand_over(HERE, Request("HR-222222", reason, turn_id="t-2"), queued, NOW)

    assert asked.row.subject == subject


async def test_answer_that_ends_after_a_hand_over_is_not_delivered(storage: Storage) -> None:
    async with database_in(storage) as database:
        records = ConversationRecords(database, "default")
        begun = await records.begin(HERE, visitor("t-1"), NOW)
        await records.hand_over(HERE, Request("HR-222222"), queued, NOW)
        answer = NewMessage("t-1.answer", "assistant", "Open Settings.")
        late = await records.deliver("c-1", begun.row.generation, answer, NOW, label="answerable", lang="en")
        messages = await records.messages("c-1")

    assert not late.added
    assert [message.author for message in messages] == ["visitor", "system"]


async def test_it_is_known_by_its_gravest_matter_until_it_is_resolved(storage: Storage) -> None:
    async with database_in(storage) as database:
        records = ConversationRecords(database, "default")
        said = [("How do I begin?", "answerable"), ("Somebody took my money", "high_stakes"), ("ok", "irrelevant")]
        for n, (question, label) in enumerate(said):
            begun = await records.begin(HERE, NewMessage(f"t-{n}", "visitor", question), NOW)
            answer = NewMessage(f"t-{n}.answer", "assistant", "Answer.")
            await records.deliver("c-1", begun.row.generation, answer, NOW, label=label, lang="en", question=question)
        row = await records.find("c-1")
        assert row is not None
        assert (row.label, row.subject, row.last_author) == ("high_stakes", "Somebody took my money", "assistant")

        await records.act("c-1", row.version, Action.RESOLVE, NOW)
        begun = await records.begin(HERE, NewMessage("t-9", "visitor", "How do I begin?"), NOW)
        done = await records.deliver(
            "c-1", begun.row.generation, NewMessage("a", "assistant", "So."), NOW, label="answerable", lang="en"
        )
        assert done.row.label == "answerable"


async def test_same_request_does_not_hand_over_again_after_it_was_handed_back(storage: Storage) -> None:
    async with database_in(storage) as database:
        records = ConversationRecords(database, "default")
        request = Request("HR-222222", turn_id="t-1")
        asked = await records.hand_over(HERE, request, queued, NOW)
        await records.act("c-1", asked.row.version, Action.HAND_BACK, NOW)
        repeated = await records.hand_over(HERE, request, queued, NOW)
        meant = await records.hand_over(HERE, Request("HR-222222", turn_id="t-2"), queued, NOW)

    assert (repeated.row.state, meant.row.state, meant.row.generation) == ("handed_back", "queued", 2)


async def test_conversation_is_closed_to_other_visitors_and_tenants(storage: Storage) -> None:
    async with database_in(storage) as database:
        records = ConversationRecords(database, "default")
        await records.begin(HERE, visitor("m-1"), NOW)
        with pytest.raises(Foreign):
            await records.begin(Entry("c-1", "v-2"), visitor("m-2"), NOW)
        with pytest.raises(Foreign):
            await records.begin(Entry("c-1"), visitor("m-2"), NOW)
        elsewhere = ConversationRecords(database, "other")

        assert await elsewhere.find("c-1") is None
        assert not await elsewhere.messages("c-1")


async def test_only_the_owner_replies_and_a_reply_sent_twice_is_one(storage: Storage) -> None:
    async with database_in(storage) as database:
        records = ConversationRecords(database, "default")
        asked = await records.hand_over(HERE, Request("HR-222222"), queued, NOW)
        await records.act("c-1", asked.row.version, Action.TAKE, NOW + 5, user_id="ada")
        reply = NewMessage("r-1", "agent", "Hi", user_id="ada", name="Ada")
        await records.reply("c-1", reply, NOW + 9)
        await records.reply("c-1", reply, NOW + 9)
        with pytest.raises(Stale):
            await records.reply("c-1", NewMessage("r-2", "agent", "Hi", user_id="bob"), NOW)
        row = await records.find("c-1")
        messages = await records.messages("c-1")

    assert row is not None
    assert row.first_response_at == NOW + 9
    assert [message.id for message in messages] == ["queued-1", "r-1"]


async def test_writing_after_it_was_resolved_goes_to_the_assistant(storage: Storage) -> None:
    async with database_in(storage) as database:
        records = ConversationRecords(database, "default")
        begun = await records.begin(HERE, visitor("m-1"), NOW)
        await records.act("c-1", begun.row.version, Action.RESOLVE, NOW)
        again = await records.begin(HERE, visitor("m-2"), NOW)
        with pytest.raises(NotPossible):
            await records.act("c-1", again.row.version, Action.REOPEN, NOW)

    assert (again.row.state, again.moved) == ("bot", True)


async def test_hooks_write_in_the_transaction_of_the_change(storage: Storage) -> None:
    async with database_in(storage) as database:
        records = ConversationRecords(database, "default")

        async def refuse(*_: object) -> None:
            raise ValueError("no")

        records.on_change(refuse)
        with pytest.raises(ValueError, match="no"):
            await records.hand_over(HERE, Request("HR-222222"), queued, NOW)

        assert await records.find("c-1") is None


async def test_people_sessions_notes_and_thumbs(storage: Storage) -> None:
    async with database_in(storage) as database:
        people, book = People(database, "default"), DeskBook(database, "default")
        evidence = EvidenceRecords(database, "default")
        ada = await people.add("Ada@Example.com", "Ada", "agent", "hash", NOW)
        with pytest.raises(EmailTaken):
            await people.add("ada@example.com", "Ada", "agent", "hash", NOW)
        await people.open_session("s" * 64, ada.id, "csrf", NOW, NOW + 10)
        assert await people.session("s" * 64, NOW + 11) is None
        found = await people.session("s" * 64, NOW)
        assert found is not None
        assert found[0].email == "ada@example.com"
        await people.change(ada.id, active=False)
        assert await people.session("s" * 64, NOW) is None
        await book.add_note("n-1", "c-1", ada.id, "VIP", NOW)
        await book.add_note("n-1", "c-1", ada.id, "VIP", NOW)
        assert len(await book.notes("c-1")) == 1
        await evidence.rate(Feedback("t-1", "down", "wrong"), "c-1", NOW)
        await evidence.rate(Feedback("t-1", "up"), "c-1", NOW)
        assert [(row.rating, row.reason) for row in await evidence.feedback("c-1")] == [("up", None)]


def test_no_repository_works_without_a_tenant() -> None:
    repositories = Repository.__subclasses__()

    assert {ConversationRecords, DeskBook, EvidenceRecords, People} <= set(repositories)
    for kind in repositories:
        database: Any = object()
        assert inspect.signature(kind).parameters["tenant"].default is inspect.Parameter.empty
        with pytest.raises(ValueError, match="tenant"):
            kind(database, "")


async def test_every_statement_names_the_tenant(storage: Storage) -> None:
    said: list[str] = []
    async with database_in(storage) as database:
        engine = database._engine.sync_engine
        event.listen(engine, "before_cursor_execute", lambda _c, _cur, statement, *_: said.append(statement))
        records = ConversationRecords(database, "default")
        begun = await records.begin(HERE, visitor("m-1"), NOW)
        await records.deliver("c-1", begun.row.generation, visitor("m-2"), NOW, label="answerable", lang="en")
        asked = await records.hand_over(HERE, Request("HR-222222"), queued, NOW)
        await records.act("c-1", asked.row.version, Action.TAKE, NOW, user_id="ada")
        await records.read("c-1", "visitor", 2)
        await DeskBook(database, "default").audit()
        await People(database, "default").session("x", NOW)
    touching = [statement for statement in said if re.match(r"(?i)\s*(select|update|delete|insert)\b.*\b", statement)]

    assert len(touching) > 10
    for statement in touching:
        where = statement if statement.lstrip()[:6].upper() == "INSERT" else statement.split("WHERE", 1)[-1]
        assert "tenant" in where, statement


async def test_migrations_make_the_tables_that_the_code_reads(storage: Storage) -> None:
    def differences(connection: Connection) -> list[Any]:
        ours = {"include_name": lambda name, kind, _parents: kind != "table" or name in Base.metadata.tables}
        return list(compare_metadata(MigrationContext.configure(connection, opts=ours), Base.metadata))

    async with database_in(storage) as database, database._engine.connect() as connection:
        found = await connection.run_sync(differences)

    assert found == []
