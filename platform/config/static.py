"""The files of the site's look, under names that change with their content."""

from collections.abc import Iterable, Iterator

from whitenoise.storage import CompressedManifestStaticFilesStorage  # type: ignore[import-untyped]


class HashedFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """Hashed names and packed copies of them; the plain name stays, for the page that stands alone (500)."""

    support_js_module_import_aggregation = True
    """Modules import each other by the hashed names too, or a browser would load one of them in an old state."""

    def compress_files(self, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Pack what is new: to pack well takes seconds, and what bears a hashed name never changes."""
        hashed = set(self.hashed_files.values())
        new = [path for path in paths if path in hashed and not self.exists(f"{path}.br")]
        packed: Iterator[tuple[str, str]] = super().compress_files(new)
        return packed
