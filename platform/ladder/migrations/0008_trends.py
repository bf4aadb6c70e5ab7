import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("bots", "0003_lifecycle"), ("ladder", "0007_private_matches")]

    operations = [
        migrations.AddField(
            model_name="ladder",
            name="trends_at",
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.CreateModel(
            name="Trend",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("rank", models.PositiveIntegerField()),
                ("millis", models.JSONField()),
                (
                    "bot",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="trends", to="bots.bot"
                    ),
                ),
                (
                    "ladder",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="trends",
                        to="ladder.ladder",
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("ladder", "bot"), name="trend_once_a_ladder_and_bot")],
            },
        ),
    ]
