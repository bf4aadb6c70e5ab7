"""The site for gunicorn, which skips manage.py: run it with `--pythonpath platform`."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
application = get_wsgi_application()
