#!/usr/bin/env python3
import errno
import os
import sys
from pathlib import Path

NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM}


def main() -> None:
    # platform/ is a folder of apps, never a package: as a package it would shadow the standard library's module.
    sys.path.insert(0, str(Path(__file__).resolve().parent / "platform"))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line
    from django.db import OperationalError

    try:
        execute_from_command_line(sys.argv)
    except (ImproperlyConfigured, OperationalError, OSError) as error:
        # What the operator can mend is a sentence; --traceback shows the way to it.
        if "--traceback" in sys.argv or (isinstance(error, OSError) and error.errno not in NO_ROOM):
            raise
        sys.exit(sentence(error))


def sentence(error: Exception) -> str:
    from django.core.exceptions import ImproperlyConfigured

    if isinstance(error, ImproperlyConfigured):
        return str(error)
    if isinstance(error, OSError):
        return f"{error.filename or 'A file'} cannot be written ({error.strerror}). Make room or give the right to it."
    first = str(error).strip().splitlines()[0]
    return f"The database cannot be used: {first}. See that it runs, that DATABASE_URL is right and its disk has room."


if __name__ == "__main__":
    main()
