"""What is offered after an answer, what is not, and when it is tried out."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from handrail.answer.suggest import Checked
from handrail.answer.suggest.kept import FILE, Kept
from handrail.answer.suggest.quiet import PAUSE, Check, QuietSuggester
from handrail.errors import RetryableError
from handrail.settings import Suggest
from handrail.stores.snapshot import Snapshot
from handrail.types import Citation, Exchange, Passage, Routing
from tests.clock import Clock
from tests.stages import ask, passage

pytestmark = pytest.mark.anyio

BUY = passage("buy/0", "Pay and wait.", title="Buy a domain", headings=("Who can buy a domain?",))
PRICE = passage("buy/1", "It costs ten.", title="Buy a domain", headings=("What does a domain cost?",))
RENEW = passage("renew/0", "Pay again.", title="Renew a domain")
MAIL = passage("mail/0", "Add one.", title="Add mailboxes")
PASSAGES = [BUY, PRICE, RENEW, MAIL]


class Tries:
    """Answers each question from the passage given for it."""

    def __init__(self, **answers: Passage) -> None:
        self.answers = {key.replace("_", " "): value for key, value in answers.items()}
        self.tried: list[str] = []
        self._news = asyncio.Condition()

    async def has_tried(self, text: str) -> None:
        async with asyncio.timeout(30), self._news:
            await self._news.wait_for(lambda: text in self.tried)

    async def __call__(self, text: str) -> Sequence[Citation] | None:
        async with self._news:
            self.tried.append(text)
            self._news.notify_all()
        found = next((found for key, found in self.answers.items() if key in text), None)
        return [cite(found)] if found is not None else None


def cite(found: Passage) -> Citation:
    return Citation(1, found, 0.9, "supported")


def suggester(folder: Path, tries: Check, clock: Clock | None = None, **settings: float) -> QuietSuggester:
    vectors = np.eye(len(PASSAGES), dtype=np.float32)
    articles = np.eye(3, dtype=np.float32)
    snapshot = Snapshot(PASSAGES, None, articles, vectors)
    chosen = Suggest.model_validate({"quiet_s": 0, **settings})
    return QuietSuggester(snapshot, Kept(folder, "g1"), tries, chosen, clock or Clock())


ALL = {"buy_a_domain": BUY, "cost": PRICE, "renew": RENEW, "mailboxes": MAIL}


async def made(folder: Path, **settings: float) -> QuietSuggester:
    found = suggester(folder, Tries(**ALL), None, **settings)
    for article in ("buy", "renew", "mail"):
        await found.make(article)
    return found


async def test_only_what_is_answered_from_its_own_article_is_kept(tmp_path: Path) -> None:
    found = suggester(tmp_path, Tries(cost=PRICE, Who=RENEW))

    assert await found.make("buy") == [Checked("What does a domain cost?", ("buy/1",))]


async def test_the_answer_s_own_article_comes_first_and_its_neighbours_after(tmp_path: Path) -> None:
    found = await made(tmp_path)

    assert found.after(ask("Who may?"), [cite(BUY)]) == (
        "What does a domain cost?",
        "How do I renew a domain?",
        "How do I add mailboxes?",
    )


async def test_what_was_asked_or_said_before_is_not_offered(tmp_path: Path) -> None:
    found = await made(tmp_path)
    past = Exchange("renewing", "How do I renew a domain?", "Pay.", Routing.ANSWERED)

    assert found.after(ask("What does a domain cost", history=(past,)), [cite(PRICE)]) == (
        "How do I buy a domain?",
        "How do I add mailboxes?",
    )


async def test_the_draft_s_own_suggestions_are_tried_first(tmp_path: Path) -> None:
    found = await made(tmp_path)

    drafted = await found.answerable(["How do I renew it?", "Can you dance?"])

    assert drafted == ["How do I renew it?"]
    assert found.after(ask("Who may?"), [cite(BUY)], drafted)[0] == "How do I renew it?"


async def test_a_slow_check_of_a_draft_costs_its_suggestions_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Hangs(Tries):
        async def __call__(self, text: str) -> Sequence[Citation] | None:
            await asyncio.sleep(60)
            return None

    monkeypatch.setattr("handrail.answer.suggest.quiet.DRAFTED_S", 0.01)

    assert await suggester(tmp_path, Hangs()).answerable(["How do I renew?"]) == ()


async def test_what_was_kept_is_known_to_the_next_process_and_not_to_other_articles(tmp_path: Path) -> None:
    await made(tmp_path)

    assert set(suggester(tmp_path, Tries()).known()) == {"buy", "renew", "mail"}
    later = Kept(tmp_path, "g2")
    later.read()
    assert later.articles == {}
    (tmp_path / FILE).write_text('{"made_for": "g1", "articles": {"buy": [1]}}')
    assert suggester(tmp_path, Tries()).known() == {}


class Slow(Tries):
    """Takes a second of the clock for each question."""

    def __init__(self, clock: Clock, **answers: Passage) -> None:
        super().__init__(**answers)
        self._clock = clock

    async def __call__(self, text: str) -> Sequence[Citation] | None:
        self._clock.now += 1
        return await super().__call__(text)


async def test_beside_turns_a_bounded_share_of_the_time_is_spent_on_trying(tmp_path: Path) -> None:
    clock = Clock()
    tries = Slow(clock, **ALL)
    found = suggester(tmp_path, tries, clock, quiet_s=0.02)
    with found.turn():
        working = asyncio.create_task(found.run())
        clock.now += 1
        await tries.has_tried("How do I buy a domain?")
        clock.now += PAUSE - 0.5
        await asyncio.sleep(0.05)
        assert len(tries.tried) == 1
        clock.now += 1
        await tries.has_tried("How do I renew a domain?")
    clock.now += 0.5
    await tries.has_tried("How do I add mailboxes?")
    working.cancel()


async def test_titles_are_tried_first_and_offered_before_the_rest_is_known(tmp_path: Path) -> None:
    clock, tries = Clock(), Tries(**ALL)
    found = suggester(tmp_path, tries, clock, quiet_s=0.02)
    working = asyncio.create_task(found.run())
    await tries.has_tried("What does a domain cost?")
    offered = found.after(ask("Who may?"), [cite(PRICE)])
    working.cancel()

    assert set(found.known()) <= {"buy"}
    assert tries.tried[:3] == ["How do I buy a domain?", "How do I renew a domain?", "How do I add mailboxes?"]
    assert offered == ("How do I buy a domain?", "How do I renew a domain?", "How do I add mailboxes?")
    assert len(tries.tried) == len(set(tries.tried))


async def test_what_a_turn_has_cited_comes_before_the_other_titles(tmp_path: Path) -> None:
    clock = Clock()
    tries = Slow(clock, **ALL)
    found = suggester(tmp_path, tries, clock, quiet_s=0.02, ahead=1)
    with found.turn():
        working = asyncio.create_task(found.run())
        clock.now += 1
        await tries.has_tried("How do I buy a domain?")
        found.after(ask(), [cite(MAIL)])
    clock.now += 100
    await tries.has_tried("How do I add mailboxes?")
    working.cancel()


async def test_a_disk_that_cannot_be_written_costs_nothing_but_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")
    kept = Kept(tmp_path / "file", "g1")

    kept.keep("buy", [replace(Checked("a", ()), title=True)])

    assert "follow-up questions" in caplog.text
    assert kept.articles["buy"][0].text == "a"


async def test_a_question_that_could_not_be_tried_is_tried_again(tmp_path: Path) -> None:
    tries, busy = Tries(**ALL), 2

    async def check(text: str) -> Sequence[Citation] | None:
        nonlocal busy
        busy -= 1
        if busy >= 0:
            raise RetryableError("busy")
        return await tries(text)

    found = suggester(tmp_path, check)

    assert [row.text for row in await found.make("renew")] == ["How do I renew a domain?"]


async def test_a_drafted_question_that_could_not_be_tried_is_not_held_against_it(tmp_path: Path) -> None:
    tries, failing = Tries(**ALL), True

    async def check(text: str) -> Sequence[Citation] | None:
        if failing:
            raise RetryableError("busy")
        return await tries(text)

    found = suggester(tmp_path, check)
    first = await found.answerable(["renew"])
    failing = False

    assert (first, await found.answerable(["renew"])) == ([], ["renew"])
