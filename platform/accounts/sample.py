"""Accounts are Django's users, made by signing up; this adds the one that comes with a new server."""

import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User

SAMPLE_USERNAME = "sample"


@dataclass(frozen=True)
class Credentials:
    """What somebody logs in with."""

    username: str
    password: str


def sample_account() -> Credentials:
    """The account for trying the site out, made at the first call; its password is kept in the data folder.

    The password that is returned is the one that works: it is set again when somebody changed it.
    Raises OSError when the data folder cannot be written.
    """
    password = _kept_password(settings.VAR / "sample_password")
    user, _ = User.objects.get_or_create(username=SAMPLE_USERNAME)
    if not user.check_password(password):
        user.set_password(password)
        user.save(update_fields=["password"])
    return Credentials(user.username, password)


def _kept_password(file: Path) -> str:
    file.parent.mkdir(parents=True, exist_ok=True)
    try:
        descriptor = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except FileExistsError:
        # Empty when the start that made it was cut off right there.
        if password := file.read_text().strip():
            return password
        descriptor = os.open(file, os.O_WRONLY)
    with os.fdopen(descriptor, "w") as out:
        out.write(password := secrets.token_urlsafe(12))
    return password
