"""Configuration comes from environment variables alone; a missing or malformed one stops the start with a sentence."""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

MOST = 1_000_000_000
"""Of any number: as seconds thirty years, and little enough for whatever counts them."""
_HOST = re.compile(r"\*|\.?[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*\.?|\[[0-9A-Fa-f:.]+\]")
MIN_SECRET = 50
"""Characters: what Django's own `check --deploy` asks of a key."""


def text(name: str, default: str | None = None) -> str:
    """The variable's value; without a default it must be set and not empty."""
    value = os.environ.get(name, "").strip()
    if value:
        return value
    if default is None:
        raise ImproperlyConfigured(f"The environment variable {name} is not set. Set it and start again.")
    return default


def secret(name: str) -> str:
    """A secret with no default; one that could be guessed is refused."""
    value = text(name)
    if len(value) < MIN_SECRET:
        raise ImproperlyConfigured(
            f"The environment variable {name} must be at least {MIN_SECRET} characters long. "
            "Make one with: python3 -c 'import secrets; print(secrets.token_urlsafe(50))'"
        )
    return value


def choice(name: str, default: str, allowed: Sequence[str]) -> str:
    """One of `allowed`."""
    value = text(name, default)
    if value not in allowed:
        raise ImproperlyConfigured(
            f"The environment variable {name} must be one of {', '.join(allowed)}, not {value!r}."
        )
    return value


def flag(name: str, *, default: bool) -> bool:
    """A yes/no variable: 1, true, yes, on or 0, false, no, off."""
    value = os.environ.get(name, "").strip().lower()
    if not value:
        return default
    if value in {"1", "true", "yes", "on"}:
        return True
    if value in {"0", "false", "no", "off"}:
        return False
    raise ImproperlyConfigured(f"The environment variable {name} must be 1 or 0, not {value!r}.")


def number(name: str, default: int, *, least: int = 0, most: int = MOST) -> int:
    """A whole number from `least` to `most`."""
    value = os.environ.get(name, "").strip()
    if not value:
        return default
    try:
        result = int(value)
    except ValueError:
        raise ImproperlyConfigured(f"The environment variable {name} must be a whole number, not {value!r}.") from None
    if result < least:
        raise ImproperlyConfigured(f"The environment variable {name} must be at least {least}, not {result}.")
    if result > most:
        raise ImproperlyConfigured(f"The environment variable {name} must be at most {most}, not {result}.")
    return result


def names(name: str, default: str | None = None) -> list[str]:
    """A comma-separated list with at least one entry; without a default it must be set."""
    found = [part.strip() for part in text(name, default).split(",") if part.strip()]
    if not found:
        raise ImproperlyConfigured(f"The environment variable {name} holds no name, only commas.")
    return found


def hosts(name: str, default: str | None = None) -> list[str]:
    """Names of hosts, as `names`. One with a scheme, a port or a path would match no request, and is refused."""
    found = names(name, default)
    for host in found:
        if not _HOST.fullmatch(host):
            raise ImproperlyConfigured(
                f"The environment variable {name} must hold names such as arena.example.org, without a scheme, a port "
                f"or a path, not {host!r}."
            )
    return found


def address(name: str, default: str) -> str:
    """A mail address, perhaps with a name as in Arena <arena@example.org>."""
    return _checked_address(name, text(name, default))


def addresses(name: str) -> list[str]:
    """Mail addresses with commas between; none without the variable."""
    return [_checked_address(name, found) for found in names(name)] if text(name, "") else []


def _checked_address(name: str, value: str) -> str:
    if "@" not in value or not value.isprintable():
        raise ImproperlyConfigured(
            f"The environment variable {name} must hold a mail address such as arena@example.org, not {value!r}."
        )
    return value


def database(name: str, *, sqlite_file: Path) -> dict[str, Any]:
    """Django's database settings from a postgresql:// URL; without the variable, SQLite in `sqlite_file`.

    SQLite runs in WAL mode with immediate transactions, so that readers never block and two writers queue
    instead of failing half-way.
    """
    url = os.environ.get(name, "").strip()
    if not url:
        return {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": sqlite_file,
            "OPTIONS": {
                "transaction_mode": "IMMEDIATE",
                "timeout": 30,
                "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
            },
        }
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise ImproperlyConfigured(f"The environment variable {name} holds a malformed URL.") from None
    if parts.scheme not in {"postgres", "postgresql"} or not parts.path.strip("/"):
        raise ImproperlyConfigured(
            f"The environment variable {name} must look like postgresql://user:password@host:5432/name."
        )
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.strip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": parts.hostname or "",
        "PORT": str(port or ""),
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
    }


def redis_url(name: str) -> str | None:
    """A redis:// or rediss:// URL, or None when the variable is not set."""
    url = os.environ.get(name, "").strip()
    if not url:
        return None
    try:
        parts = urlsplit(url)
        malformed = parts.scheme not in {"redis", "rediss"} or not parts.hostname or parts.port == 0
    except ValueError:  # a port that is no number, an unclosed bracket
        malformed = True
    if malformed:
        raise ImproperlyConfigured(f"The environment variable {name} must look like redis://host:6379/0.")
    return url


def site_address(name: str, default: str) -> str:
    """Where people reach the site, without a slash at the end: a scheme, a host and perhaps a port."""
    url = text(name, default).rstrip("/")
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is no number, an unclosed bracket
        is_address = False
    if not is_address or parts.geturl() != f"{parts.scheme}://{parts.netloc}" or "@" in parts.netloc:
        raise ImproperlyConfigured(f"The environment variable {name} must look like https://arena.example.org.")
    return url
