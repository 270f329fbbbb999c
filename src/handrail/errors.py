"""Errors named for what the caller should do about them."""

from __future__ import annotations

import sys
from pathlib import Path

CLONE = Path(__file__).parents[2]
"""Holds pyproject.toml where Handrail runs from a clone, and not its wheel."""


class HandrailError(Exception):
    """Base of all errors raised on purpose."""

    reason = "failed"
    """A short code for why, where a turn goes on without what failed: shown in `meta` and traces."""


class RetryableError(HandrailError):
    """The same call may succeed a little later: a timeout, a dropped connection, a busy provider."""


class PermanentError(HandrailError):
    """Trying again cannot help; something must be changed first."""


class SettingsError(PermanentError):
    """A setting is missing or wrong; the message names it and says what to put there."""


class MissingExtra(PermanentError):
    """An optional dependency is absent; the message says which extra to install."""

    def __init__(self, feature: str, extra: str) -> None:
        install = f"pip install 'handrail[{extra}]'"
        if (CLONE / "pyproject.toml").is_file():
            install = f"{sys.executable} -m pip install -e '{CLONE}[{extra}]'"
        super().__init__(f"{feature} needs an extra that is not installed: {install}")


class ModelUnavailable(PermanentError):
    """Local weights are missing or do not match their checksum."""


class KnowledgeError(PermanentError):
    """A knowledge base or one of its articles cannot be used; the message names it."""


class IndexBusy(RetryableError):
    """Another process writes the index, or keeps it from being written."""


class IndexIncomplete(RetryableError):
    """The index is half written: it is being built, or the run that built it was interrupted."""


class BudgetExhausted(HandrailError):
    """No further calls are allowed for now."""

    reason = "over_budget"


class NotGrounded(HandrailError):
    """A draft cites what it was not given, or nothing at all."""

    reason = "invalid_citations"
    factuality: float | None = None


class NotSupported(HandrailError):
    """The passages a draft cites do not state what it says."""

    reason = "unsupported_claims"

    def __init__(self, message: str, factuality: float | None = None) -> None:
        """`factuality`: share of the draft's claims that were found supported."""
        super().__init__(message)
        self.factuality = factuality
