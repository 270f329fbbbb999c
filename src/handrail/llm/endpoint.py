"""pydantic-ai's chat model and agents, for endpoints that keep to the protocol less strictly than OpenAI."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from openai.types.chat import ChatCompletion
from pydantic_ai import Agent, NativeOutput, PromptedOutput, RunContext
from pydantic_ai.capabilities import AbstractCapability, RaiseContentFilterError, RawOutput
from pydantic_ai.exceptions import (
    ModelAuthenticationError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelQuotaExceededError,
)
from pydantic_ai.models import Model
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.output import OutputContext
from pydantic_ai.settings import ModelSettings

from handrail.llm import OutputT
from handrail.llm.abilities import Abilities
from handrail.llm.kinds import Failure
from handrail.llm.repair import json_in

BAD_GATEWAY = 502
ERROR_STATUS = range(400, 600)
CATEGORY: dict[int, Any] = {
    401: ModelAuthenticationError,
    402: ModelQuotaExceededError,
    403: ModelAuthenticationError,
    404: ModelNotFoundError,
}
"""Types of errors by status, where the library cannot tell them by itself."""


class EndpointModel(OpenAIChatModel):
    """Gateways may put the error of the provider behind them into a reply with status 200."""

    def _validate_completion(self, response: ChatCompletion) -> Any:
        error = (response.model_extra or {}).get("error")
        if error:
            code = error.get("code") if isinstance(error, dict) else None
            # Without a status it is the provider that failed, not the request.
            status = code if isinstance(code, int) and code in ERROR_STATUS else BAD_GATEWAY
            raise ModelHTTPError.for_category(
                CATEGORY.get(status), status_code=status, model_name=self.model_name, body=error
            )
        return super()._validate_completion(response)


@dataclass(slots=True)
class Seen:
    """What the replies of one call were like."""

    found: Failure = Failure.EMPTY
    """What is wrong with the latest one, if anything is."""


@dataclass
class Repair(AbstractCapability[Seen]):
    """Takes the JSON out of what a model puts around it."""

    async def before_output_validate(
        self, ctx: RunContext[Seen], *, output_context: OutputContext, output: RawOutput
    ) -> RawOutput:
        if not isinstance(output, str):
            return output
        found = json_in(output)
        ctx.deps.found = Failure.WRONG_SCHEMA if found.startswith("{") else Failure.NOT_JSON
        if not output.strip():
            ctx.deps.found = Failure.EMPTY
        return found


def agent(
    model: Model, output: type[OutputT], abilities: Abilities, settings: ModelSettings, *, corrections: int
) -> Agent[Seen, OutputT]:
    """Asks for `output` as the endpoint's abilities allow."""
    native = abilities.output in ("schema", "described")
    return Agent(
        model,
        deps_type=Seen,
        output_type=NativeOutput(output, strict=True) if native else PromptedOutput(output),
        model_settings=abilities.settings(settings),
        retries={"output": corrections},
        capabilities=[Repair(), RaiseContentFilterError()],
    )
