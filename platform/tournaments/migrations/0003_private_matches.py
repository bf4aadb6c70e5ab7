from django.db import migrations


def hide(apps, schema_editor):
    """The matches of private tournaments become private; those that moved ratings stay for everybody to see."""
    matches = apps.get_model("ladder", "Match").objects
    matches.filter(fixture__tournament__is_public=False, is_rated=False).update(is_private=True)


def unrate(apps, schema_editor):
    """Private tournaments that are still to be played go on unrated: no match may be private and rated from now on."""
    private = apps.get_model("tournaments", "Tournament").objects.filter(is_public=False, is_rated=True)
    private.exclude(state__in=["finished", "cancelled"]).update(is_rated=False)


class Migration(migrations.Migration):
    dependencies = [("ladder", "0007_private_matches"), ("tournaments", "0002_entry_milli")]

    # Backwards there is nothing to do: matches lose the column with the ladder's migration.
    operations = [
        migrations.RunPython(hide, migrations.RunPython.noop),
        migrations.RunPython(unrate, migrations.RunPython.noop),
    ]
