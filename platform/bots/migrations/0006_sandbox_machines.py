from django.db import migrations, models


def forget(apps, schema_editor):
    """What is stored is of no machine in particular; every worker that runs uploads reports when it starts."""
    apps.get_model("bots", "SandboxStatus").objects.all().delete()


class Migration(migrations.Migration):
    dependencies = [("bots", "0005_public_source")]

    operations = [
        migrations.RunPython(forget, migrations.RunPython.noop),
        migrations.AddField(
            model_name="sandboxstatus",
            name="machine",
            field=models.CharField(max_length=255, unique=True, default=""),
            preserve_default=False,
        ),
    ]
