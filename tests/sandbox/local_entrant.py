"""Validation without a sandbox: the upload plays in this very process. For the tests' own harmless bots."""

from arena.archive import BotSource
from arena.client import LinkedPlayer
from arena.local import UploadContestant


class LocalEntrant:
    """An `Entrant` that walls nothing off."""

    open_now = 0
    """Entrants not closed yet."""

    def __init__(self, source: BotSource) -> None:
        self._contestant = UploadContestant(source.files, source.entry)
        LocalEntrant.open_now += 1

    def new_player(self) -> LinkedPlayer:
        """A player with modules of its own."""
        return self._contestant.new_player()

    def close(self) -> None:
        """Count it."""
        LocalEntrant.open_now -= 1
