from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps


def count(apps: StateApps, _schema_editor: BaseDatabaseSchemaEditor) -> None:
    """What `ladder.services.results` has counted from now on, of the matches before."""
    finished = apps.get_model("ladder", "Match").objects.filter(state="finished", is_private=False)
    for ladder in apps.get_model("ladder", "Ladder").objects.all():
        ladder.public_matches = finished.filter(ladder=ladder).count()
        ladder.save(update_fields=["public_matches"])


class Migration(migrations.Migration):
    dependencies = [("ladder", "0011_log_marks")]

    operations = [
        migrations.AddField(
            model_name="ladder",
            name="public_matches",
            field=models.PositiveBigIntegerField(default=0, editable=False),
        ),
        migrations.RunPython(count, migrations.RunPython.noop, elidable=True),
    ]
