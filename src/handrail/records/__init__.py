"""What is kept in a database: finished turns, for repeated turn ids, and requests for a person."""

from handrail.errors import RetryableError


class RecordsUnavailable(RetryableError):
    """The database cannot be reached or does not answer in time."""
