"""Turns that writers take where there is no row whose lock would make them queue."""

from django.db import connection


def take_turn(subject: str) -> None:
    """Waits until no other transaction holds the turn, and holds it until the one that it is called in ends.

    What is counted from then on is still so when it is acted upon. With SQLite transactions that write queue anyway.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [subject])
