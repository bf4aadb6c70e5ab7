import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("bots", "0006_sandbox_machines")]

    operations = [
        migrations.AddField(
            model_name=name,
            name="resend_at",
            field=models.DateTimeField(default=django.utils.timezone.now),
        )
        for name in ("botversion", "trial")
    ]
