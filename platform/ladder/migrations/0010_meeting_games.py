from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps


def count_anew(apps: StateApps, _schema_editor: BaseDatabaseSchemaEditor) -> None:
    """What was counted without the new columns is counted again from the first match, in the background."""
    for name in ("Tally", "Meeting", "Tallied"):
        apps.get_model("ladder", name).objects.all().delete()


class Migration(migrations.Migration):
    dependencies = [
        ("ladder", "0009_tallies"),
    ]

    operations = [
        migrations.RunPython(count_anew, migrations.RunPython.noop, elidable=True),
        *(
            migrations.AddField(model_name="meeting", name=name, field=field, preserve_default=False)
            for name, field in (
                ("narrow_wins", models.PositiveIntegerField(default=0)),
                ("narrow_losses", models.PositiveIntegerField(default=0)),
                ("games_won", models.PositiveIntegerField(default=0)),
                ("points", models.PositiveBigIntegerField(default=0)),
            )
        ),
    ]
