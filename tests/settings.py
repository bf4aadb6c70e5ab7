"""The site's settings for the tests: a data folder of its own, so that no test touches the files of a running arena."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

_FOLDER = tempfile.mkdtemp(prefix="arena-tests-")
_OWNER = os.getpid()


def _remove() -> None:
    # A child made by fork inherits this hook, but the folder is its parent's.
    if os.getpid() == _OWNER:
        shutil.rmtree(_FOLDER, ignore_errors=True)


atexit.register(_remove)
os.environ["ARENA_VAR"] = _FOLDER

from config.settings import *  # noqa: E402, F403
from config.settings import DATABASES, STORAGES, VAR  # noqa: E402

if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # A file, as in real life: an in-memory database has other locks than the one people run.
    DATABASES["default"]["TEST"] = {"NAME": str(Path(VAR) / "test.sqlite3")}
else:
    # A server thread that keeps its connection would keep the database from being dropped at the end.
    DATABASES["default"]["CONN_MAX_AGE"] = 0
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
# Hashed names are there once collectstatic has run, which the tests spare themselves.
STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
# Whitenoise warns of a missing folder, and a warning is an error here.
Path(VAR, "static").mkdir()
# A page shows at once what the test has just written.
LADDER_FRESH_SECONDS = 0
# The tests of the API ask more often than anybody may.
API_REQUESTS_A_MINUTE = 1_000_000
# The results that `tests.web.matches` makes come about by faults; what benches a bot has tests of its own.
BENCH_AFTER_FAULTS = 1000
