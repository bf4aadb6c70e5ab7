from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("bots", "0004_trials")]

    operations = [
        migrations.AddField(model_name="botversion", name="is_source_public", field=models.BooleanField(default=False)),
    ]
