"""Whom to ask, and what stands when nobody answers.

The local verdict comes first. Another model is asked where the settings name one and the local verdict lies in the
grey zone (or always), all questions with one state in one request. Whatever goes wrong with it, the local verdict
stands, the log has one line, and the turn notes that it went on without: a decision never fails open. What callers may
do with another model's verdict is bounded, too: it only restricts (docs/decisions.md).
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic_ai.models.decision import (
    DecisionModel,
    DecisionModelSettings,
    DecisionQuestion,
    DecisionRequest,
    DecisionResponse,
)

from handrail.decide.answers import probabilities_of
from handrail.decide.calibration import Maps
from handrail.decide.local import LocalDecisionModel, state_of
from handrail.decide.questions import Decision, Decisions, Probabilities
from handrail.errors import BudgetExhausted, HandrailError
from handrail.llm.breaker import Breaker, LeftAlone
from handrail.llm.generations import step
from handrail.llm.meter import reserve, spend
from handrail.settings import Decide
from handrail.settings.decisions import LOCAL
from handrail.types.usage import Usage

logger = logging.getLogger(__name__)

BREAKER_AFTER, BREAKER_PAUSE_S = 4, 20.0
"""Failures in a row after which a model is left alone, and for how long."""
DEGRADED = "decisions"
"""What `meta.degraded` says when another model could not be asked."""


@dataclass(frozen=True, slots=True)
class Ask:
    """One question about one thing."""

    decision: str
    inputs: Mapping[str, object]
    local: Probabilities | None = None
    """What the local model says, where that is known already."""


@dataclass(frozen=True, slots=True)
class Decided:
    """A verdict."""

    decision: str
    version: int
    probabilities: Probabilities
    by: str
    """`local`, or the name of the model as in the settings."""

    @property
    def top(self) -> str:
        return max(self.probabilities, key=self.probabilities.__getitem__)


@dataclass(slots=True)
class _Request:
    """Questions for one model that share a state."""

    model: str
    state: dict[str, str]
    indexes: list[int] = field(default_factory=list)
    questions: dict[str, DecisionQuestion] = field(default_factory=dict)


class Decider:
    """Decides for turns and commands."""

    def __init__(
        self,
        decisions: Decisions,
        local: LocalDecisionModel,
        remote: Mapping[str, DecisionModel[Any]],
        maps: Maps,
        settings: Decide,
        note: Callable[[str], None],
        clock: Callable[[], float],
    ) -> None:
        """`remote`: by the names in the settings. `note` is told of what a turn goes on without. `clock`: seconds."""
        self._decisions, self._local, self._remote = decisions, local, dict(remote)
        self._maps, self._settings, self._note = maps, settings, note
        self._opened: set[str] = set()
        self._breakers = {name: Breaker(BREAKER_AFTER, BREAKER_PAUSE_S, clock) for name in self._remote}

    def is_remote(self, decision: str) -> bool:
        """Whether another model may be asked about it."""
        return self._settings.model_of(decision) != LOCAL

    async def decide(self, asks: Sequence[Ask]) -> list[Decided | None]:
        """In order; None where neither the local model nor another had anything to say.

        Raises UnknownDecision and DecisionInputs, which are mistakes of the caller's.
        """
        states = [self._decisions[ask.decision].rendered(ask.inputs) for ask in asks]
        verdicts: list[Decided | None] = list(await asyncio.gather(*map(self._locally, asks, states)))
        requests = self._requests(asks, states, verdicts)
        for request, found in zip(requests, await asyncio.gather(*map(self._answered, requests)), strict=True):
            for index, verdict in zip(request.indexes, found, strict=True):
                verdicts[index] = verdict or verdicts[index]
        return verdicts

    async def _locally(self, ask: Ask, state: Mapping[str, str]) -> Decided | None:
        decision = self._decisions[ask.decision]
        found = ask.local
        if found is not None:
            found = self._maps.calibrated(decision, self._local.fingerprint, found)
        elif decision.name in self._local.names:
            try:
                found = await self._local.probabilities(decision, state_of(decision, dict(state), decision.name))
            except HandrailError as error:
                logger.warning("the local model can't decide %r: %s", decision.name, error)
        return None if found is None else Decided(decision.name, decision.version, found, LOCAL)

    def _requests(
        self, asks: Sequence[Ask], states: Sequence[dict[str, str]], verdicts: Sequence[Decided | None]
    ) -> list[_Request]:
        requests: list[_Request] = []
        for index, (ask, state, verdict) in enumerate(zip(asks, states, verdicts, strict=True)):
            model, decision = self._settings.model_of(ask.decision), self._decisions[ask.decision]
            if model == LOCAL or not self._unsure(verdict):
                continue
            request = next((one for one in requests if one.model == model and _fits(one, state, decision)), None)
            if request is None:
                requests.append(request := _Request(model, {}))
            request.state |= state
            request.indexes.append(index)
            request.questions[decision.name] = decision.asked(shuffled(decision, state))
        return requests

    def _unsure(self, verdict: Decided | None) -> bool:
        if self._settings.ask == "always" or verdict is None:
            return True
        return self._settings.grey_from <= verdict.probabilities[verdict.top] <= self._settings.grey_to

    async def _answered(self, request: _Request) -> list[Decided | None]:
        """By question; all None when anything went wrong."""
        nothing: list[Decided | None] = [None] * len(request.indexes)
        breaker = self._breakers[request.model]
        try:
            breaker.check(request.model)
            found = await self._sent(request)
        except (LeftAlone, BudgetExhausted) as error:
            logger.info("%s; the local verdict stands", error)
        except Exception as error:  # whatever a server or a library does, it costs no turn
            breaker.failed()
            logger.warning(
                "%s did not decide %s (%s); the local verdict stands",
                request.model,
                ", ".join(request.questions),
                type(error).__name__,
            )
        else:
            breaker.succeeded()
            return found
        self._note(DEGRADED)
        return nothing

    async def _sent(self, request: _Request) -> list[Decided | None]:
        seconds = self._settings.timeout_s
        chosen = DecisionModelSettings(timeout=seconds, max_retries=0)
        asked = DecisionRequest(state=dict(request.state), questions=request.questions)
        model = self._remote[request.model]
        reserve()
        if request.model not in self._opened:
            self._opened.add(request.model)
            await model.__aenter__()
        with step("decision") as span:
            span.record(input=dict(request.state), decided_by=request.model)
            async with asyncio.timeout(seconds):
                response = await model.decide(asked, chosen)
            usage = Usage(response.usage.input_tokens, response.usage.output_tokens)
            spend(usage, request.model)
            found = self._verdicts(request, response)
            span.record(input_tokens=usage.input_tokens, output_tokens=usage.output_tokens)
            span.record(output=[_told(verdict) for verdict in found])
        return list(found)

    def _verdicts(self, request: _Request, response: DecisionResponse) -> list[Decided]:
        found: list[Decided] = []
        for name in request.questions:
            decision = self._decisions[name]
            said = probabilities_of(decision, response.answers[name])
            verdict = Decided(
                name, decision.version, self._maps.calibrated(decision, request.model, said), request.model
            )
            logger.info(
                "decision %s v%d by %s (%s): %s %.3f",
                *(name, decision.version, request.model, response.model_name),
                *(verdict.top, verdict.probabilities[verdict.top]),
            )
            found.append(verdict)
        return found

    async def aclose(self) -> None:
        """Close the connections to other models."""
        while self._opened:
            await self._remote[self._opened.pop()].__aexit__(None, None, None)


def _told(verdict: Decided) -> dict[str, object]:
    """As traces show it."""
    shown = {name: round(float(value), 4) for name, value in verdict.probabilities.items()}
    return {"decision": verdict.decision, "version": verdict.version, "by": verdict.by, "probabilities": shown}


def _fits(request: _Request, state: Mapping[str, str], decision: Decision) -> bool:
    """Whether a question can be asked beside the others: none of its name is, and what both name is the same."""
    same = all(request.state.get(key, text) == text for key, text in state.items())
    return decision.name not in request.questions and same


def shuffled(decision: Decision, state: Mapping[str, str]) -> list[str]:
    """The order in which a choice's options are shown: by chance, but the same for the same state.

    Models lean to places. The order in a file is no part of it, and no option is always first.
    """
    labels = sorted(decision.options)
    seed: Iterable[str] = (decision.name, str(decision.version), *(f"{key}={state[key]}" for key in sorted(state)))
    chance = random.Random(hashlib.sha256("\0".join(seed).encode()).digest())  # noqa: S311 - no secret
    chance.shuffle(labels)
    return labels
