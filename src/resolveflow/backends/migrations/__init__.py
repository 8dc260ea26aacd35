"""Alembic migrations of the case store."""
