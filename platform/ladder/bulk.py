"""Many rows into a table at once: COPY on PostgreSQL, several times as fast as INSERT; bulk_create elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

from django.core.management.color import no_style
from django.db import connection, models
from django.db.models import QuerySet


class Rows:
    """Rows of one model on their way into its table, as bare values: instances would take most of the time."""

    def __init__(self, model: type[models.Model], **values: object) -> None:
        """`values` by column attribute (`match_id`, not `match`) are those of every row; the rest are the defaults."""
        self._model = model
        self._fields = model._meta.concrete_fields  # noqa: SLF001 - documented, for all its name
        self._places = {field.attname: place for place, field in enumerate(self._fields)}
        self._common = list(attrgetter(*self._places)(model(**values)))
        self._rows: list[list[object]] = []

    def add(self, **values: object) -> None:
        """One more row; its key is given too. Values are what the database takes as they are (no JSON)."""
        row = self._common.copy()
        for name, value in values.items():
            row[self._places[name]] = value
        self._rows.append(row)

    def insert(self) -> None:
        """Writes what was added and starts anew."""
        rows, self._rows = self._rows, []
        if connection.vendor != "postgresql":
            table: QuerySet[models.Model] = QuerySet(self._model)
            table.bulk_create((self._model(*row) for row in rows), batch_size=2_000)
            return
        quote = connection.ops.quote_name
        columns = ", ".join(quote(field.column) for field in self._fields if field.column)
        into = quote(self._model._meta.db_table)  # noqa: SLF001
        with connection.cursor() as cursor, cursor.copy(f"COPY {into} ({columns}) FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)


def first_free_key(model: type[models.Model]) -> int:
    """One above the largest primary key."""
    return int(QuerySet(model).aggregate(last=models.Max("pk"))["last"] or 0) + 1


def give_out_keys_behind(tables: Sequence[type[models.Model]]) -> None:
    """Lets the database's own counters of keys go on behind the keys that `Rows` brought."""
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), list(tables)):
            cursor.execute(statement)
