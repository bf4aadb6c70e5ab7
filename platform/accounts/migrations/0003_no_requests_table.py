"""Requests of the API are counted in Redis, or in files: away with the table in which they were."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("accounts", "0002_requests_table")]
    operations = [migrations.RunSQL("DROP TABLE IF EXISTS shared_requests", migrations.RunSQL.noop, elidable=True)]
