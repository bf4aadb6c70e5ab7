from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("ladder", "0006_alter_match_origin")]

    operations = [
        migrations.AddField(
            model_name="match",
            name="is_private",
            field=models.BooleanField(default=False),
        ),
        migrations.AddConstraint(
            model_name="match",
            constraint=models.CheckConstraint(
                condition=models.Q(("is_private", False), ("is_rated", False), _connector="OR"),
                name="match_no_private_one_is_rated",
            ),
        ),
    ]
