"""A decision model in this process, for the questions that it has a head for."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from pydantic import JsonValue
from pydantic_ai.exceptions import UserError
from pydantic_ai.models.decision import (
    DecisionModel,
    DecisionModelSettings,
    DecisionQuestion,
    DecisionRequest,
    DecisionResponse,
)

from handrail.decide.answers import answer_to, normalised
from handrail.decide.calibration import Maps
from handrail.decide.questions import Decision, Decisions, Probabilities, State
from handrail.errors import PermanentError

Head = Callable[[State], Awaitable[Probabilities]]
"""From the entries of a question's state to probabilities by option. Raises RetryableError when it is busy."""
NAME = "handrail-local"


class NotTrained(UserError, PermanentError):
    """The local model has no head for a question; the message names those it has."""

    def __init__(self, question: str, known: list[str]) -> None:
        super().__init__(
            f"the local decision model was not trained for {question!r}: it answers "
            f"{', '.join(known) or 'nothing'}, in the words and with the options of prompts/decisions"
        )
        self.question = question


class WrongState(UserError, PermanentError):
    """The state lacks what a question is about; the message names it."""

    def __init__(self, question: str, message: str) -> None:
        super().__init__(message)
        self.question = question


class LocalDecisionModel(DecisionModel[None]):
    """Answers the questions of `prompts/decisions` that it has heads for, recognised by text and options.

    What a question is called in a request, what stands beside it, and the order of its options change nothing.
    """

    def __init__(self, decisions: Decisions, heads: Mapping[str, Head], maps: Maps, fingerprint: str = NAME) -> None:
        """`fingerprint` names the models behind the heads: what calibration was fitted to."""
        super().__init__()
        self._decisions, self._heads, self._maps, self._fingerprint = decisions, dict(heads), maps, fingerprint

    @property
    def model_name(self) -> str:
        return NAME

    @property
    def system(self) -> str:
        return "handrail"

    @property
    def base_url(self) -> str | None:
        return None

    @property
    def client(self) -> None:
        return None

    @property
    def fingerprint(self) -> str:
        return self._fingerprint

    @property
    def names(self) -> list[str]:
        """Of the questions it answers."""
        return sorted(self._heads)

    async def decide(self, request: DecisionRequest, model_settings: DecisionModelSettings) -> DecisionResponse:
        """Raises NotTrained for a question without a head, WrongState where its state is incomplete."""
        if request.images:
            raise UserError("the local decision model can't read images")
        asked = {name: self._headed(name, question) for name, question in request.questions.items()}
        states = {name: state_of(decision, request.state, name) for name, decision in asked.items()}
        # The same question under several names is worked on once: what a request costs is bounded by the heads.
        once = {decision.name: (decision, states[name]) for name, decision in asked.items()}
        found = await asyncio.gather(*(self.probabilities(*both) for both in once.values()))
        known = dict(zip(once, found, strict=True))
        answers = {
            name: answer_to(question, asked[name], known[asked[name].name])
            for name, question in request.questions.items()
        }
        return DecisionResponse(answers=answers, model_name=NAME)

    async def probabilities(self, decision: Decision, state: State) -> dict[str, float]:
        """Calibrated where the knowledge base has a map for it. Raises NotTrained."""
        head = self._heads.get(decision.name)
        if head is None:
            raise NotTrained(decision.name, self.names)
        found = normalised(await head(state), decision)
        return self._maps.calibrated(decision, self._fingerprint, found)

    def _headed(self, name: str, question: DecisionQuestion) -> Decision:
        decision = self._decisions.meant(question)
        if decision is None or decision.name not in self._heads:
            raise NotTrained(name, self.names)
        return decision


def state_of(decision: Decision, state: JsonValue, name: str) -> dict[str, str]:
    """The entries that a head reads; a text stands for the state of a question that needs just one. Raises WrongState.

    Further entries belong to other questions and are left out.
    """
    needed = [key for key in decision.state if key in decision.inputs]
    if isinstance(state, str) and len(needed) == 1:
        return {needed[0]: state}
    if not isinstance(state, dict):
        raise WrongState(name, f"the state of {decision.name!r} must be an object with: {', '.join(needed)}")
    entries = {key: value for key, value in state.items() if key in decision.state and isinstance(value, str)}
    if missing := [key for key in needed if key not in entries]:
        raise WrongState(name, f"the state of {decision.name!r} is missing: {', '.join(missing)}")
    return entries
