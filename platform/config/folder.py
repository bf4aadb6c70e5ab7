"""The data folder of a single machine: database, task queue, collected static files and a secret key."""

import contextlib
import os
import secrets
import tempfile
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured


def made(folder: Path) -> Path:
    """The folder, made when it is not there; ImproperlyConfigured when it cannot be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(folder, error) from None
    if not os.access(folder, os.W_OK | os.X_OK):
        raise _unwritable(folder, PermissionError(13, "Permission denied"))
    return folder


def kept_key(var: Path) -> str:
    """The secret key in `var`/secret_key, made at the first call; two starts at once agree on one key."""
    file = made(var) / "secret_key"
    try:
        if not file.exists():
            # Written aside and linked into place whole: a second start never reads half a key or replaces this one.
            with tempfile.NamedTemporaryFile("w", dir=var, prefix=".key-") as draft:
                draft.write(secrets.token_urlsafe(50))
                draft.flush()
                with contextlib.suppress(FileExistsError):
                    os.link(draft.name, file)
        return file.read_text()
    except OSError as error:
        raise _unwritable(file, error) from None


def _unwritable(path: Path, error: OSError) -> ImproperlyConfigured:
    return ImproperlyConfigured(
        f"{path} cannot be written ({error.strerror}). Make it writable, or set ARENA_VAR to a data folder that is."
    )
