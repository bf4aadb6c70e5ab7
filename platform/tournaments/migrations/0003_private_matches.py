from django.db import migrations


def hide(apps, schema_editor):
    """The matches of private tournaments become private."""
    matches = apps.get_model("ladder", "Match").objects
    matches.filter(fixture__tournament__is_public=False, is_rated=False).update(is_private=True)


class Migration(migrations.Migration):
    dependencies = [("ladder", "0007_private_matches"), ("tournaments", "0002_entry_milli")]

    operations = [migrations.RunPython(hide, migrations.RunPython.noop)]
