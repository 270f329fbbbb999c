"""Alembic's entry point: always on the connection it is given."""

from alembic import context

from handrail.records.tables import Base

context.configure(
    connection=context.config.attributes["connection"], target_metadata=Base.metadata, transactional_ddl=True
)
with context.begin_transaction():
    context.run_migrations()
