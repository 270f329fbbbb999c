"""Why a language model gave nothing usable: a closed set, for logs, traces, readiness and responses."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeVar

from handrail.errors import HandrailError, RetryableError

E = TypeVar("E", bound=HandrailError)


class Failure(StrEnum):
    """The value is a code for programs; `says` is the same for people."""

    UNREACHABLE = "unreachable"
    TIMEOUT = "timeout"
    SLOW_START = "slow_start"
    STALLED = "stalled"
    LATE = "late"
    ENDLESS = "endless"
    BUSY = "busy"
    SERVER_ERROR = "server_error"
    KEY_REFUSED = "key_refused"
    NO_CREDIT = "no_credit"
    NO_MODEL = "no_model"
    TOO_LONG = "too_long"
    REQUEST_REFUSED = "request_refused"
    OTHER_PROTOCOL = "other_protocol"
    NOT_JSON = "not_json"
    WRONG_SCHEMA = "wrong_schema"
    EMPTY = "empty"
    CUT_OFF = "cut_off"
    DECLINED = "declined"
    SKIPPED = "skipped"
    OVER_BUDGET = "over_budget"

    @property
    def says(self) -> str:
        return _SAYS[self]

    @property
    def about_one_message(self) -> bool:
        """Whether it tells nothing about the provider: the next message may go through as usual."""
        return self in (Failure.DECLINED, Failure.OVER_BUDGET)

    @property
    def about_one_task(self) -> bool:
        """Whether the provider may well do other tasks."""
        return self in (
            Failure.NOT_JSON,
            Failure.WRONG_SCHEMA,
            Failure.EMPTY,
            Failure.CUT_OFF,
            Failure.ENDLESS,
            Failure.TOO_LONG,
            Failure.LATE,
        )


_SAYS = {
    Failure.UNREACHABLE: "it can't be reached",
    Failure.TIMEOUT: "it doesn't reply in time",
    Failure.SLOW_START: "it accepts requests but sends no first token in time",
    Failure.STALLED: "it falls silent in the middle of a reply",
    Failure.LATE: "it takes longer than its share of a turn",
    Failure.ENDLESS: "its replies repeat themselves or don't end",
    Failure.BUSY: "it limits requests (HTTP 429)",
    Failure.SERVER_ERROR: "it fails to serve requests",
    Failure.KEY_REFUSED: "it refuses the API key",
    Failure.NO_CREDIT: "the account has no credit left",
    Failure.NO_MODEL: "it has no such model, or the base URL lacks its path",
    Failure.TOO_LONG: "the prompt is longer than the model can read",
    Failure.REQUEST_REFUSED: "it refuses the request",
    Failure.OTHER_PROTOCOL: "it doesn't speak the chat completions protocol",
    Failure.NOT_JSON: "its replies aren't JSON",
    Failure.WRONG_SCHEMA: "its replies don't have the fields that were asked for",
    Failure.EMPTY: "its replies are empty",
    Failure.CUT_OFF: "its replies are cut off at llm.max_output_tokens",
    Failure.DECLINED: "it declined to reply",
    Failure.SKIPPED: "it failed so often that it isn't asked for a while",
    Failure.OVER_BUDGET: "the turn has reached its LLM limits",
}


class Stalled(RetryableError):
    """The provider accepted the request and then said nothing for too long, or never came to an end."""


def because(error: E, failure: Failure) -> E:
    """The error, marked with the failure behind it."""
    error.reason = failure.value
    return error


def failure_of(error: HandrailError) -> Failure | None:
    return Failure(error.reason) if error.reason in set(Failure) else None
