"""Whom a decision is asked of, and that the local verdict stands whatever happens to another model."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from jevcompat.mock import FAULTS, MockConfig, make_server

from handrail.decide.calibration import Map, Maps
from handrail.decide.decider import Ask, Decided, Decider, shuffled
from handrail.decide.local import LocalDecisionModel
from handrail.decide.questions import Decision, DecisionInputs, Decisions, UnknownDecision, load_decisions
from handrail.decide.remote import connect
from handrail.errors import SettingsError
from handrail.llm.meter import Bounds, metering
from handrail.settings import Decide
from tests.clock import EPOCH, Clock
from tests.decide.system_one import Body, Server, chosen, running

pytestmark = pytest.mark.anyio

DECISIONS = load_decisions()
MODEL = "system-one:judge-7"
CLAIM = {"claim": "It renews monthly.", "passage": "Plans renew each month."}
MESSAGE = {"message": "my card was charged twice", "brand": "Acme"}


@dataclass
class Set:
    """A decider, and what it noted."""

    decider: Decider
    noted: list[str] = field(default_factory=list)
    clock: Clock = field(default_factory=lambda: Clock(EPOCH))

    async def one(self, name: str, inputs: Mapping[str, object], local: Mapping[str, float] | None = None) -> Decided:
        (verdict,) = await self.decider.decide([Ask(name, inputs, local)])
        assert verdict is not None
        return verdict


@asynccontextmanager
async def deciding(
    url: str, *, decisions: Decisions = DECISIONS, maps: Maps | None = None, **settings: Any
) -> AsyncIterator[Set]:
    """Over a local model that supports a claim with 0.6 and takes every message for answerable with 0.55."""
    chosen_ = Decide.model_validate({"model": MODEL, "base_url": url, "timeout_s": 5.0, **settings})

    async def supported(state: Mapping[str, str]) -> dict[str, float]:
        return {"yes": 0.6, "no": 0.4}

    async def route(state: Mapping[str, str]) -> dict[str, float]:
        return {"answerable": 0.55, "irrelevant": 0.45}

    fitted = maps or Maps()
    local = LocalDecisionModel(decisions, {"supported": supported, "route": route}, fitted)
    noted: list[str] = []
    clock = Clock(EPOCH)
    remote = {chosen_.model: connect(chosen_.model, chosen_)}
    decider = Decider(decisions, local, remote, fitted, chosen_, noted.append, clock)
    try:
        yield Set(decider, noted, clock)
    finally:
        await decider.aclose()


async def test_in_the_grey_zone_the_other_model_decides(
    decision_server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    decision_server.answers = chosen("high_stakes", 0.9)

    with caplog.at_level(logging.INFO, "handrail.decide"):
        async with deciding(decision_server.url, api_key="k-1") as here:
            verdict = await here.one("route", MESSAGE)

    assert (verdict.top, verdict.by, here.noted) == ("high_stakes", MODEL, [])
    assert verdict.probabilities["high_stakes"] == pytest.approx(0.9)
    assert decision_server.headers[0]["authorization"] == "Bearer k-1"
    assert decision_server.requests[0]["model"] == "judge-7"
    assert decision_server.requests[0]["state"] == {"message": MESSAGE["message"], "company": "Acme"}
    assert "none_of_these" in decision_server.requests[0]["questions"]["route"]["criteria"]
    (line,) = [record.getMessage() for record in caplog.records if record.levelno == logging.INFO]
    assert f"decision route v{DECISIONS['route'].version} by {MODEL} (scripted-7)" in line
    assert "charged" not in caplog.text


@pytest.mark.parametrize(
    ("settings", "local", "asks"),
    [
        ({}, {"yes": 0.95, "no": 0.05}, False),
        ({}, {"yes": 0.05, "no": 0.95}, False),
        ({}, {"yes": 0.75, "no": 0.25}, True),
        ({"grey_from": 0.7, "grey_to": 1.0}, {"yes": 0.6, "no": 0.4}, False),
        ({"ask": "always"}, {"yes": 0.99, "no": 0.01}, True),
        ({"models": {"supported": "local"}}, {"yes": 0.5, "no": 0.5}, False),
    ],
)
async def test_only_the_grey_zone_is_asked_about_unless_everything_is(
    decision_server: Server, settings: dict[str, Any], local: dict[str, float], *, asks: bool
) -> None:
    async with deciding(decision_server.url, **settings) as here:
        verdict = await here.one("supported", CLAIM, local)

    assert bool(decision_server.requests) is asks
    assert (verdict.by != "local") is asks


async def test_what_the_local_model_has_no_head_for_is_asked_of_the_other(decision_server: Server) -> None:
    decision_server.answers = chosen("", 0.8)

    async with deciding(decision_server.url, grey_from=1.0) as here:
        assert (await here.one("crisis", {"message": "help"})).top == "yes"
        decision_server.status = 500
        assert await here.decider.decide([Ask("crisis", {"message": "help me"})]) == [None]


async def test_questions_that_agree_on_their_state_travel_in_one_request(decision_server: Server) -> None:
    decision_server.answers = chosen("none_of_these", 0.9)
    said = {"message": "and for two?"}
    history = {**said, "last_question": "the price", "last_answer": "10 a month"}

    async with deciding(decision_server.url) as here:
        found = await here.decider.decide(
            [Ask("route", said), Ask("act", history), Ask("crisis", history), Ask("depends_on_history", history)]
        )

    assert [verdict.decision for verdict in found if verdict] == ["route", "act", "crisis", "depends_on_history"]
    (request,) = decision_server.requests
    assert sorted(request["questions"]) == ["act", "crisis", "depends_on_history", "route"]
    assert request["state"] == history


async def test_claims_are_asked_about_one_by_one_and_answered_in_order(decision_server: Server) -> None:
    by_claim = {"first": 0.9, "second": 0.1}
    decision_server.reply = lambda body: json.dumps(  # type: ignore[method-assign]
        {
            "model": "m",
            "answers": {"supported": {"type": "noul", "noul": by_claim[body["state"]["claim"]]}},
            "usage": {},
        }
    ).encode()

    async with deciding(decision_server.url) as here:
        found = await here.decider.decide([Ask("supported", {**CLAIM, "claim": claim}) for claim in by_claim])

    assert len(decision_server.requests) == 2
    assert [verdict.probabilities["yes"] for verdict in found if verdict] == [pytest.approx(0.9), pytest.approx(0.1)]


TROUBLE: dict[str, dict[str, Any]] = {
    "error": {"status": 500},
    "wrong key": {"status": 401},
    "busy": {"status": 429},
    "not JSON": {"raw": b"<html>"},
    "no answers": {"raw": b'{"model": "m", "answers": {}, "usage": {}}'},
    "another kind": {"answers": lambda name, question: {"type": "choice", "choice": "yes", "probabilities": {}}},
    "no probability": {"answers": lambda name, question: {"type": "noul", "noul": 1.5}},
    "not a number": {"answers": lambda name, question: {"type": "noul", "noul": float("nan")}},
    "a refusal": {"answers": lambda name, question: {"type": "refusal"}},
    "too slow": {"waits_s": 1.0},
}


@pytest.mark.parametrize("trouble", TROUBLE)
async def test_whatever_happens_the_local_verdict_stands(
    decision_server: Server, trouble: str, caplog: pytest.LogCaptureFixture
) -> None:
    for name, value in TROUBLE[trouble].items():
        setattr(decision_server, name, value)

    with caplog.at_level(logging.WARNING, "handrail.decide"):
        async with deciding(decision_server.url, timeout_s=0.3 if trouble == "too slow" else 5.0) as here:
            verdict = await here.one("supported", CLAIM)

    assert (verdict.by, verdict.probabilities["yes"], here.noted) == ("local", 0.6, ["decisions"])
    (line,) = caplog.records
    assert "the local verdict stands" in line.getMessage()


async def test_nobody_listening_is_no_different() -> None:
    async with deciding("http://127.0.0.1:9") as here:
        verdict = await here.one("supported", CLAIM)

    assert (verdict.by, here.noted) == ("local", ["decisions"])


async def test_a_model_that_keeps_failing_is_left_alone_for_a_while(decision_server: Server) -> None:
    decision_server.status = 500

    async with deciding(decision_server.url) as here:
        for _ in range(7):
            await here.one("supported", CLAIM)
        asked = len(decision_server.requests)
        decision_server.status = 200
        here.clock.now += 21
        verdict = await here.one("supported", CLAIM)

    assert (asked, verdict.by, here.noted) == (4, MODEL, ["decisions"] * 7)


async def test_tokens_are_counted_and_a_turn_s_bound_holds(decision_server: Server) -> None:
    with metering(Bounds(requests=1)) as meter:
        async with deciding(decision_server.url) as here:
            first, second = [await here.one("supported", CLAIM) for _ in range(2)]

    assert (first.by, second.by, here.noted) == (MODEL, "local", ["decisions"])
    assert (meter.usage.input_tokens, meter.usage.output_tokens) == (11, 2)


def leans_to_the_first(name: str, question: Body) -> Body:
    """As some models do: whatever is shown first gets most."""
    options = list(question["criteria"])
    weights = {option: 2.0**-place for place, option in enumerate(options)}
    shares = {option: weight / sum(weights.values()) for option, weight in weights.items()}
    return {"type": "choice", "choice": options[0], "confidence": 0.5, "probabilities": shares}


async def test_the_order_of_options_changes_no_answer(decision_server: Server) -> None:
    decision_server.answers = leans_to_the_first
    route = DECISIONS["route"]
    turned = route.model_copy(update={"options": dict(reversed(route.options.items()))})

    async with deciding(decision_server.url) as here:
        one = await here.one("route", MESSAGE)
    async with deciding(
        decision_server.url, decisions=Decisions({"route": turned, "supported": DECISIONS["supported"]})
    ) as here:
        other = await here.one("route", MESSAGE)

    assert one.by == other.by == MODEL
    assert one.probabilities == pytest.approx(other.probabilities)


def test_no_option_is_always_shown_first() -> None:
    route: Decision = DECISIONS["route"]
    firsts = {shuffled(route, {"message": str(number)})[0] for number in range(100)}

    assert firsts == set(route.options)
    assert shuffled(route, {"message": "1"}) == shuffled(route, {"message": "1"})


async def test_probabilities_are_refitted_and_the_confidence_of_a_server_is_not_read(decision_server: Server) -> None:
    decision_server.answers = chosen("", 0.7)
    fitted = Map(
        decision="supported", version=DECISIONS["supported"].version, model=MODEL, kind="isotonic",
        given=(0.5, 0.9), holds=(0.1, 0.3), n=200, loss_before=1, loss_after=0.5,
    )  # fmt: skip

    async with deciding(decision_server.url, maps=Maps([fitted])) as here:
        verdict = await here.one("supported", CLAIM)

    assert verdict.probabilities == {"yes": pytest.approx(0.2), "no": pytest.approx(0.8)}


USED = {
    "input_tokens": 9, "input_tokens_details": {"cache_write_tokens": 0, "cached_tokens": 0},
    "output_tokens": 1, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 10,
}  # fmt: skip


@pytest.mark.parametrize("suffix", ["", "/v1"])
@pytest.mark.parametrize(
    ("answer", "by"),
    [({"type": "predicate", "probability": 0.1}, "openai-decisions:judge-7"), ({"type": "refusal"}, "local")],
)
async def test_openai_s_decisions_answer_or_refuse(decision_server: Server, answer: Body, by: str, suffix: str) -> None:
    decision_server.path = "/v1/decisions"
    body = {"model": "judge-7", "answers": [{"name": "supported", **answer}], "usage": USED}
    decision_server.raw = json.dumps(body).encode()

    async with deciding(decision_server.url + suffix, model="openai-decisions:judge-7", api_key="k") as here:
        verdict = await here.one("supported", CLAIM)

    assert (verdict.by, here.noted) == (by, [] if by != "local" else ["decisions"])
    assert [question["name"] for question in decision_server.requests[0]["questions"]] == ["supported"]
    assert len(decision_server.requests) == 1


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_server_with_a_fault_gives_a_whole_answer_or_the_local_one(fault: str) -> None:
    async def asked(config: MockConfig) -> tuple[list[Decided | None], list[str]]:
        with running(make_server(config)) as url:
            async with deciding(url, model="system-one:mock", ask="always") as here:
                found = await here.decider.decide([Ask("route", MESSAGE), Ask("supported", CLAIM)])
                return found, here.noted

    clean, noted = await asked(MockConfig())
    assert noted == []

    found, noted = await asked(MockConfig(faults=frozenset({fault})))

    changed = fault in ("id-leaks", "batch-leaks", "order-leaks")
    for verdict, right, local in zip(found, clean, ("answerable", "yes"), strict=True):
        assert verdict is not None and right is not None
        assert sum(verdict.probabilities.values()) == pytest.approx(1)
        assert list(verdict.probabilities) == list(DECISIONS[verdict.decision].options)
        if verdict.by == "local":
            assert (verdict.top, "decisions" in noted) == (local, True)
        elif not changed:
            assert verdict.probabilities == pytest.approx(right.probabilities)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"model": "system-one:judge-7"}, "base_url"),
        ({"model": "nobody:judge-7", "base_url": "http://127.0.0.1:9"}, "nobody"),
        ({"model": "openai-chat:gpt-5", "base_url": "http://127.0.0.1:9"}, "openai-chat:gpt-5"),
    ],
)
def test_a_model_that_cannot_be_is_named(settings: dict[str, str], says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SYSTEM_ONE_BASE_URL", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")

    with pytest.raises(SettingsError, match=says):
        connect(settings["model"], Decide.model_validate(settings))


def test_an_alias_that_moves_is_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    connect("system-one:jev-latest", Decide(base_url="http://127.0.0.1:9"))

    assert "alias" in caplog.text


async def test_mistakes_of_the_caller_are_not_hidden(decision_server: Server) -> None:
    async with deciding(decision_server.url) as here:
        with pytest.raises(UnknownDecision, match="there are: act, answers"):
            await here.decider.decide([Ask("weather", {})])
        with pytest.raises(DecisionInputs, match="needs: passage"):
            await here.decider.decide([Ask("supported", {"claim": "x"})])
