#!/usr/bin/env python3
import errno
import os
import re
import sys
from pathlib import Path

NO_TABLE = re.compile("no such (table|column)|(relation|column) .* does not exist")
NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM}


def main() -> None:
    # platform/ is a folder of apps, never a package: as a package it would shadow the standard library's module.
    sys.path.insert(0, str(Path(__file__).resolve().parent / "platform"))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line
    from django.db import OperationalError, ProgrammingError

    # Where a shell closed them, what is said there is dropped.
    sys.stdout = sys.stdout or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    sys.stderr = sys.stderr or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    try:
        execute_from_command_line(sys.argv)
    except BrokenPipeError:  # whoever reads, `head` for one, has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except (ImproperlyConfigured, OperationalError, ProgrammingError, OSError) as error:
        # What the operator can mend is a sentence; --traceback shows the way to it.
        is_ours = isinstance(error, OSError) and error.errno not in NO_ROOM
        is_ours |= isinstance(error, ProgrammingError) and not NO_TABLE.search(str(error))
        if "--traceback" in sys.argv or is_ours:
            raise
        sys.exit(sentence(error))


def sentence(error: Exception) -> str:
    from django.core.exceptions import ImproperlyConfigured

    if isinstance(error, ImproperlyConfigured):
        return str(error)
    if isinstance(error, OSError):
        return f"{error.filename or 'A file'} cannot be written ({error.strerror}). Make room or give the right to it."
    first = str(error).strip().splitlines()[0]
    if NO_TABLE.search(first):
        return (
            f"The database is not that of this release: {first}. Run `manage.py migrate` first, or start script/server."
        )
    return f"The database cannot be used: {first}. See that it runs, that DATABASE_URL is right and its disk has room."


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
