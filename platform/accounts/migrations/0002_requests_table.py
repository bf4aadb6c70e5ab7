"""Once the table in which requests of the API were counted; today it makes none (0003)."""

from typing import Any

from django.core.management import call_command
from django.db import migrations


def create(_: Any, schema_editor: Any) -> None:
    """Harmless where the table is there already."""
    call_command("createcachetable", database=schema_editor.connection.alias, verbosity=0)


class Migration(migrations.Migration):
    dependencies = [("accounts", "0001_cache_table")]
    operations = [migrations.RunPython(create, migrations.RunPython.noop)]
