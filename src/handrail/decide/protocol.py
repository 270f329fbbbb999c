"""The System One protocol from the server's side, without HTTP: a body in, a status and a body out.

`POST /v1/systemone` takes `{"model", "state", "questions"}` and returns `{"model", "answers", "usage"}`. Errors carry
`detail`: a list for what a request got wrong, else `error_type` and `message`. A wrong request is never a 5xx, since
clients send those again.
"""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, field_validator
from pydantic_ai.exceptions import UserError
from pydantic_ai.models.decision import (
    ChoiceQuestion,
    DecisionAnswer,
    DecisionModel,
    DecisionModelSettings,
    DecisionQuestion,
    DecisionRequest,
    NoulAnswer,
    ScoreQuestion,
)

from handrail.decide.local import NAME, NotTrained, WrongState
from handrail.decide.questions import FEWEST, MOST_CHOICES, MOST_LEVELS, Decisions
from handrail.errors import RetryableError

Body = dict[str, Any]

ALIAS = "jev-latest"
"""What clients of the protocol name when nobody told them a model."""
MOST_QUESTIONS = 200
RELEASED = "2026-11-27"


class Asked(BaseModel):
    """A request; fields that nobody knows are passed over."""

    model_config = ConfigDict(extra="ignore")

    model: str
    state: str | dict[str, JsonValue] | list[JsonValue]
    questions: dict[str, Annotated[DecisionQuestion, Field(discriminator="type")]] = Field(
        min_length=1, max_length=MOST_QUESTIONS
    )

    @field_validator("questions")
    @classmethod
    def _within_bounds(cls, questions: dict[str, DecisionQuestion]) -> dict[str, DecisionQuestion]:
        for name, question in questions.items():
            if isinstance(question, ChoiceQuestion) and not FEWEST <= len(question.criteria) <= MOST_CHOICES:
                raise ValueError(f"{name}: a choice has {FEWEST} to {MOST_CHOICES} options")
            if isinstance(question, ScoreQuestion):
                if not FEWEST <= len(question.criteria) <= MOST_LEVELS:
                    raise ValueError(f"{name}: a score has {FEWEST} to {MOST_LEVELS} levels")
                if None in question.criteria:
                    raise ValueError(f"{name}: each level of a score is described")
        return questions


async def answered(body: bytes, model: DecisionModel[Any]) -> tuple[int, Body]:
    """HTTP status and body for a request's body."""
    try:
        asked = Asked.model_validate_json(body)
    except ValidationError as error:
        wrong = error.errors(include_url=False, include_context=False, include_input=False)
        return 422, {"detail": [{**item, "loc": ["body", *item["loc"]]} for item in wrong]}
    if asked.model not in (NAME, ALIAS):
        return 400, problem("api_usage_error", f"there is no model {asked.model[:80]!r}; there is {NAME}")
    try:
        found = await model.decide(
            DecisionRequest(state=asked.state, questions=asked.questions), DecisionModelSettings()
        )
    except NotTrained as error:
        return 422, _wrong(["questions", error.question], str(error), "not_trained")
    except WrongState as error:
        return 422, _wrong(["state"], str(error), "state")
    except UserError as error:
        return 422, _wrong([], str(error), "unsupported")
    except RetryableError as error:
        return 503, problem("overloaded_error", str(error))
    return 200, {
        "model": found.model_name,
        "answers": {name: _written(found.answers[name]) for name in asked.questions},
        "usage": {"input_tokens": found.usage.input_tokens, "output_tokens": found.usage.output_tokens},
    }


def listed(decisions: Decisions, names: list[str]) -> Body:
    """The body of `GET /v1/models`; `x_decisions` are the questions that have a head, as they are to be asked."""
    models = {NAME: "Handrail's own heads, for the questions of x_decisions", ALIAS: f"the same as {NAME}"}
    return {
        "models": [
            {"name": name, "description": text, "release_date": RELEASED} for name, text in models.items()
        ],
        "x_decisions": {
            name: {
                "version": decisions[name].version,
                "state": {key: key in decisions[name].inputs for key in decisions[name].state},
                "question": dataclasses.asdict(decisions[name].asked()),
            }
            for name in names
        },
    }  # fmt: skip


def problem(error_type: str, message: str) -> Body:
    return {"detail": {"error_type": error_type, "message": message}}


def _wrong(where: list[str], message: str, kind: str) -> Body:
    return {"detail": [{"loc": ["body", *where], "msg": message, "type": kind}]}


def _written(answer: DecisionAnswer) -> Body:
    if isinstance(answer, NoulAnswer):
        return {"type": answer.type, "noul": answer.noul}
    return dataclasses.asdict(answer)
