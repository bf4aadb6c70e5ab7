from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from accounts.sample import sample_account


class Command(BaseCommand):  # noqa: D101
    help = "Make the sample account unless it exists; print its username and password. Not for production."

    def handle(self, **options: Any) -> None:
        """Print one line, `username password`."""
        if settings.PRODUCTION:
            raise CommandError("A production site has no sample account: unset ARENA_PRODUCTION to try the site out.")
        if not connection.introspection.django_table_names(only_existing=True):
            raise CommandError("The database has no tables yet: run `manage.py migrate` first, or start script/server.")
        try:
            account = sample_account()
        except OSError as error:
            raise CommandError(
                f"{settings.VAR} cannot be written ({error.strerror}). Make it writable, or set ARENA_VAR."
            ) from None
        self.stdout.write(f"{account.username} {account.password}")
