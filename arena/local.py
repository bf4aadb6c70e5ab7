"""Bots played in this very process, for authors and tests: nothing is walled off and no clock is kept.

Only for code one trusts. What a bot is asked and what it may reply is exactly as in a sandbox.
"""

from __future__ import annotations

import time
from collections.abc import Mapping

from arena.bot import Bot
from arena.client import LinkedPlayer
from arena.protocol import Ask, Reply, Request, read_reply
from arena.session import BotSession


class LocalLink:
    """A `Link` to a session in this process."""

    def __init__(self, session: BotSession) -> None:
        self._session = session
        self._spent = 0.0

    @property
    def spent(self) -> float:
        """CPU seconds of this thread that the bot used, loading not counted."""
        return self._spent

    def ask(self, request: Request) -> Reply:
        """The session's reply. Raises ProtocolError."""
        began = time.thread_time()
        reply = self._session.handle(request.to_wire())
        if request.ask is not Ask.LOAD:
            self._spent += time.thread_time() - began
        return read_reply(reply, request)

    def close(self) -> None:
        """There is nothing to end."""


class LocalContestant:
    """A bot class that plays in this process. State that it keeps on the class outlives a game here."""

    def __init__(self, bot_class: type[Bot]) -> None:
        self._bot_class = bot_class

    def new_player(self) -> LinkedPlayer:
        """A player with an instance of its own."""
        return LinkedPlayer(LocalLink(BotSession(self._bot_class)), {}, "")


class UploadContestant:
    """An upload's files, imported anew for every game, in this process."""

    def __init__(self, files: Mapping[str, str], entry: str) -> None:
        self._files = dict(files)
        self._entry = entry

    def new_player(self) -> LinkedPlayer:
        """A player with modules and an instance of its own."""
        return LinkedPlayer(LocalLink(BotSession()), self._files, self._entry)
