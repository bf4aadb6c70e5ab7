"""Receiving a file of any size without holding more of it than an upload may have."""

from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.files.uploadhandler import FileUploadHandler

from arena.archive import LIMITS

KEPT_BYTES = max(LIMITS.file_bytes, LIMITS.zip_bytes) + 1
"""One byte over the largest upload: enough to know that it is too large, and the form keeps what else was typed."""


class CappedUploadHandler(FileUploadHandler):
    """Keeps the first KEPT_BYTES of a file in memory and lets the rest go by."""

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        """Start with nothing kept."""
        super().new_file(*args, **kwargs)
        self._kept = bytearray()

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Keep what still fits; nothing is handed on to another handler."""
        self._kept += raw_data[: KEPT_BYTES - len(self._kept)]

    def file_complete(self, file_size: int) -> SimpleUploadedFile:
        """The kept part as a file."""
        return SimpleUploadedFile(self.file_name or "", bytes(self._kept), self.content_type or "")
