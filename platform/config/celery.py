"""The Celery application: `celery -A config worker` with platform/ on the path (Celery skips manage.py)."""

import os
import sys
from pathlib import Path

from celery import Celery

from config import broker

for folder in (Path(__file__).resolve().parents[2], Path(__file__).resolve().parents[1]):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

broker.register()
app = Celery("arena")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
