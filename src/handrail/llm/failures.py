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
from handrail.llm.kinds import Failure, because
from handrail.llm.retry import worth_retrying

FILTERED = frozenset({"content_filter", "content_policy_violation"})
"""Codes of a refusal by a provider's filter."""


class RefusedByModel(PermanentError):
    """The model or its provider's filter declined to reply; the same prompt would be declined again."""


def explain(error: Exception, host: str, model: str, *, replied: bool, found: Failure) -> HandrailError:
    """The error to raise instead of one from the LLM library, with the failure as its `reason`.

    `replied` when a chat completion did arrive, `found` what was wrong with its text.
    """
    if isinstance(error, ModelAPIError):
        return _explain_api(error, host, model)
    if isinstance(error, ContentFilterError):
        return because(RefusedByModel(f"{model} at {host} declined to reply"), Failure.DECLINED)
    if isinstance(error, OutputTokenLimitExceeded):
        says = f"{model} needed more than llm.max_output_tokens for its reply; raise that setting"
        return because(PermanentError(says), Failure.CUT_OFF)
    if isinstance(error, UnexpectedModelBehavior) and not replied:
        return _not_chat_completions(host)
    if isinstance(error, UnexpectedModelBehavior):
        says = {
            Failure.EMPTY: "replied with nothing, twice",
            Failure.WRONG_SCHEMA: "did not return the JSON it was asked for, after one correction: fields are wrong",
        }.get(found, "did not return the JSON it was asked for, after one correction")
        return because(RetryableError(f"{model} at {host} {says}"), found)
    says = f"{model} at {host} can't be used as configured: {type(error).__name__}"
    return because(PermanentError(says), Failure.REQUEST_REFUSED)


def _explain_api(error: ModelAPIError, host: str, model: str) -> HandrailError:
    if isinstance(error, ModelQuotaExceededError):
        says = f"the account at {host} has no credit left; top it up or change OPENAI_API_KEY"
        return because(PermanentError(says), Failure.NO_CREDIT)
    if worth_retrying(error):
        return _passing(error, host)
    if error.provider_error_code in FILTERED:
        return because(RefusedByModel(f"the filter of {host} refused the prompt"), Failure.DECLINED)
    if isinstance(error, ModelAuthenticationError):
        says = f"the key in OPENAI_API_KEY was refused by {host}; check it and its access to {model}"
        return because(PermanentError(says), Failure.KEY_REFUSED)
    if isinstance(error, ModelNotFoundError):
        says = f"{host} has no model {model!r}, or OPENAI_BASE_URL lacks its path, such as /v1"
        return because(PermanentError(says), Failure.NO_MODEL)
    if isinstance(error, ModelContextWindowExceededError):
        says = f"the prompt is longer than {model} can read; lower prompts.context_tokens or llm.max_output_tokens"
        return because(PermanentError(says), Failure.TOO_LONG)
    if isinstance(error, ModelHTTPError):
        says = (
            f"{host} refused the request to {model} with HTTP {error.status_code}, also without what it may not "
            "support; check the model and the settings under llm, and the log of its server"
        )
        return because(PermanentError(says), Failure.REQUEST_REFUSED)
    return _not_chat_completions(host)


def _not_chat_completions(host: str) -> HandrailError:
    says = f"{host} does not speak the chat completions protocol; check OPENAI_BASE_URL"
    return because(PermanentError(says), Failure.OTHER_PROTOCOL)


def _passing(error: ModelAPIError, host: str) -> HandrailError:
    if isinstance(error, ModelTimeoutError):
        return because(RetryableError(f"{host} did not reply in time"), Failure.TIMEOUT)
    if isinstance(error, ModelConnectionError):
        says = f"{host} could not be reached; check that it runs and that OPENAI_BASE_URL is right"
        return because(RetryableError(says), Failure.UNREACHABLE)
    if isinstance(error, ModelHTTPError) and error.status_code == 429:
        wait = f"; it asks to wait {error.retry_after:.0f} s" if error.retry_after else ""
        return because(RetryableError(f"{host} is limiting requests (HTTP 429){wait}"), Failure.BUSY)
    status = f" (HTTP {error.status_code})" if isinstance(error, ModelHTTPError) else ""
    return because(RetryableError(f"{host} failed to serve the request{status}"), Failure.SERVER_ERROR)
