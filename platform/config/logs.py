"""What goes into the log, and how loud."""

import logging

from celery.exceptions import Reject


class VisitorsAreNoError(logging.Filter):
    """A malformed request is one line of warning: Django logs it as an error of the site's, with a traceback."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Let the record through, quieter when it is about what a visitor sent."""
        if record.name.startswith("django.security."):
            record.levelno, record.levelname = logging.WARNING, "WARNING"
            record.exc_info = record.exc_text = None
            record.msg, record.args = " ".join(record.getMessage().split()), ()
        return logging.getLogger().isEnabledFor(record.levelno)


class RejectionsAreNoError(logging.Filter):
    """A task that a stopping worker puts back is one line: Celery shows where it was put back from."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Let the record through, without the traceback of a rejection."""
        if record.exc_info and isinstance(record.exc_info[1], Reject):
            record.exc_info = record.exc_text = None
        return True
