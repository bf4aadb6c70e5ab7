"""The one clock that every machine of an arena shares.

Leases and deadlines that one process writes and another judges are kept in the database's time: a worker whose clock
is wrong, or jumps, neither loses a match nor takes one from another.
"""

from datetime import datetime

from django.db import connection
from django.utils import timezone


def now() -> datetime:
    """The database's time. With SQLite all processes are on one machine, and it is that machine's."""
    if connection.vendor != "postgresql":
        return timezone.now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        moment: datetime = cursor.fetchone()[0]
    return moment
