"""Provider failures as errors that say what to do. No message repeats the key, the prompt or the model's output."""

from __future__ import annotations

from pydantic_ai.exceptions import (
    ContentFilterError,
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelQuotaExceededError,
    ModelTimeoutError,
    OutputTokenLimitExceeded,
    UnexpectedModelBehavior,
)

from handrail.errors import HandrailError, PermanentError, RetryableError
from handrail.llm.retry import worth_retrying


class RefusedByModel(PermanentError):
    """The model or its provider's filter declined to reply; the same prompt would be declined again."""


def explain(error: Exception, host: str, model: str, *, replied: bool) -> HandrailError:
    """The error to raise instead of one from the LLM library; `replied` when a chat completion did arrive."""
    if isinstance(error, ModelAPIError):
        return _explain_api(error, host, model)
    if isinstance(error, ContentFilterError):
        return RefusedByModel(f"{model} at {host} declined to reply")
    if isinstance(error, OutputTokenLimitExceeded):
        return PermanentError(f"{model} needed more than llm.max_output_tokens for its reply; raise that setting")
    if isinstance(error, UnexpectedModelBehavior) and not replied:
        return _not_chat_completions(host)
    if isinstance(error, UnexpectedModelBehavior):
        return RetryableError(f"{model} at {host} did not return the JSON it was asked for, after one correction")
    return PermanentError(f"{model} at {host} can't be used as configured: {type(error).__name__}")


def _explain_api(error: ModelAPIError, host: str, model: str) -> HandrailError:
    if isinstance(error, ModelQuotaExceededError):
        return PermanentError(f"the account at {host} has no credit left; top it up or change OPENAI_API_KEY")
    if worth_retrying(error):
        return RetryableError(_passing(error, host))
    if isinstance(error, ModelAuthenticationError):
        return PermanentError(f"the key in OPENAI_API_KEY was refused by {host}; check it and its access to {model}")
    if isinstance(error, ModelNotFoundError):
        return PermanentError(f"{host} has no model {model!r}, or OPENAI_BASE_URL lacks its path, such as /v1")
    if isinstance(error, ModelContextWindowExceededError):
        return PermanentError(f"the prompt is longer than {model} can read; lower prompts.context_tokens")
    if isinstance(error, ModelHTTPError):
        return PermanentError(
            f"{host} refused the request to {model} with HTTP {error.status_code}; "
            "check that the model and its server support JSON-schema output and the settings under llm"
        )
    return _not_chat_completions(host)


def _not_chat_completions(host: str) -> HandrailError:
    return PermanentError(f"{host} does not speak the chat completions protocol; check OPENAI_BASE_URL")


def _passing(error: ModelAPIError, host: str) -> str:
    if isinstance(error, ModelTimeoutError):
        return f"{host} did not reply in time"
    if isinstance(error, ModelConnectionError):
        return f"{host} could not be reached; check that it runs and that OPENAI_BASE_URL is right"
    if isinstance(error, ModelHTTPError) and error.status_code == 429:
        wait = f"; it asks to wait {error.retry_after:.0f} s" if error.retry_after else ""
        return f"{host} is limiting requests (HTTP 429){wait}"
    status = f" (HTTP {error.status_code})" if isinstance(error, ModelHTTPError) else ""
    return f"{host} failed to serve the request{status}"
