"""Many rows into a table at once: COPY on PostgreSQL, several times as fast as INSERT; bulk_create elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import TypeVar

from django.core.management.color import no_style
from django.db import connection, models
from django.db.models import QuerySet

Row = TypeVar("Row", bound=models.Model)


def insert_rows(rows: Sequence[Row]) -> None:
    """Inserts unsaved instances of one model, keys included, whose values the database takes as they are (no JSON)."""
    if not rows:
        return
    model = type(rows[0])
    if connection.vendor != "postgresql":
        QuerySet(model).bulk_create(rows, batch_size=2_000)
        return
    meta = model._meta  # noqa: SLF001 - documented, for all its name
    fields = meta.concrete_fields
    values = attrgetter(*(field.attname for field in fields))
    quote = connection.ops.quote_name
    columns = ", ".join(quote(field.column) for field in fields)
    with (
        connection.cursor() as cursor,
        cursor.copy(f"COPY {quote(meta.db_table)} ({columns}) FROM STDIN") as copy,
    ):
        for row in rows:
            copy.write_row(values(row))


def first_free_key(model: type[models.Model]) -> int:
    """One above the largest primary key."""
    return int(QuerySet(model).aggregate(last=models.Max("pk"))["last"] or 0) + 1


def give_out_keys_behind(tables: Sequence[type[models.Model]]) -> None:
    """Lets the database's own counters of keys go on behind the keys that `insert_rows` brought."""
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), list(tables)):
            cursor.execute(statement)
