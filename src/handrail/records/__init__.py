"""What is kept in a database: finished turns, for repeated turn ids, and requests for a person."""

from handrail.errors import PermanentError, RetryableError


class RecordsUnavailable(RetryableError):
    """The database cannot be reached or does not answer in time."""


class NotStorable(PermanentError):
    """A value that the database cannot hold: a NUL character, or a text longer than its column."""
