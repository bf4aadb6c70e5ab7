"""The table of the shared cache, in which failed logins are counted (CACHES in the settings)."""

from typing import Any

from django.core.management import call_command
from django.db import migrations


def create(_: Any, schema_editor: Any) -> None:
    """Harmless where the table is there already."""
    call_command("createcachetable", database=schema_editor.connection.alias, verbosity=0)


class Migration(migrations.Migration):
    initial = True
    dependencies: list[tuple[str, str]] = []
    operations = [migrations.RunPython(create, migrations.RunPython.noop)]
