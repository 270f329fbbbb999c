"""Letters are kept in each kind of database."""

from tests.records.conftest import storage as storage
