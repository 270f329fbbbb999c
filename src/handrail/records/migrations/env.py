"""Alembic's entry point: always on the connection it is given."""

from alembic import context

from handrail.records import access_tables, desk_tables, learning_tables, mail_tables, outbox_table, trace_table
from handrail.records.tables import Base

TABLES = (access_tables, desk_tables, learning_tables, mail_tables, outbox_table, trace_table)
"""Imported so that the metadata knows all of them."""

context.configure(
    connection=context.config.attributes["connection"], target_metadata=Base.metadata, transactional_ddl=True
)
with context.begin_transaction():
    context.run_migrations()
