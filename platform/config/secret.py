"""The secret key of a single machine: made once, kept beside the database."""

import os
import secrets
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured


def kept_key(var: Path) -> str:
    """The key in `var`/secret_key, made at the first call; two starts at once agree on one key."""
    file = var / "secret_key"
    try:
        var.mkdir(parents=True, exist_ok=True)
        try:
            descriptor = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        except FileExistsError:
            return file.read_text()
        with os.fdopen(descriptor, "w") as out:
            out.write(secrets.token_urlsafe(50))
        return file.read_text()
    except OSError as error:
        raise ImproperlyConfigured(
            f"The data folder {var} cannot be written ({error.strerror}). "
            "Make it writable or set ARENA_VAR to one that is."
        ) from None
