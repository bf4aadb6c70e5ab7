"""The files of the site's look, under names that change with their content."""

from whitenoise.storage import CompressedManifestStaticFilesStorage  # type: ignore[import-untyped]


class HashedFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """Hashed names and packed copies beside every file; its plain name stays, for the page that stands alone (500)."""

    support_js_module_import_aggregation = True
    """Modules import each other by the hashed names too, or a browser would load one of them in an old state."""
