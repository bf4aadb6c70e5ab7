from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("ladder", "0010_meeting_games")]

    operations = [
        migrations.AddField(model_name="botlog", name="marks", field=models.JSONField(blank=True, default=list)),
    ]
